#!/usr/bin/env python3
"""Tests of the program collective_latency with stock Open MPI on this machine, one operation at a time:

    test_collective_latency.py MPIRUN PROGRAM SPOILED OPERATION|help

SPOILED is the same program with collective operations that go wrong (spoil.cc)."""

import json
import os
import re
import subprocess
import sys
import unittest

from fakes import Folder

from measuring import operations
from measuring.competitors import STOCK, clean_environment

MPIRUN = PROGRAM = SPOILED = OPERATION = ""
RANKS = 4
SIZES = (1, 8, 1000, 64 << 10)
NODES = {"equal": ("0,0,1,1", "0,1,1,0"), "unequal": ("0,1,1,1",)}  # of four ranks


class Runs(Folder):
    def run_program(self, *options, program=None, spoil="flip"):
        """(exit status, output)"""
        environment = {**clean_environment(), "STRATA_SPOIL": spoil, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        call = [MPIRUN, "--oversubscribe", "-n", str(RANKS), *STOCK, "--mca", "mpi_yield_when_idle", "1",
                program or PROGRAM, *options]
        done = subprocess.run(call, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout


class Program(Runs):
    def records(self, *options):
        path = os.path.join(self.folder, "times.json")
        status, output = self.run_program("--op", OPERATION, "--reps", "3", "--warm-up", "2", "--json", path,
                                          *options)
        self.assertEqual(status, 0, output)
        self.assertNotIn("WRONG", output)
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_right_results(self):
        operation = operations.ALL[OPERATION]
        records = self.records("--root", "rotate", "--sizes", ",".join(map(str, SIZES)))
        self.assertEqual([record["size"] for record in records], list(operations.sizes_of(OPERATION, SIZES)))
        for record in records:
            self.assertEqual((record["operation"], record["ranks"], record["reps"], len(record["times"])),
                             (OPERATION, RANKS, 3, 3))
            self.assertEqual((record["wrong_bytes"], record["left_early"]), (0, 0))
            self.assertEqual(record["root"], "rotate" if operation.rooted else None)
            self.assertGreater(min(record["times"]), 0)
            size = record["size"]
            rounded = -(-size // 8) * 8 if "reduce" in OPERATION else size
            blocks = operation.block_bytes(size, RANKS) if operation.blocks else (rounded,)
            self.assertEqual(record["bytes"], sum(blocks))

    def test_a_root_that_is_not_there(self):
        status, output = self.run_program("--op", OPERATION, "--root", str(RANKS), "--reps", "1")
        if operations.ALL[OPERATION].rooted:
            self.assertNotEqual(status, 0)
            self.assertIn(f"--root {RANKS}: there are only {RANKS} ranks", output)
        else:
            self.assertEqual(status, 0, output)

    def test_orders(self):
        for order, ranks in (("block", 4), ("cyclic", 4), ("shuffle", 4), ("unequal", 3)):
            record = self.records("--order", order, "--nodes", "0,1,0,1", "--sizes", "64K", "--root", "1")[-1]
            self.assertEqual((record["order"], record["ranks"]), (order, ranks))

    def wrong(self, spoil, *options):
        """The numbers that a spoiled run complains about, by size."""
        status, output = self.run_program("--op", OPERATION, "--sizes", "64K", "--reps", "3", *options,
                                          program=SPOILED, spoil=spoil)
        self.assertEqual(status, 1, output)
        return [int(number) for number in re.findall(r"WRONG: (?:left )?(\d+)", output)]

    def test_one_wrong_bit_is_seen(self):
        wrong, = self.wrong("flip")
        if OPERATION == "barrier":  # of 5 repetitions and as many with a latecomer
            self.assertGreaterEqual(wrong, 5)
        else:
            self.assertEqual(wrong, 1)

    def test_what_never_arrives_is_seen(self):
        wrong, = self.wrong("drop")
        if OPERATION == "barrier":  # the highest rank is itself late in one of five
            self.assertGreaterEqual(wrong, 4)
        else:
            self.assertGreaterEqual(wrong, 8000)


    def mockups(self):
        return [name for name, its in operations.MOCKED.items() if OPERATION in its]

    def test_mockups_are_right(self):
        for mockup in self.mockups():
            for nodes in NODES["equal"] + (() if mockup == "lane" else NODES["unequal"]):
                records = self.records("--with", mockup, "--nodes", nodes, "--root", "rotate", "--sizes",
                                       ",".join(map(str, SIZES)))
                self.assertEqual({record["with"] for record in records}, {mockup})

    def test_wrong_parts_of_a_mockup_are_seen(self):
        for mockup in self.mockups():
            if (mockup, OPERATION) == ("composed", "barrier"):
                continue  # an Allreduce with a wrong result keeps all waiting as well
            wrong, = self.wrong("every", "--with", mockup, "--nodes", "0,1,1,0")
            self.assertGreaterEqual(wrong, 1, mockup)

    def test_what_a_mockup_cannot_do_is_refused(self):
        for mockup in operations.MOCKED.keys() - set(self.mockups()):
            status, output = self.run_program("--op", OPERATION, "--with", mockup)
            self.assertNotEqual(status, 0)
            self.assertIn(f"--with {mockup}: it has no {OPERATION}", output)
        if "lane" in self.mockups():
            status, output = self.run_program("--op", OPERATION, "--with", "lane", "--nodes", "0,1,1,1")
            self.assertNotEqual(status, 0)
            self.assertIn("lanes need equally many ranks on every node", output)


class Help(Runs):
    _SHIFT = ("unshare", "--time", "--monotonic", "1000", "--fork")  # seconds

    def test_clocks_that_differ(self):
        """As on several machines: every second rank's clock is far ahead."""
        if subprocess.run([*self._SHIFT, "true"], capture_output=True, check=False).returncode:
            self.skipTest("no time namespaces here")
        shifted = os.path.join(self.folder, "shifted")
        with open(shifted, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nif [ $((OMPI_COMM_WORLD_RANK % 2)) = 1 ]; then\n'
                       f'    exec {" ".join(self._SHIFT)} {PROGRAM} "$@"\nfi\nexec {PROGRAM} "$@"\n')
        os.chmod(shifted, 0o755)
        path = os.path.join(self.folder, "times.json")
        for operation in ("bcast", "barrier"):
            status, output = self.run_program("--op", operation, "--sizes", "8", "--json", path, program=shifted)
            self.assertEqual(status, 0, output)
            with open(path, encoding="utf-8") as file:
                times = json.loads(file.read())["times"]
            self.assertGreater(min(times), 0)
            self.assertLess(max(times), 100e6)  # 100 s: a clock taken as it is would show 1000

    def test_operations_are_listed(self):
        status, output = self.run_program("--help")
        self.assertEqual(status, 0, output)
        self.assertIn("{" + ",".join(operations.ALL) + "}", output)

    def test_unknown_operation(self):
        status, output = self.run_program("--op", "alltoall")
        self.assertNotEqual(status, 0)
        self.assertIn("alltoall", output)


if __name__ == "__main__":
    MPIRUN, PROGRAM, SPOILED, OPERATION = sys.argv[1:5]
    unittest.main(argv=[sys.argv[0], "Help" if OPERATION == "help" else "Program"])
