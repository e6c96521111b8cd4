#!/usr/bin/env python3
"""Tests of conjugate gradient in bench/introspection: no cluster, no MPI."""

import contextlib
import csv
import os
import re
import shutil
import types
import unittest

from fakes import Folder, Silent

from strata_bench.introspection import command_line, conjugate_gradient, conjugate_gradient_report
from strata_bench.measuring.cluster import Run
from strata_bench.measuring.table import Paint

_PLAIN = Paint(False)
_ZETA = "8.5971775078648083"


def report(execution=2.0, communication=1.5, reordering=0.0, moved=0, zeta=_ZETA, verified="yes"):
    """Returns the program's output."""
    return (f"class S, 16 ranks: execution {execution:.6f} communication {communication:.6f} "
            f"mean {communication / 2:.6f} rank 0 {communication / 4:.6f} reordering {reordering:.6f} "
            f"data {reordering / 2:.6f}, {moved} of 16 ranks moved, residual 1.944e-15 zeta {zeta}, "
            f"verified {verified}\n")


def good(*values, **more):
    return Run(0, 0.1, report(*values, **more), "")


class Parsing(unittest.TestCase):
    def test_right_output(self):
        found = conjugate_gradient.parse(report(2, 1.5, 0.25, 12))
        self.assertEqual((found.execution, found.communication, found.mean, found.rank_0), (2, 1.5, 0.75, 0.375))
        self.assertEqual((found.reordering, found.data, found.moved, found.zeta), (0.25, 0.125, 12, float(_ZETA)))
        self.assertEqual(found.total(), 2.375)

    def test_what_is_not_verified_once_is_no_time(self):
        for output in ("", report(verified="no"), report() + report()):
            with self.assertRaises(ValueError):
                conjugate_gradient.parse(output)

    def test_gain(self):
        pair = conjugate_gradient.Pair(*map(conjugate_gradient.parse, (report(2, 1.5), report(0.7, 0.5, 0.2, 12))))
        self.assertAlmostEqual(pair.gain(lambda run: run.total()), 50)
        self.assertAlmostEqual(pair.faster(lambda run: run.communication), 3)

    def test_a_bad_run_fails_the_pair(self):
        for bad, why in ((Run(1, 0.1, report(), "it was made so"), "it was made so"),
                         (good(verified="no"), "no verified result"),
                         (good(zeta="8.5971775078648101", moved=3), "with reordering")):
            series = conjugate_gradient.Series()
            series.add(good(), bad)
            self.assertRegex(series.failures[0], rf"(?s)^round 1: .*{why}")
            self.assertEqual(series.pairs, [])

    def test_all_failures_are_kept(self):
        series = conjugate_gradient.Series()
        for run in (good(verified="no"), good(), Run(3, 0.1, "", "it was made so")):
            series.add(good(), run)
        self.assertEqual((len(series.pairs), series.rounds()), (1, 3))
        self.assertEqual([failure.split("\n")[0] for failure in series.failures],
                         ["round 1: no verified result", "round 3: exit status 3"])


class Cluster:
    """Reordering halves the execution and makes communication three times as fast, where it moves ranks: not
    in block order."""

    def __init__(self, outcome):
        self.runs = []
        self._outcome = outcome  # (class, order, round) -> exit status

    def write_topology(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("SwitchName=s0 Nodes=n[0-3]\n")

    def run(self, places, competitor, command, log, timeout):
        self.runs.append((places, competitor, command, log, timeout))
        letter, order = command[command.index("--class") + 1], places[places.index("--order") + 1]
        status = self._outcome(letter, order, int(re.search(r"-(\d+)(-reordered)?$", log)[1]))
        if "--reorder" not in command:
            return Run(status, 0.1, report(), "it was made so")
        moved = order != "block"
        return Run(status, 0.1, report(0.7 if moved else 2, 0.5 if moved else 1.5, 0.2, 12 * moved), "it was made so")


class Figure(Folder):
    def _findings(self, *arguments, outcome=lambda letter, order, turn: 0):
        self.cluster = Cluster(outcome)
        options = command_line._parser().parse_args(["--classes", "S,W", "--rounds", "2", *arguments])
        setting = types.SimpleNamespace(options=options, built=types.SimpleNamespace(tool=lambda name: name),
                                        folder=self.folder, progress=Silent(),
                                        cluster=lambda *_: contextlib.nullcontext(self.cluster))
        return conjugate_gradient.measure(["cg"], setting)

    def test_text(self):
        findings = self._findings()
        self.assertEqual(findings.failures(), [])
        text = "\n".join(findings.text(_PLAIN))
        self.assertRegex(text, r"S +cyclic +bound +2 +12 +0\.300 +2\.00 +1\.00 +50\.0 %  50\.0 to 50\.0 +"
                               r"1\.50 +0\.500 +66\.7 %  66\.7 to 66\.7")
        self.assertRegex(text, r"W +block +unbound +2 +0 +0\.300 +2\.00 +2\.30 +-15\.0 %")
        self.assertIn("execution 2.00 to 2.00 times as fast", text)
        self.assertIn("faster in 16 of 16 cases; at most 2.00 times", text)
        self.assertIn("Communication at most 3.00 times", text)

    def test_runs(self):
        self._findings()
        # Networks, bindings, classes, orders, without and with; rounds.
        self.assertEqual(len(self.cluster.runs), 2 * 2 * 2 * 3 * 2 * 2)
        self.assertEqual(len({log for *_, log, _ in self.cluster.runs}), len(self.cluster.runs))
        first, second = (["--reorder" in command for _, _, command, _, _ in self.cluster.runs[start:start + 24]]
                         for start in (0, 24))
        self.assertEqual((first, second), ([False, True] * 12, [True, False] * 12))
        for places, competitor, command, log, _ in self.cluster.runs:
            joined = " ".join(competitor.options)
            self.assertIn(f"--bind-to {'none' if '-unbound-' in log else 'core:overload-allowed'}", joined)
            self.assertIn("--mca coll ^strata", joined)
            self.assertIn("--mca pml ob1,monitoring --mca pml_monitoring_enable 1", joined)
            self.assertRegex(dict(competitor.environment)["STRATA_NETWORK"], r"^file:/.*/topology-(sites|nics)\.conf$")
            self.assertIn(f"-{places[1]}-", log)

    def test_default_classes(self):
        self.assertEqual(command_line._parser().parse_args([]).classes, ("S", "W"))

    def test_fewer_runs(self):
        self._findings("--bindings", "unbound", "--narrow", "nics", "--rounds", "1", "--classes", "A")
        self.assertEqual(len(self.cluster.runs), 6)

    def test_a_failed_case_fails_alone(self):
        findings = self._findings("--narrow", "sites",
                                  outcome=lambda letter, order, turn: int((letter, order) == ("W", "shuffle")))
        self.assertEqual(len(findings.failures()), 4)  # bindings and rounds
        self.assertIn("sites, class W, shuffle order, unbound, round 1: exit status 1", findings.failures()[0])
        text = "\n".join(findings.text(_PLAIN))
        self.assertRegex(text, r"W +shuffle +bound +failed")
        self.assertIn("faster in 6 of 6 cases", text)

    def test_a_case_with_a_failed_round_is_marked(self):
        findings = self._findings("--narrow", "sites", "--rounds", "3",
                                  outcome=lambda letter, order, turn: int((order, turn) == ("cyclic", 1)))
        self.assertIn("sites, class S, cyclic order, unbound, round 2: exit status 1", findings.failures()[0])
        text = "\n".join(findings.text(_PLAIN))
        self.assertRegex(text, r"S +cyclic +bound +2 of 3 +12 ")
        self.assertRegex(text, r"S +shuffle +bound +3 +12 ")
        self.assertEqual("\n".join(findings.text(Paint(True))).count("\033[31m2 of 3"), 4)  # classes and bindings
        found = next(one for one in findings.to_json() if one["order"] == "cyclic")
        self.assertEqual((len(found["pairs"]), len(found["failures"])), (2, 1))

    def test_nothing_moved_is_no_gain(self):
        findings = self._findings(outcome=lambda letter, order, turn: int(order != "block"))
        self.assertNotIn("after reordering", "\n".join(findings.text(_PLAIN)))

    def test_json_and_csv(self):
        findings = self._findings("--narrow", "sites")
        found = next(one for one in findings.to_json()
                     if (one["letter"], one["order"], one["binding"]) == ("S", "cyclic", "bound"))
        self.assertEqual([pair["reordered"]["moved"] for pair in found["pairs"]], [12, 12])
        with open(conjugate_gradient_report.write_csv(findings._measurement, self.folder), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 12 * 2 * 2)
        one = next(row for row in rows if (row["order"], row["ranks"], row["pair"]) == ("cyclic", "reordered", "1"))
        self.assertEqual((one["network"], one["execution_s"], one["communication_rank_0_s"], one["moved"]),
                         ("sites", "0.7", "0.125", "12"))

    def test_panels(self):
        panels = list(conjugate_gradient_report._panels(self._findings("--narrow", "sites")._measurement))
        self.assertEqual(len(panels), 4)
        self.assertRegex(panels[1], r"\$sitesunboundcommunicationcyclic << EOD\n0 3 3 3\n1 3 3 3\nEOD")
        self.assertIn("set title 'communication, sites, unbound'", panels[1])

    def test_nothing_to_draw(self):
        findings = self._findings(outcome=lambda letter, order, turn: 1)
        self.assertEqual(conjugate_gradient_report.draw(findings._measurement, self.folder), ([], ""))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_pictures(self):
        paths, complaint = self._findings().draw(self.folder)
        self.assertEqual((complaint, [os.path.basename(path) for path in paths]), ("", ["cg.csv", "cg.svg", "cg.png"]))

    def test_files_are_the_commands_own(self):
        for name in ("cg.csv", "cg.svg", "cg.png", "topology-sites.conf"):
            self.assertTrue(re.fullmatch(conjugate_gradient.FILES, name), name)


if __name__ == "__main__":
    unittest.main()
