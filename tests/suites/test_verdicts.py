#!/usr/bin/env python3
"""Tests that differences between verdicts are found, and distinguished from flakes of stock Open MPI. Needs no MPI."""
import os
import stat
import subprocess
import sys
import tempfile
import unittest

import jobs
import verdicts
from verdicts import DIFFERS, EXPLAINED, FLAKY, SAME, Comparison, Explanation, Row

_HERE = os.path.dirname(os.path.realpath(__file__))


def answers(*given, served=False):
    """Returns a function that runs a test with these verdicts; the last one repeats forever."""
    left = list(given)
    return lambda: (left.pop(0) if len(left) > 1 else left[0], served)


def kind(without, with_plugin, repeat=3):
    return verdicts.compare("t", answers(*without), answers(*with_plugin), repeat).kind


class Comparing(unittest.TestCase):
    def test_equal_verdicts_run_once(self):
        for verdict in ("pass", "fail (2 errors)", "hang (no end after 60 s)"):
            comparison = verdicts.compare("t", answers(verdict, "never"), answers(verdict, "never"), 3)
            self.assertEqual((comparison.kind, comparison.without, comparison.with_plugin),
                             (SAME, [verdict], [verdict]))

    def test_steady_differences(self):
        for with_plugin in ("fail (1 errors)", "hang (no end after 60 s)", "crash (signal 11)"):
            self.assertEqual(kind(["pass"], [with_plugin]), DIFFERS)
        self.assertEqual(kind(["fail (1 errors)"], ["pass"]), DIFFERS, "a new pass is a difference, too")
        self.assertEqual(kind(["fail (1 errors)"], ["fail (2 errors)"]), DIFFERS)

    def test_seldom_failure_with_the_plugin_only(self):
        self.assertEqual(kind(["pass"], ["fail", "pass"]), DIFFERS)

    def test_flake_of_stock(self):
        self.assertEqual(kind(["fail", "pass"], ["pass"]), FLAKY)
        self.assertEqual(kind(["pass", "fail", "pass"], ["fail", "pass"]), FLAKY)

    def test_seldom_flake_of_stock_gets_more_runs(self):
        stock = ["pass"] * 9 + ["fail"]
        self.assertEqual(kind(stock, ["fail", "pass"]), FLAKY)
        self.assertEqual(kind(stock[:-1] + ["pass"], ["fail", "pass"]), DIFFERS)

    def test_steady_failure_is_not_excused_by_more_runs_of_stock(self):
        comparison = verdicts.compare("t", answers("pass"), answers("fail"), 3)
        self.assertEqual((len(comparison.without), len(comparison.with_plugin)), (4, 4))


class Explaining(unittest.TestCase):
    """Only the very difference that is explained is excused."""

    def kind(self, without, with_plugin):
        explanation = Explanation(r"hang .*", r"fail \(3 errors\)", "why")
        return verdicts.compare("t", answers(*without), answers(*with_plugin), 1, explanation).kind

    def test_only_these_verdicts(self):
        hang, told = "hang (no end after 20 s)", "fail (3 errors)"
        self.assertEqual(self.kind([hang], [told]), EXPLAINED)
        self.assertEqual(self.kind([told], [hang]), DIFFERS)
        self.assertEqual(self.kind([hang], ["fail (4 errors)"]), DIFFERS)
        self.assertEqual(self.kind([hang], [told, "crash (signal 11)"]), DIFFERS)
        self.assertEqual(self.kind(["pass"], [told]), DIFFERS)
        self.assertEqual(self.kind([hang], [hang]), SAME)

    def test_only_for_this_engine(self):
        self.assertTrue(Explanation("", "", "why").holds_for("tree"))
        only = Explanation("", "", "why", engines=("levels",))
        self.assertTrue(only.holds_for("levels"))
        self.assertFalse(only.holds_for("tree"))


class Rows(unittest.TestCase):
    def row(self, *comparisons, engine="tree"):
        return Row("s", "unequal", engine, list(comparisons))

    def test_complaints(self):
        good = Comparison("a", ["pass"], ["pass"], True)
        idle = Comparison("b", ["pass"], ["pass"], False)
        bad = Comparison("c", ["pass"], ["fail"], True)
        flaky = Comparison("d", ["pass", "fail"], ["fail", "pass"], True)
        self.assertIsNone(self.row(good, idle, flaky).complaint)
        self.assertIsNone(self.row(idle, engine="auto").complaint)
        self.assertEqual(self.row(good, bad).complaint, "verdicts differ")
        self.assertIn("is it loaded", self.row(idle).complaint)
        self.assertEqual(self.row().complaint, "no test ran")

    def test_table_names_what_it_counts(self):
        lines = verdicts.table([self.row(Comparison("a", ["pass"], ["pass"], True),
                                         Comparison("b", ["fail (x)"], ["fail (x)"], False),
                                         Comparison("c", ["pass"] * 4, ["hang"] * 4, True))])
        self.assertEqual(lines[1].split(), ["s", "unequal", "tree", "3", "2", "1", "2", "0", "0", "1"])
        text = "\n".join(lines)
        self.assertIn("Differing:\n  s c: without 4x pass; with 4x hang  [unequal tree]", text)
        self.assertIn("Failing both ways:\n  s b: without fail (x); with fail (x)  [unequal tree]", text)


# An mpirun with which the BLACS tester passes, but with the plugin behaves as SPOIL requests.
_MPIRUN = """#!/bin/sh
failed=0
case $OMPI_MCA_opal_mca_base_component_path in
    *PLUGIN*)
        [ "SPOIL" = hang ] && exec sleep 60
        [ "SPOIL" = fail ] && failed=1
        [ "SPOIL" = unused ] ||
            echo "[host:1] coll:strata: bcast 4 B, MPI_COMM_WORLD, 4 ranks: tree (linear on node), predicted 1" ;;
esac
for i in $(seq 25); do echo "SUM TESTS: BEGIN."; echo "SUM TESTS: 75 TESTS; 50 PASSED, 25 SKIPPED, $failed FAILED."; done
echo "If processes survive the call, your BLACS_ABORT is incorrect."
exit 1
"""


class Command(unittest.TestCase):
    """run, with an mpirun made up for it: it must fail when it should."""

    def run_spoiled(self, spoil):
        with tempfile.TemporaryDirectory() as folder:
            plugin = os.path.join(folder, "PLUGIN")
            os.makedirs(plugin)
            for path in ("mca_coll_strata.so",):
                open(os.path.join(plugin, path), "w", encoding="utf-8").close()
            mpirun = os.path.join(folder, "mpirun.openmpi")
            with open(mpirun, "w", encoding="utf-8") as file:
                file.write(_MPIRUN.replace("SPOIL", spoil))
            os.chmod(mpirun, stat.S_IRWXU)
            return subprocess.run(
                [sys.executable, "-B", "-c", _WITH_ONE_SUITE, os.path.join(_HERE, "run"), "--suite", "blacs",
                 "--layout", "one-node", "--work", os.path.join(folder, "work"), "--plugin", plugin,
                 "--no-install", "--limit", "2", "--repeat", "1"],
                env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_same_verdicts(self):
        done = self.run_spoiled("nothing")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_failure_with_the_plugin(self):
        done = self.run_spoiled("fail")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("blacs made-up: without 2x pass; with 2x fail (1250 passed, 25 failed)", done.stdout)

    def test_hang_with_the_plugin(self):
        done = self.run_spoiled("hang")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("hang (no end after 2 s)", done.stdout)

    def test_plugin_not_used(self):
        done = self.run_spoiled("unused")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("one-node, tree: the plugin's tree was used in no test", done.stdout)


# Runs the command with one made-up test instead of those of an installed package.
_WITH_ONE_SUITE = """
import runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, __import__("os").path.dirname(sys.argv[0]))
from catalogue import blacs
from catalogue.test import Test
blacs.prepare = lambda workshop: ([Test("blacs", "made-up", 4, ("program",), blacs.judge)], [])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Layouts(unittest.TestCase):
    def test_places_are_dealt_out_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "two.conf"), "w", encoding="utf-8") as file:
                file.write("coll_strata_topology = synthetic:core:2\ncoll_strata_placement = 0@n0;0@n1\n")
            self.assertEqual(jobs.layout_parameters(folder, "two", 5),
                             {"coll_strata_topology": "synthetic:core:2",
                              "coll_strata_placement": "0@n0;0@n1;0@n0;0@n1;0@n0"})

    def test_both_ways_use_the_same_messages_and_only_one_the_plugin(self):
        runner = jobs.Runner("/nowhere", "/nowhere")
        stock = runner.parameters(jobs.ONE_NODE, None, 4)
        forced = runner.parameters(jobs.ONE_NODE, "tree", 4)
        self.assertEqual(stock, {name: forced[name] for name in stock})
        self.assertFalse([name for name in stock if "strata" in name])
        self.assertEqual(forced["coll_strata_allreduce_algorithm"], "tree")

    def test_only_collectives_that_have_the_engine_are_forced_to_it(self):
        runner = jobs.Runner("/nowhere", "/nowhere")
        forced = runner.parameters(jobs.ONE_NODE, "ring", 4)
        self.assertEqual(forced["coll_strata_allgather_algorithm"], "ring")
        self.assertNotIn("coll_strata_bcast_algorithm", forced)


if __name__ == "__main__":
    unittest.main()
