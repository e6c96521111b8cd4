#!/usr/bin/env python3
"""Tests that the suites' lists are read correctly, and that their judges accept good output and reject every kind of
bad one. Needs no MPI and none of the suites."""
import os
import tempfile
import unittest

from catalogue import blacs, boost_mpi, hpcc, mpi4py, mpich, pblas, scalapack
from jobs import Ended

_CRASH = "mpirun noticed that process rank 2 with PID 0 on node n exited on signal 11 (Segmentation fault)."


def verdict(module, output, status=0):
    return module.judge(Ended(status, output, "/nowhere"))


class Lists(unittest.TestCase):
    def test_mpich(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("allred", "ibarrier"):
                open(os.path.join(folder, name), "w", encoding="utf-8").close()
            tests, absent = mpich.read_list("# a comment\n\nallred 4 arg=-count=10\np_bcast 4 strict=false\n"
                                            "ibarrier 2 timeLimit=300\n", "coll", folder)
        self.assertEqual([(test.name, test.ranks, test.limit) for test in tests],
                         [("coll/allred 4 -count=10", 4, 60), ("coll/ibarrier 2", 2, 300)])
        self.assertEqual(tests[0].command[1:], ("-count=10",))
        self.assertEqual(absent, ["coll/p_bcast"])

    def test_boost(self):
        found = boost_mpi.read_list("""test-suite mpi
          [ mpi-test a_test : : : 1 2 11  ]
          # [ mpi-test left_out : : : 1 ]
          [ mpi-test b-b2nb : b.cpp : : 2 ]
          [ mpi-test c_test  ]""")
        self.assertEqual(found, {"a_test": ("a_test.cpp", (1, 2, 11)), "b-b2nb": ("b.cpp", (2,)),
                                 "c_test": ("c_test.cpp", (1, 2, 3, 4, 7, 8, 13, 17))})


class Judges(unittest.TestCase):
    def test_crashes(self):
        for module, text in ((mpich, "No Errors\n"), (mpi4py, "OK\n"), (pblas, "End of Tests\n"),
                             (scalapack, "3 tests completed and passed residual checks.\n")):
            self.assertEqual(verdict(module, text + _CRASH, 139), "crash (signal 11)")
            self.assertEqual(verdict(module, text, 1), "fail (exit status)")

    def test_mpich(self):
        self.assertEqual(verdict(mpich, " No Errors\n"), "pass")
        self.assertEqual(verdict(mpich, " Found 7 errors\n"), "fail (7 errors)")
        self.assertEqual(verdict(mpich, ""), "fail (says nothing)")

    def test_mpi4py(self):
        self.assertEqual(verdict(mpi4py, "Ran 3 tests in 1 s\n\nOK (skipped=1)\n"), "pass")
        self.assertEqual(verdict(mpi4py, "FAIL: testB (m.C)\nERROR: testA (m.C)\nFAIL: testB (m.C)\nOK\n", 1),
                         "fail (testA (m.C), testB (m.C))")
        self.assertEqual(verdict(mpi4py, ""), "fail (says nothing)")

    def test_blacs(self):
        begin = "REAL SUM TESTS: BEGIN.\n"
        line = begin + "REAL SUM TESTS: 75 TESTS;   50 PASSED,   25 SKIPPED,    0 FAILED.\n"
        end = "AUXILIARY TESTS: BEGIN.\nIf processes survive the call, your BLACS_ABORT is incorrect.\n"
        self.assertEqual(verdict(blacs, 25 * line + end, 255), "pass")
        self.assertEqual(verdict(blacs, 24 * line + line.replace(" 0 F", " 1 F") + end, 255),
                         "fail (1250 passed, 1 failed)")
        self.assertEqual(verdict(blacs, 24 * line + begin + end, 255),
                         "fail (1 parts without an end, 1200 passed, 0 failed)")
        self.assertEqual(verdict(blacs, end, 255), "fail (0 passed, 0 failed)")
        self.assertEqual(verdict(blacs, 25 * line), "fail (stopped after 1250 passed, 0 failed)")

    def test_pblas(self):
        rows = "  |  PDSWAP           16        16        0       0\n" * 2
        self.assertEqual(verdict(pblas, rows + "  End of Tests.\n"), "pass")
        self.assertEqual(verdict(pblas, rows.replace("16        0", "15        1") + "  End of Tests.\n"),
                         "fail (30 passed, 2 failed)")
        self.assertEqual(verdict(pblas, rows), "fail (no end of tests)")
        self.assertEqual(verdict(pblas, "  End of Tests.\n"), "fail (0 passed, 0 failed)")

    def test_scalapack(self):
        self.assertEqual(verdict(scalapack, "  107 tests completed and passed residual checks.\n"
                                            "    1 tests completed and failed.\n"),
                         "fail (107 passed, 1 failed)")
        self.assertEqual(verdict(scalapack, "  240 tests completed and passed residual checks.\n"), "pass")
        self.assertEqual(verdict(scalapack, ""), "fail (0 passed, 0 failed)")

    def test_hpcc(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = Ended(0, "", folder)
            self.assertEqual(hpcc.judge(ended), "fail (no output file)")
            for text, expected in (("a ...... PASSED\nb ... PASSED\nSuccess=1\n", "pass"),
                                   ("a ...... PASSED\nb ... FAILED\n", "fail (1 passed, 1 failed)"),
                                   ("a ...... PASSED\nSuccess=0\n", "fail (1 passed, 1 failed)")):
                with open(os.path.join(folder, "hpccoutf.txt"), "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(hpcc.judge(ended), expected)


if __name__ == "__main__":
    unittest.main()
