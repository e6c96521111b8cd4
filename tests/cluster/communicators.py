#!/usr/bin/env python3
"""Tests communicators of several nodes that are created, used and freed: a process's resources do not grow. There
coll/han (by default with Open MPI 5.0) is below the plugin, which has to pass a communicator's end on to it."""
import sys

from nodes import Nodes

from job import Failure, Paths, check, conclude

SLOTS = (2, 2)
COUNT = 4000
HAN = {"coll_han_priority": "35"}  # as in 5.0
OPERATIONS = ("bcast", "reduce", "allreduce", "allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv", "barrier")
BY_TREE = {f"coll_strata_{op}_algorithm": "tree" for op in OPERATIONS}
# coll/han's own leaks, where it is called, are the same without the plugin: this test never calls it.
CASES = {
    "tree": (BY_TREE | HAN, []),
    "auto": ({}, []),
    "can_fail": (BY_TREE | HAN, ["--sabotage", "memory"]),
}


def test(paths, case):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    parameters, more = CASES[case]
    arguments = ["--what", "communicators", "--count", COUNT, *more]
    with Nodes(paths, SLOTS, sites=1) as nodes:
        # Seconds on an idle machine; beside other jobs every hand-over between ranks may take a time slice.
        ended = nodes.run("endurance", arguments, parameters, timeout=100)
        check(ended, lambda job: (job.expect_success(), job.expect_messages()))


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
