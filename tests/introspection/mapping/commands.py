#!/usr/bin/env python3
"""What golden files cannot say about strata-reorder and strata-traffic: files, dumps, pictures and large matrices."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

FOLDER = os.path.dirname(os.path.abspath(__file__))
REORDER, TRAFFIC, TOPO = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
GROUPS = os.path.join(FOLDER, "matrices", "groups.txt")
MACHINE = ("--topology", "synthetic:package:2 core:2", "--nodes", "4")


def command(*arguments):
    return subprocess.run(arguments, text=True, capture_output=True, timeout=60)


def pattern(path, *arguments):
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, os.path.join(FOLDER, "patterns.py"), *arguments], stdout=file, check=True)
    return path


class Commands(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def output(self, *arguments, errors=""):
        run = command(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        if errors is not None:
            self.assertEqual(run.stderr, errors)
        return run.stdout

    def order(self, *arguments):
        text = self.output(REORDER, *arguments, errors=None)
        return [int(line) for line in text.splitlines() if not line.startswith("#")]

    def test_help_names_every_option(self):
        shared = ("input", "topology", "nodes", "hosts", "ppn", "placement", "order", "network", "nic", "hierarchy",
                  "from-dump", "costs", "message-bytes", "format", "output", "version")
        for program, own in ((REORDER, ("engine", "margin", "verbose")), (TRAFFIC, ("permutation", "run"))):
            text = self.output(program, "--help")
            for option in shared + own:
                self.assertIn("--" + option, text)
            self.assertIn("Examples:", text)
            self.assertIn("Exit status:", text)

    def test_version_tells_what_reorders(self):
        self.assertRegex(self.output(REORDER, "--version"),
                         r"^strata-reorder \d+\.\d+\.\d+, (Scotch \d+\.\d+\.\d+|greedy \(built without Scotch\))\n$")
        self.assertRegex(self.output(TRAFFIC, "--version"), r"^strata-traffic \d+\.\d+\.\d+\n$")

    def test_the_order_is_one_number_per_line(self):
        text = self.output(REORDER, GROUPS, "--topology", "synthetic:core:4", "--nodes", "4", errors=None)
        self.assertEqual(text.splitlines()[0],
                         "# strata-reorder: process i of the old communicator gets rank k[i] in the new one")
        self.assertEqual([int(line) for line in text.splitlines()[1:]],
                         [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15])

    def test_a_dump_stands_for_its_machine(self):
        dump = self.path("job.json")
        self.output(TOPO, *MACHINE, "--output", dump)
        self.assertEqual(self.order(GROUPS, "--from-dump", dump), self.order(GROUPS, *MACHINE))
        self.assertEqual(self.output(TRAFFIC, GROUPS, "--from-dump", dump), self.output(TRAFFIC, GROUPS, *MACHINE))

    def test_traffic_shows_what_reorder_found(self):
        order = self.path("order.txt")
        found = json.loads(self.output(REORDER, GROUPS, *MACHINE, "--format", "json", errors=None))
        self.output(REORDER, GROUPS, *MACHINE, "--output", order, errors=None)
        shown = json.loads(self.output(TRAFFIC, GROUPS, *MACHINE, "--permutation", order, "--format", "json"))
        self.assertTrue(found["applied"])
        self.assertEqual(found["levels"], shown["levels"])
        self.assertEqual(found["seconds"], shown["seconds"])
        self.assertEqual(sorted(found["permutation"]), list(range(16)))

    def test_pictures_are_svg_and_need_nothing_else(self):
        order = self.path("order.txt")
        for ranks, nodes in ((4, 2), (16, 4), (96, 4), (1024, 32)):
            matrix = pattern(self.path("traffic.txt"), "stencil9", "--ranks", str(ranks), "--shuffle", "1")
            machine = ("--topology", f"synthetic:package:2 core:{ranks // nodes // 2}", "--nodes", str(nodes))
            self.output(REORDER, matrix, *machine, "--output", order, errors=None)
            picture = self.output(TRAFFIC, matrix, *machine, "--permutation", order, "--format", "svg")
            document = xml.dom.minidom.parseString(picture)
            self.assertEqual(document.documentElement.tagName, "svg")
            self.assertNotRegex(picture.replace("http://www.w3.org/2000/svg", ""), r"href|url\(|http")
            self.assertLess(len(picture), 400000)
            words = [text.firstChild.data for text in document.getElementsByTagName("text")]
            self.assertIn("Before", words)
            self.assertIn("After", words)
            self.assertIn("n0", words)

    def test_the_matrix_converts_there_and_back(self):
        monitored = os.path.join(FOLDER, "matrices", "ring")
        machine = ("--topology", "synthetic:core:4")
        sparse = self.path("ring.txt")
        self.output(TRAFFIC, monitored, *machine, "--format", "sparse", "--output", sparse)
        self.assertEqual(self.output(TRAFFIC, sparse, *machine), self.output(TRAFFIC, monitored, *machine))

    def test_output_that_cannot_be_written_fails(self):
        run = command(REORDER, GROUPS, *MACHINE, "--output", "/dev/full")
        self.assertEqual(run.returncode, 1)
        self.assertIn("--output: cannot write '/dev/full'", run.stderr)

    def test_matrices_without_end_are_refused(self):
        run = command(REORDER, "/dev/zero", *MACHINE)
        self.assertEqual((run.returncode, run.stdout), (2, ""))

    def test_variables_of_runs_reach_other_nodes(self):
        # 4.1 passes them all; from 5.0 on those of a list.
        names = ["OMPI_MCA_pml_monitoring_" + name for name in ("enable", "enable_output", "filename")]
        mpirun, printed = self.path("mpirun"), self.path("environment")
        names.append("OMPI_MCA_coll_strata_dump")
        for version, listed in (("mpirun (Open MPI) 5.0.7", names), ("prterun (PRRTE) 3.0", names),
                                ("mpirun (Open MPI) 4.1.4", []), ("mpirun.openmpi (OpenRTE) 4.1.4", [])):
            with open(mpirun, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; else env >{printed}; fi\n')
            os.chmod(mpirun, 0o755)
            run = subprocess.run([TRAFFIC, "--run", *MACHINE, "--", mpirun], cwd=self.scratch.name, text=True,
                                 capture_output=True, timeout=60, env=os.environ | {"OMPI_MCA_mca_base_env_list": "GIVEN"})
            self.assertIn("left no traffic", run.stderr)
            with open(printed, encoding="utf-8") as file:
                found = re.findall("^OMPI_MCA_mca_base_env_list=(.*)$", file.read(), re.M)[0].split(";")
            self.assertEqual(found, ["GIVEN", *listed])

    def test_many_ranks_are_mapped(self):
        matrix = pattern(self.path("traffic.txt"), "cg", "--ranks", "8192", "--shuffle", "1")
        run = command(REORDER, matrix, "--topology", "synthetic:package:2 core:16", "--nodes", "256", "--verbose",
                      "--output", self.path("order.txt"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"mapped in [\d.]+ s")
        before, after = (float(amount) for amount in
                         re.findall(r"(?:before|after) +([\d.]+) MiB", run.stderr.split("node (")[0]))
        self.assertLess(after, 0.4 * before)


unittest.main()
