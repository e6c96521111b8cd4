#!/usr/bin/env python3
"""Tests of the table that tests/faults/run prints, on artificial test results."""

import importlib.util
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree
from importlib.machinery import SourceFileLoader

_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults", "run")
_LOADER = SourceFileLoader("faults_run", _PATH)
faults = importlib.util.module_from_spec(importlib.util.spec_from_loader("faults_run", _LOADER))
_LOADER.exec_module(faults)


def seen(name, output="", inside="", status="run"):
    text = f'<testcase name="{name}" status="{status}">{inside}<system-out>{output}</system-out></testcase>'
    return faults.Seen(tree.fromstring(text))


class Anywhere(dict):
    """Paths of a build that does not exist."""

    def __missing__(self, key):
        return f"/nowhere/{key}"

    def folder(self, plugin="plugin"):
        return f"/nowhere/{plugin}"


def script(family, name):
    """Returns a script of tests/`family` as a module."""
    tests = os.path.join(os.path.dirname(_PATH), "..")
    path = os.path.join(tests, family, f"{name}.py")
    sys.path[:0] = [os.path.join(tests, folder) for folder in ("plugin", "cluster")]
    module = importlib.util.module_from_spec(spec := importlib.util.spec_from_file_location(f"{name}_{family}", path))
    spec.loader.exec_module(module)
    return module


def disagreements(family):
    """Returns, by case, why calls are passed through, and the number of messages."""
    module = script(family, "agreement")
    with tempfile.TemporaryDirectory() as folder:
        cases = module.make_cases(Anywhere(), folder)
    if family == "plugin":
        return {name: (case.reason, sum(case.messages.values())) for name, case in cases.items() if "can_fail" not in name}
    return {name: (case[2], 1 if case[2] else 0) for name, case in cases.items() if "can_fail" not in name}


class Table(unittest.TestCase):
    def test_every_fault_is_named(self):
        self.assertEqual(faults.row("plugin.agreement.missing_first"), ("disagreement on a node: missing first", faults.TOGETHER))
        self.assertEqual(faults.row("mpi.setup_failures.once.5")[0], "each allocation of a set-up fails, on one rank: once, 5")
        self.assertEqual(faults.row("mpi.memory_failures.bcast.tree")[0],
                         "allocations of a call fail, one after the other, on one rank: bcast, tree")
        self.assertEqual(faults.row("mpi.memory_failures.each.bcast.tree")[0],
                         "each allocation of a call fails, on one rank: bcast, tree")
        self.assertTrue(faults.SLOW.match("plugin.start_failures.real.once.2"))
        self.assertFalse(faults.SLOW.match("plugin.start_failures.once"))
        self.assertIn("all serve", faults.row("cluster.agreement.same")[1])
        self.assertIn("all serve", faults.row("plugin.agreement.two_versions")[1])
        self.assertEqual(faults.row("plugin.agreement.two_versions_in_another_order")[1], faults.TOGETHER)
        self.assertIsNone(faults.family_of("mpi.bcast_roots.1"))

    def test_what_is_named_like_a_fault_has_a_row(self):
        names = ["plugin.start_failures.once", "cluster.start_failures.lowest", "mpi.memory_failures.early", "mpi.errors.tree",
                 "plugin.agreement.same_rules", "plugin.can_fail.agreement", "mpi.random.errors_of_nobody",
                 "mpi.agreements.2", "mpi.agreement_error.cm"]
        self.assertEqual(faults.forgotten(names), [])
        for name in ("plugin.restart_failures.x", "mpi.other_agreement.x"):
            self.assertEqual(faults.forgotten([*names, name]), [name])

    def test_rows_expect_what_the_tests_of_disagreement_do(self):
        for family, cases in (("plugin", disagreements("plugin")), ("cluster", disagreements("cluster"))):
            self.assertGreater(len(cases), 10)
            for name, (reason, messages) in cases.items():
                expected = faults.row(f"{family}.agreement.{name}")[1]
                self.assertEqual("all serve" in expected, reason is None, f"{family}: {name}: {expected}")
                told = 1 if "one message" in expected else 2 if "two messages" in expected else 0
                self.assertEqual(told, messages, f"{family}: {name}: {expected}")

    def test_jobs_of_a_table_have_rows_of_their_own(self):
        output = ("| where | fault | operations | victim | root | engine | served before it | expected (tuned) | seen | remark |\n"
                  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
                  "| cluster | kill inside, returned | bcast | 3 | 0 | tuned | - | - | ended after 0.5 s |  |\n"
                  "| cluster | kill inside, returned | bcast | 3 | 0 | tree | tree | ended after 0.5 s | ended after 0.6 s |  |\n"
                  "| node | stop | bcast,reduce | 7 | 7 | levels | levels | - | success after 2.0 s | slow |\n"
                  "| node | stop | bcast | 7 | 7 | ring | ring | - | ended after 2.0 s | DEVIATES: expected success |\n")
        results = {"4.1": {"cluster.interrupted.each": seen("a", output)}, "5.0": {}}
        lines = faults.table(["cluster.interrupted.each"], results)[2:]
        self.assertEqual(lines[0].split(" | ")[2:], ["3 jobs, below", "– |"])
        self.assertEqual(lines[1], "| kill inside, returned, on four nodes: bcast by tree, victim 3, root 0 | " + faults.AS_TUNED
                         + " | ended after 0.6 s, tuned ended after 0.5 s | – |")
        self.assertTrue(lines[2].endswith("| success after 2.0 s; slow | – |"), lines[2])
        self.assertTrue(lines[3].endswith("| OTHERWISE: ended after 2.0 s; DEVIATES: expected success | – |"), lines[3])
        self.assertIn("3 jobs of every collective and engine with a fault in flight", faults.summary(results)[1])

    def test_what_was_seen_is_told(self):
        self.assertEqual(seen("a").text(), "as expected")
        found = seen("mpi.setup_failures.once.5", "12 failures: 11 passed through, 1 served, 0 repeated\n")
        self.assertEqual((found.injected, found.text()), (12, "12 failures: 11 passed through, 1 served, 0 repeated"))
        found = seen("mpi.memory_failures.bcast.tree", "12 of 12 failures, of 40 allocations\n")
        self.assertEqual((found.injected, found.text()), (12, "12 failures: of 40 allocations"))
        self.assertEqual(seen("b", inside="<failure/>").text(), "OTHERWISE")
        self.assertEqual(seen("c", "so\nno namespaces\n", "<skipped/>").text(), "skipped: no namespaces")
        self.assertIn("kill inside, returned, tree, bcast: ended 0.3 s after the fault",
                      seen("cluster.interrupted.killed",
                           "kill inside, returned, tree, bcast: ended 0.3 s after the fault\npassed\n").text())

    def test_a_release_that_lacks_a_test_has_a_dash(self):
        results = {"4.1": {"plugin.agreement.window": seen("a")}, "5.0": {}}
        lines = faults.table(["plugin.agreement.window"], results)
        self.assertEqual(lines[0], "| fault | expected | seen, 4.1 | seen, 5.0 |")
        self.assertTrue(lines[2].endswith("| as expected | – |"), lines[2])

    def test_failures_are_counted(self):
        results = {"4.1": {"x": seen("x", "2000 failures: 1 left\n"), "y": seen("y", inside="<failure/>"),
                           "z": seen("z", inside="<skipped/>")}}
        self.assertEqual(faults.summary(results)[1], "Open MPI 4.1: 3 kinds of faults, 2,000 injected failures of memory, "
                                                     "0 jobs of every collective and engine with a fault in flight; 1 otherwise than expected, 1 skipped.")

    def test_failures_on_several_nodes_are_counted(self):
        failures, job = script("cluster", "failures"), script("plugin", "job")
        told = "node 3 n1\r\n8 failures: 8 passed through, 0 served, 0 repeated\r\npassed\r\n"
        line = failures.injected(job.Outcome(0, told))
        self.assertEqual(line, "8 failures: 8 passed through, 0 served, 0 repeated")
        self.assertEqual(seen("cluster.failures.first", line + "\npassed\n").injected, 8)
        with self.assertRaises(job.Failure):
            failures.injected(job.Outcome(0, "passed\n"))

    def test_what_was_skipped_is_no_success(self):
        good, bad = seen("x"), seen("y", inside="<failure/>")
        skipped, not_run = seen("z", inside="<skipped/>"), seen("w", status="notrun")
        self.assertEqual(faults.status({"4.1": {"x": good}, "5.0": {"x": good, "z": skipped}}), 0)
        self.assertEqual(faults.status({"4.1": {"x": good}, "5.0": {"z": skipped, "w": not_run}}), 2)
        self.assertEqual(faults.status({"4.1": {"z": skipped}}), 2)
        self.assertEqual(faults.status({"4.1": {}}), 2)
        self.assertEqual(faults.status({}), 2)
        self.assertEqual(faults.status({"4.1": {"z": skipped}, "5.0": {"y": bad}}), 1)


if __name__ == "__main__":
    unittest.main()
