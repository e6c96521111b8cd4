#!/usr/bin/env python3
"""Tests of the simulated conjugate gradient kernel in bench/simulate.

test_simulate_cg.py [STRATA_SIMULATE_CG]     with the real program"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from fakes import ROOT

from strata_bench.introspection.conjugate_gradient import Measured, parse
from strata_bench.simulate.catalogue import ALL
from strata_bench.simulate.runs import Found

REAL = ""


class Kernel(unittest.TestCase):
    figure = ALL["cg-64"]

    def found(self, reordering=0.25, rank_0=0.5):
        """Without: 4 s, 1 s of rank 0 in calls; with reordering 3 s and its price."""
        def row(contender):
            kept = contender == "kept"
            return {"measured": Measured(4, 2, 1.5, 1, 0, 0, 0, 9.5) if kept else
                    Measured(3, 1, 0.75, rank_0, reordering, 0.25, 60, 9.5)}
        found = Found()
        for run in self.figure.runs():
            contender, = run.contenders
            found.add(run, [{"op": run.operation, "contender": contender, "bytes": 0, **row(contender)}])
        return found

    def test_what_is_said(self):
        self.assertTrue(self.figure.reached(self.found()))
        self.assertFalse(self.figure.reached(self.found(reordering=0.75)))
        self.assertFalse(self.figure.reached(self.found(rank_0=0.55)))
        self.assertRegex(self.figure.text(self.found()), r"cyclic +60 +0\.2500 +0\.2500 +4\.0000 +3\.5000 +1\.14x "
                                                         r"+2\.0000 +1\.0000 +2\.00x +1\.0000 +0\.5000 +2\.00x")
        self.assertEqual(self.figure.table(self.found())[1][3], ("cyclic", "reordered", 3, 1, 0.5, 0.25, 0.25, 60))

    def test_runs(self):
        kept, reordered = self.figure.runs()[:2]
        command = reordered.command({"strata_simulate_cg": "cg"}, "machine", "out")
        self.assertEqual((command[:6], command[-3:]), (["cg", "machine", "--hosts", "n[0-2]", "--ppn", "24,24,16"],
                                                       ["--reorder", "--output", "out"]))
        self.assertNotIn("--reorder", kept.command({"strata_simulate_cg": "cg"}, "machine", "out"))

    def test_output_without_a_verified_result(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            path = os.path.join(folder, "out")
            with open(path, "w", encoding="utf-8") as file:
                file.write("class S, 16 ranks: verified no\n")
            with self.assertRaisesRegex(ValueError, "no verified result"):
                self.figure.runs()[0].read(path)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_picture(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            paths, complaint = self.figure.draw(self.found(), os.path.join(folder, "cg-64"))
        self.assertEqual((complaint, [os.path.basename(path) for path in paths]), ("", ["cg-64.svg", "cg-64.png"]))


@unittest.skipUnless(any(sys.argv[1:]), "strata_simulate_cg is not built")
class RealProgram(unittest.TestCase):
    def _run(self, *options):
        machine = os.path.join(ROOT, "bench", "simgrid", "machines", "opa22.json")
        return subprocess.run([REAL, machine, "--hosts", "n[0-1]",
                               *(() if "--ppn" in options else ("--ppn", "8")), *options], check=False, text=True,
                              capture_output=True)

    def test_reordered_ranks(self):
        outputs = [self._run("--order", "cyclic", *options).stdout
                   for options in ((), ("--reorder",), ("--reorder",),
                                   ("--reorder", "--element-ns", "0", "--plan-us", "1e6"))]
        kept, reordered, again, other = map(parse, outputs)
        self.assertEqual(reordered, again)
        self.assertEqual(kept.zeta, reordered.zeta)
        self.assertGreater(reordered.moved, 0)
        self.assertLess(reordered.rank_0, 0.9 * kept.rank_0)
        self.assertLess(other.execution, 0.5 * reordered.execution)
        self.assertAlmostEqual(other.reordering - reordered.reordering, 1, delta=0.01)

    def test_what_is_refused(self):
        done = self._run("--shift", "100")
        self.assertEqual(done.returncode, 1)
        self.assertIn("verified no", done.stdout)
        for options, why in ((("--class", "X"), "--class: X not in"),
                             (("--ppn", "6"), "12 ranks; the program needs a power of two"),
                             (("--element-ns", "-1"), "--element-ns, --plan-us: expected numbers from 0 on"),
                             (("--output", os.path.join(ROOT, "none", "x")), "--output: cannot write")):
            done = self._run(*options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        given = sys.argv.pop(1)  # empty if it is not built
        REAL = os.path.abspath(given) if given else ""
    unittest.main()
