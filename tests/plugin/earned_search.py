#!/usr/bin/env python3
"""Tests that formulas choose the plan of the first calls, and that the full search replaces it at the same call on all
ranks. The processes compare every plan before its first use, so that a rank that searched at another call would
hang or report another plan.

--late CALLS: expects the search so many calls later; must fail.
"""
import argparse
import re

from job import Paths, check, conclude, run, synthetic

RANKS = 8
BYTES = {"bcast": 65536, "gather": 8192, "allreduce": 64}
PLAN = re.compile(r"coll:strata: why: MPI_COMM_WORLD (\w+) of \d+ bytes(?: (?:from|to) rank 0)?: (.*)")
AFTER = re.compile(r"chosen by formulas, searched for after (\d+) calls")
SETTINGS = {"coll_strata_verbose": "2", "coll_strata_check_plans": "1", "coll_strata_hand_back": "0"}


def plans(paths, op, calls):
    """Returns the plans that rank 0 logs, in order, and the job's outcome."""
    outcome = run(paths, RANKS, "probe", ["--sizes", str(BYTES[op]), "--calls", str(calls), "--op", op],
                  synthetic(2, RANKS // 2) | SETTINGS)
    logged = []

    def judge(one):
        one.expect_success()
        one.expect_messages()
        logged.extend(text for name, text in PLAN.findall(one.output) if name == op)
        one.expect(logged, f"no plan of {op} in the log")
    check(outcome, judge)
    return logged, outcome


def test(paths, late):
    for op in ("bcast", "gather"):
        (first, *more), outcome = plans(paths, op, 1)
        after = AFTER.search(first)
        outcome.expect(after and not more, f"one plan by formulas expected: {first} {more}")
        calls = int(after.group(1)) + late
        found, outcome = plans(paths, op, calls)
        outcome.expect(found == [first], f"{op}: {calls} calls, but a second plan: {found}")
        found, outcome = plans(paths, op, calls + 1)
        outcome.expect(outcome.pvar("plans_searched") == RANKS, f"{op}: not all ranks have searched")
        outcome.expect(len(found) == 2 and not AFTER.search(found[1]), f"{op}: {calls + 1} calls: {found}")
    # A reduction keeps its plan, because the same sum has the same bits in every call.
    found, outcome = plans(paths, "allreduce", 200)
    outcome.expect(len(found) == 1, f"allreduce: {found}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("--late", type=int, default=0)
    options = parser.parse_args()
    conclude(lambda: test(Paths(options.paths), options.late))
