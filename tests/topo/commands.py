#!/usr/bin/env python3
"""Tests strata-topo beyond golden files: files, defaults of this machine, agreement between formats."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(sys.argv.pop(1))
NIC = ("--topology", os.path.join(FOLDER, "machines", "two-nics.xml"), "--nodes", "3")


def topo(*arguments, cwd=None, **variables):
    return subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, cwd=cwd, env=os.environ | variables)


class Commands(unittest.TestCase):
    def output(self, *arguments, **variables):
        run = topo(*arguments, **variables)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_help_names_every_option(self):
        text = self.output("--help")
        for option in ("topology", "nodes", "hosts", "ppn", "placement", "order", "network", "nic", "hierarchy",
                       "plans", "from-dump", "rules", "op", "sizes", "root", "candidates", "format", "output",
                       "version"):
            self.assertIn("--" + option, text)
        self.assertIn("Examples:", text)

    def test_version(self):
        self.assertRegex(self.output("--version"), r"^strata-topo \d+\.\d+\.\d+\n$")

    def test_this_machine_is_the_default(self):
        # hwloc's PCI plugin keeps memory and is unloaded, so that a leak checker cannot resolve its name.
        hierarchy = json.loads(self.output("--format", "json", ASAN_OPTIONS="detect_leaks=0"))
        self.assertGreater(hierarchy["ranks"], 0)
        self.assertEqual(hierarchy["levels"][0]["groups"][0]["members"], list(range(hierarchy["ranks"])))

    def test_plans_of_a_dump_are_those_of_its_job(self):
        asked = ("--plans", "--op", "bcast,allgather,barrier", "--sizes", "8,64k", "--root", "5", "--format", "json")
        with tempfile.TemporaryDirectory() as scratch:
            dump = os.path.join(scratch, "job.json")
            self.output(*NIC, "--output", dump)
            self.assertEqual(json.loads(self.output("--from-dump", dump, *asked)),
                             json.loads(self.output(*NIC, *asked)))

    def test_presets_are_rules_by_name(self):
        asked = (*NIC, "--plans", "--op", "bcast", "--sizes", "8,64k", "--rules")
        with tempfile.TemporaryDirectory() as scratch:
            presets = shutil.copytree(os.path.join(FOLDER, "..", "..", "mca-params"), f"{scratch}/strata-presets",
                                      ignore=shutil.ignore_patterns("*.schema.json"))
            path = {"OMPI_MCA_opal_mca_base_component_path": f"/none:{scratch}:SYSTEM_DEFAULT"}
            for preset in ("ethernet-cluster", "wan-grid"):
                text = self.output(*asked, preset, **path)
                self.assertIn(f"from {presets}/{preset}.json:", text)
                self.assertEqual(text, self.output(*asked, f"{presets}/{preset}.json"))
            # A preset's name is never a file, and any other value is one, as for coll_strata_rules.
            shutil.copy(f"{presets}/wan-grid.json", f"{scratch}/mine")
            run = topo(*asked, "mine", cwd=scratch, **path)
            self.assertEqual((run.returncode, run.stderr.split(";")[0]), (2, "strata-topo: --rules: no such preset: 'mine'"))
            self.assertIn("known: ethernet-cluster, fat-numa-node, infiniband-cluster, wan-grid (a file", run.stderr)
            self.assertEqual(topo(*asked, "./mine", cwd=scratch).returncode, 0)
        beside = os.path.join(os.path.dirname(PROGRAM), "..", "plugin", "strata-presets")
        if os.path.isdir(beside):
            self.assertIn(f"from {os.path.realpath(beside)}/wan-grid.json:", self.output(*asked, "wan-grid"))

    def test_bounds_need_given_bandwidths(self):
        """Half of 16 KiB crosses between the 2 nodes in each direction; a vector crosses as a whole."""
        asked = ("--topology", "synthetic:package:2 core:4", "--nodes", "2", "--plans", "--sizes", "16k", "--op",
                 "bcast,allreduce,allgather,gather,barrier")
        self.assertIn("No bound us: all bandwidths are built in", self.output(*asked))
        self.assertFalse(any("bound_us" in plan for plan in json.loads(self.output(*asked, "--format", "json"))))
        rules = os.path.join(FOLDER, "..", "..", "mca-params", "ethernet-cluster.json")
        self.assertIn("so it means nothing for short messages", self.output(*asked, "--rules", rules))
        found = json.loads(self.output(*asked, "--rules", rules, "--format", "json"))
        self.assertEqual([round(plan.get("bound_us", 0), 3) for plan in found], [14.003, 14.003, 7.002, 7.002, 0])

    def test_faster_candidates_are_explained(self):
        options = ("--topology", "synthetic:package:2 core:4", "--nodes", "2", "--plans", "--op", "bcast",
                   "--sizes", "64k")
        why = "Candidates with a shorter prediction than the choice"
        self.assertIn(why, self.output(*options, "--candidates", "50%"))
        self.assertNotIn(why, self.output(*options))

    def test_candidates_hold_the_contract(self):
        found = json.loads(self.output(*NIC, "--plans", "--op", "bcast,allreduce,barrier", "--sizes", "8,1M",
                                       "--candidates", "50%", "--format", "json"))
        self.assertEqual([(entry["collective"], entry["bytes"]) for entry in found],
                         [("bcast", 8), ("bcast", 1048576), ("allreduce", 8), ("allreduce", 1048576), ("barrier", 0)])
        for entry in found:
            self.assertEqual(entry["ranks"], 24)
            self.assertGreater(len(entry["candidates"]), 1)
            for plan in [entry["chosen"], *entry["candidates"]]:
                for key in ("engine", "levels", "predicted_us", "forward_us", "reason", "parameters"):
                    self.assertIn(key, plan)
                for level in plan["levels"]:
                    self.assertTrue({"level", "algorithm", "segment"} <= set(level))
                self.assertEqual(plan["parameters"][entry["collective"] + "_algorithm"], plan["engine"])

    def test_mistakes_of_plans_are_reported(self):
        for arguments, complaint in ((("--op", "bcast"), "--op: needs --plans"),
                                     (("--plans", "--op", "bcats"),
                                      "--op: unknown operation 'bcats'; known: all, bcast"),
                                     (("--plans", "--root", "24"), "--root: '24' is no rank from 0 to 23"),
                                     (("--plans", "--sizes", "node=8"), "--sizes: write sizes without levels"),
                                     (("--plans", "--candidates", "half"), "--candidates: 'half' is no percentage"),
                                     (("--plans", "--from-dump", "x"), "--topology: has no effect with --from-dump"),
                                     (("--plans", "--format", "svg"), "--format: --plans writes text or json"),
                                     (("--plans", "--rules", "/none"), "--rules: /none: cannot be opened")):
            run = topo(*NIC, *arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn(complaint, run.stderr)

    def test_the_ending_of_the_file_chooses_the_format(self):
        with tempfile.TemporaryDirectory() as scratch:
            for ending, start in (("svg", "<svg "), ("json", '{"ranks":24,'), ("dot", "graph "),
                                  ("txt", "24 ranks on 3 nodes, "), ("", "24 ranks on 3 nodes, ")):
                path = os.path.join(scratch, "picture" + ("." + ending if ending else ""))
                self.assertEqual(self.output(*NIC, "--output", path), "")
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith(start), path)
                self.assertEqual(self.output(*NIC, "--output", path, "--format", "dot"), "")
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith("graph "), path)
        self.assertTrue(self.output(*NIC, "--output", "-").startswith("24 ranks"))

    def test_an_ending_without_a_format_is_an_error(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "picture.pdf")
            run = topo(*NIC, "--output", path)
            self.assertEqual((run.returncode, run.stderr), (
                2, "strata-topo: --output: no format for '.pdf'; known: .svg, .dot, .json, and .txt for text\n"))
            self.assertFalse(os.path.exists(path))

    def test_nics_of_json_lie_in_their_groups(self):
        hierarchy = json.loads(self.output(*NIC, "--format", "json"))
        found = []
        for nic in hierarchy["nics"]:
            level = hierarchy["levels"][nic["level"]]
            found.append((nic["name"], nic["node"], nic["near"], level["kind"],
                          level["groups"][nic["group"]]["members"]))
        self.assertEqual(found, [("mlx5_0", "n0", "numa 1", "numa", [2, 3]),
                                 ("mlx5_1", "n0", "numa 3", "numa", [6, 7]),
                                 ("mlx5_0", "n1", "numa 1", "numa", [10, 11]),
                                 ("mlx5_1", "n1", "numa 3", "numa", [14, 15]),
                                 ("mlx5_0", "n2", "numa 1", "numa", [18, 19]),
                                 ("mlx5_1", "n2", "numa 3", "numa", [22, 23])])

    def test_svg_shows_ranks_leaders_and_nics(self):
        for options in (NIC, (*NIC, "--nic", "none"), (*NIC[:2], "--nodes", "100")):
            svg = xml.dom.minidom.parseString(self.output(*options, "--format", "svg"))
            self.assertEqual(svg.documentElement.tagName, "svg")
        texts = [node.firstChild.data for node in xml.dom.minidom.parseString(
            self.output(*NIC, "--format", "svg")).getElementsByTagName("text")]
        for rank in range(24):
            self.assertEqual(texts.count(str(rank)), 1)
        self.assertEqual((texts.count("mlx5_0"), texts.count("mlx5_1"), texts.count("mlx5_2")), (3, 3, 0))
        self.assertIn("leader of its NUMA domain", texts)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("this system has no /dev/full")
        run = topo(*NIC, "--output", "/dev/full")
        self.assertEqual((run.returncode, run.stderr),
                         (1, "strata-topo: --output: cannot write '/dev/full': No space left on device\n"))

    def test_large_jobs_take_seconds(self):
        started = time.monotonic()
        hierarchy = json.loads(self.output(
            "--topology", "synthetic:package:2 numa:2 l3:4 core:4", "--nodes", "1000", "--ppn", "64",
            "--order", "cyclic", "--nic", "ib0@numa:1", "--format", "json"))
        self.assertLess(time.monotonic() - started, 20)  # 0.5 s on an idle machine
        self.assertEqual((hierarchy["ranks"], len(hierarchy["nics"])), (64000, 1000))


unittest.main()
