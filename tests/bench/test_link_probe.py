#!/usr/bin/env python3
"""Tests of the program link_probe with stock Open MPI: test_link_probe.py MPIRUN PROGRAM."""

import json
import os
import statistics
import subprocess
import sys
import unittest

from fakes import Folder, mpirun_environment

from strata_bench.measuring.competitors import STOCK

MPIRUN = PROGRAM = ""
RANKS = 4


class Program(Folder):
    def probe(self, *lines, options=()):
        """Returns (exit status, output, records)."""
        listed, path = os.path.join(self.folder, "experiments"), os.path.join(self.folder, "times.json")
        with open(listed, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        call = [MPIRUN, "--oversubscribe", "-n", str(RANKS), *STOCK, "--mca", "mpi_yield_when_idle", "1", PROGRAM,
                "--experiments", listed, "--json", path, *options]
        done = subprocess.run(call, env=mpirun_environment(), text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        records = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                records = [json.loads(line) for line in file]
        return done.returncode, done.stdout, records

    def test_every_experiment_has_times(self):
        status, output, records = self.probe(
            "# nothing but a comment", "pingpong 8 20 0-1  # a pair", "", "stream 8 100 3-2",
            "stream 100000 6 0-1 0-2 0-3", "stream 4096 5 0-1 2-3 1-2 3-0", "pingpong 0 1 1-2", options=("--reps", "4"))
        self.assertEqual(status, 0, output)
        self.assertEqual([(one["kind"], one["bytes"], one["count"], one["pairs"]) for one in records], [
            ("pingpong", 8, 20, [[0, 1]]), ("stream", 8, 100, [[3, 2]]),
            ("stream", 100000, 6, [[0, 1], [0, 2], [0, 3]]),
            ("stream", 4096, 5, [[0, 1], [2, 3], [1, 2], [3, 0]]), ("pingpong", 0, 1, [[1, 2]])])
        for one in records:
            self.assertEqual((len(one["times"]), one["unit"]), (4, "us"))
            self.assertGreater(min(one["times"]), 0)

    def test_what_takes_longer_shows(self):
        status, output, records = self.probe("pingpong 8 10 0-3", "pingpong 8 10000 0-3")
        self.assertEqual(status, 0, output)
        short, long = (statistics.median(one["times"]) for one in records)
        self.assertGreater(long, 10 * short)

    def test_a_stream_of_its_own_length(self):
        status, output, records = self.probe("stream 65536 0 0-1", options=("--least-ms", "100"))
        self.assertEqual(status, 0, output)
        self.assertGreater(records[0]["count"], 4)
        self.assertEqual(records[0]["count"] & (records[0]["count"] - 1), 0)

    def test_no_longer_than_asked_for(self):
        status, output, records = self.probe("pingpong 8 100 0-1", options=("--reps", "100000", "--seconds", "0.2"))
        self.assertEqual(status, 0, output)
        self.assertLess(len(records[0]["times"]), 100000)
        status, output, records = self.probe("pingpong 8 100 0-1", options=("--seconds", "0"))
        self.assertEqual((status, len(records[0]["times"])), (0, 3), output)

    def test_what_makes_no_sense_is_refused(self):
        for line, complaint in (("pingpong 8 1 0-4", "expected two of 4 ranks"), ("pingpong 8 1 1-1", "two of 4"),
                                ("pingpong 8 1 1-", "two of 4"), ("pingpong 8 0 0-1", "expected pingpong|stream"),
                                ("flood 8 1 0-1", "expected pingpong|stream"), ("stream 8 1", "there is no pair"),
                                ("stream -8 1 0-1", "expected pingpong|stream"), ("# nothing", "has no experiments")):
            status, output, _ = self.probe(line)
            self.assertNotEqual(status, 0, line)
            self.assertIn(complaint, output)


if __name__ == "__main__":
    MPIRUN, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
