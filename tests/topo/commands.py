#!/usr/bin/env python3
"""What golden files cannot say about strata-topo: files, defaults of this machine, agreement between formats."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(sys.argv.pop(1))
CARD = ("--topology", os.path.join(FOLDER, "machines", "two-cards.xml"), "--nodes", "3")


def topo(*arguments, **variables):
    return subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, env=os.environ | variables)


class Commands(unittest.TestCase):
    def output(self, *arguments, **variables):
        run = topo(*arguments, **variables)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_help_names_every_option(self):
        text = self.output("--help")
        for option in ("topology", "nodes", "hosts", "ppn", "placement", "order", "network", "nic", "hierarchy",
                       "format", "output", "version"):
            self.assertIn("--" + option, text)
        self.assertIn("Examples:", text)

    def test_version(self):
        self.assertRegex(self.output("--version"), r"^strata-topo \d+\.\d+\.\d+\n$")

    def test_this_machine_is_the_default(self):
        # hwloc's plugin for PCI keeps memory and is unloaded: a leak checker could not be told its name.
        hierarchy = json.loads(self.output("--format", "json", ASAN_OPTIONS="detect_leaks=0"))
        self.assertGreater(hierarchy["ranks"], 0)
        self.assertEqual(hierarchy["levels"][0]["groups"][0]["members"], list(range(hierarchy["ranks"])))

    def test_the_ending_of_the_file_chooses_the_format(self):
        with tempfile.TemporaryDirectory() as scratch:
            for ending, start in (("svg", "<svg "), ("json", '{"ranks":24,'), ("dot", "graph "),
                                  ("txt", "24 ranks on 3 nodes, "), ("", "24 ranks on 3 nodes, ")):
                path = os.path.join(scratch, "picture" + ("." + ending if ending else ""))
                self.assertEqual(self.output(*CARD, "--output", path), "")
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith(start), path)
                self.assertEqual(self.output(*CARD, "--output", path, "--format", "dot"), "")
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith("graph "), path)
        self.assertTrue(self.output(*CARD, "--output", "-").startswith("24 ranks"))

    def test_cards_of_json_lie_in_their_groups(self):
        hierarchy = json.loads(self.output(*CARD, "--format", "json"))
        found = []
        for card in hierarchy["cards"]:
            level = hierarchy["levels"][card["level"]]
            found.append((card["name"], card["node"], card["near"], level["kind"],
                          level["groups"][card["group"]]["members"]))
        self.assertEqual(found, [("mlx5_0", "n0", "numa 1", "numa", [2, 3]),
                                 ("mlx5_1", "n0", "numa 3", "numa", [6, 7]),
                                 ("mlx5_0", "n1", "numa 1", "numa", [10, 11]),
                                 ("mlx5_1", "n1", "numa 3", "numa", [14, 15]),
                                 ("mlx5_0", "n2", "numa 1", "numa", [18, 19]),
                                 ("mlx5_1", "n2", "numa 3", "numa", [22, 23])])

    def test_svg_shows_ranks_leaders_and_cards(self):
        for options in (CARD, (*CARD, "--nic", "none"), (*CARD[:2], "--nodes", "100")):
            svg = xml.dom.minidom.parseString(self.output(*options, "--format", "svg"))
            self.assertEqual(svg.documentElement.tagName, "svg")
        texts = [node.firstChild.data for node in xml.dom.minidom.parseString(
            self.output(*CARD, "--format", "svg")).getElementsByTagName("text")]
        for rank in range(24):
            self.assertEqual(texts.count(str(rank)), 1)
        self.assertEqual((texts.count("mlx5_0"), texts.count("mlx5_1"), texts.count("mlx5_2")), (3, 3, 0))
        self.assertIn("leader of its NUMA domain", texts)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("this system has no /dev/full")
        run = topo(*CARD, "--output", "/dev/full")
        self.assertEqual((run.returncode, run.stderr),
                         (1, "strata-topo: --output: cannot write '/dev/full': No space left on device\n"))

    def test_large_jobs_take_seconds(self):
        started = time.monotonic()
        hierarchy = json.loads(self.output(
            "--topology", "synthetic:package:2 numa:2 l3:4 core:4", "--nodes", "1000", "--ppn", "64",
            "--order", "cyclic", "--nic", "ib0@numa:1", "--format", "json"))
        self.assertLess(time.monotonic() - started, 20)  # 0.5 s on an idle machine
        self.assertEqual((hierarchy["ranks"], len(hierarchy["cards"])), (64000, 1000))


unittest.main()
