#!/usr/bin/env python3
"""Tests jobs that mpirun does not start, or that do not call MPI_Init: a single process, and MPI sessions."""
import re
import subprocess
import sys

from job import SKIPPED, Failure, Outcome, Paths, check, conclude, environment, synthetic, run

SESSIONS = 1  # with several in a row, every fifth job of stock 5.0.7 crashes or hangs


def singleton(paths, parameters):
    """Tests a program started directly."""
    done = subprocess.run([paths["probe"], "--sizes", "1,100000"], env=environment(paths, parameters), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60)

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        outcome.expect("probe: passed on 1 ranks" in outcome.output, "the job has not passed")
        outcome.expect(outcome.with_plugin == 1, "the plugin is not loaded")

    check(Outcome(done.returncode, done.stdout), judge)


def sessions(paths, wanted):
    """Tests that the plugin serves every session: rank 0 logs its first broadcast."""
    outcome = run(paths, 8, "sessions", ["--cycles", str(SESSIONS)], synthetic(2, 4) | {"coll_strata_verbose": "2"})
    if outcome.status == SKIPPED:
        print("skipped: this MPI has no sessions")
        sys.exit(SKIPPED)

    def judge(job):
        job.expect_success()
        job.expect_messages()
        job.expect(f"sessions: {SESSIONS} passed on 8 ranks" in job.output, "the job has not passed")
        told = len(re.findall(r"bcast of 400000 bytes from rank 0: tree", job.output))
        job.expect(told == wanted, f"{told} sessions were served by the plugin, expected {wanted}")

    check(outcome, judge)


CASES = {"singleton": lambda paths: singleton(paths, {}),
         "can_fail_singleton": lambda paths: singleton(paths, {"coll": "^strata"}),
         "sessions": lambda paths: sessions(paths, SESSIONS),
         "can_fail_sessions": lambda paths: sessions(paths, SESSIONS + 1)}


def test():
    if sys.argv[2] not in CASES:
        raise Failure(f"unknown case; known: {' '.join(CASES)}")
    CASES[sys.argv[2]](Paths(sys.argv[1]))


conclude(test)
