#!/usr/bin/env python3
"""Tests of libmpi_profile.so with stock Open MPI: test_mpi_profile.py MPIRUN LIBRARY PROGRAM (profile_calls)."""

import json
import os
import subprocess
import sys
import unittest

from fakes import Folder, mpirun_environment

from strata_bench.apps.profile import Profile
from strata_bench.measuring.competitors import STOCK

MPIRUN = LIBRARY = PROGRAM = ""
RANKS = 4
# Calls of every rank of profile_calls: count, bytes, calls by least bytes. Rank 0 gathers in place.
CALLS = {
    "Bcast": (6, 3 * 4000 + 4 + 2 * 40, {2048: 3, 4: 1, 32: 2}),
    "Allreduce": (3, 2 * 40 + 4, {32: 2, 4: 1}),
    "Gather": (1, 10, {8: 1}),
    "Allgather": (1, 10, {8: 1}),
    "Barrier": (2, 0, {0: 2}),
    "Send": (1, 4, {4: 1}),
    "Irecv": (1, 4, {4: 1}),
    "Wait": (1, 0, {0: 1}),
}


class Runs(Folder):
    def run_program(self, *arguments, profile=True):
        told = ["-x", f"LD_PRELOAD={LIBRARY}"] + ["-x", f"STRATA_PROFILE={self.folder}"] * profile
        call = [MPIRUN, "--oversubscribe", "-n", str(RANKS), *STOCK, "--mca", "mpi_yield_when_idle", "1", *told,
                PROGRAM, *arguments]
        return subprocess.run(call, env=mpirun_environment(), text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def rank(self, number):
        with open(os.path.join(self.folder, f"rank-{number}.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_calls_bytes_and_sizes(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0, done.stdout)
        for number in range(RANKS):
            found = {name: (one["calls"], one["bytes"],
                            {int(size): part["calls"] for size, part in one["from"].items()})
                     for name, one in self.rank(number)["functions"].items()}
            gather = {"Gather": (1, 0, {0: 1})} if number == 0 else {}
            self.assertEqual(found, CALLS | gather)

    def test_time_is_that_of_waiting(self):
        self.assertEqual(self.run_program().returncode, 0)
        ranks = [self.rank(number) for number in range(RANKS)]
        waiting = [rank["functions"]["Barrier"]["seconds"] for rank in ranks]
        self.assertGreater(min(waiting[1:]), 0.25)
        self.assertLess(waiting[0] + 0.2, min(waiting[1:]))
        for rank in ranks:
            spent = sum(one["seconds"] for one in rank["functions"].values())
            self.assertLess(spent, rank["seconds"])
            for one in rank["functions"].values():
                parts = sum(part["seconds"] for part in one["from"].values())
                self.assertAlmostEqual(parts, one["seconds"], delta=1e-4)

    def test_reading(self):
        self.assertEqual(self.run_program().returncode, 0)
        profile = Profile.read(self.folder, RANKS)
        self.assertEqual((profile.of("Bcast").calls, profile.of("Gather").bytes), (6, 7.5))
        self.assertEqual(profile.of("Bcast").sizes[2048][0], 3)

    def test_another_call_is_seen(self):
        """Proves that the comparison above can fail."""
        self.assertEqual(self.run_program("one-more").returncode, 0)
        functions = self.rank(1)["functions"]
        self.assertEqual((functions["Bcast"]["calls"], functions["Allreduce"]["calls"]), (8, 4))

    def test_a_rank_without_a_profile_is_an_error(self):
        self.run_program("no-finalize")
        with self.assertRaisesRegex(ValueError, "rank 0 wrote no profile"):
            Profile.read(self.folder, RANKS)

    def test_nothing_is_written_unasked(self):
        self.assertEqual(self.run_program(profile=False).returncode, 0)
        self.assertEqual(os.listdir(self.folder), ["logs"])


if __name__ == "__main__":
    MPIRUN, LIBRARY, PROGRAM = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
