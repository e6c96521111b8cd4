#!/usr/bin/env python3
"""Tests that an Allreduce in a node with fewer processors than ranks, which share no memory, is passed through
unchanged; the order of combination proves it."""
import sys

from job import Failure, Paths, check, conclude, run

RANKS, CALLS, PER_CALL = 11, 2, 3
# With this size, tuned's Reduce and Allreduce combine in different orders on 11 ranks.
BYTES, COMBINED = "16384", "combined unlike MPI_Reduce"
# case: further parameters, the counter of its calls
CASES = {"oversubscribed": ({"coll_strata_placement": "all"}, "allreduce_forward_no_hierarchy"),
         "grouped": ({"coll_strata_placement": "0;1"}, "allreduce_forward_model")}


def test(paths, case, expected):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    counter = CASES[expected][1]

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        done = outcome.pvar(counter)
        wanted = RANKS * CALLS * PER_CALL
        outcome.expect(done == wanted, f"{counter} is {done}, expected {wanted}")
        outcome.expect(outcome.output.count(COMBINED) == CALLS, f"not {COMBINED}")

    check(run(paths, RANKS, "probe", ["--op", "allreduce", "--sizes", BYTES, "--calls", str(CALLS)],
              {"coll_strata_topology": "synthetic:core:2", "coll_strata_setup_after": "0",
               "coll_strata_shared_memory": "0"} | CASES[case][0]), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[2]))
