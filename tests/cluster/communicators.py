#!/usr/bin/env python3
"""Communicators of several nodes, made, used and freed: what a process holds does not grow. There coll/han (of Open MPI
5.0 by itself) stands below the plugin, which has to pass on to it that a communicator ends."""
import sys

from nodes import Nodes

from job import Failure, Paths, check, conclude

SLOTS = (2, 2)
COUNT = 4000
HAN = {"coll_han_priority": "35"}  # as 5.0 has it
OPERATIONS = ("bcast", "reduce", "allreduce", "allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv", "barrier")
BY_TREE = {f"coll_strata_{op}_algorithm": "tree" for op in OPERATIONS}
# What coll/han itself does not give back, where it is called, is the same without the plugin: here it never is.
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
        check(nodes.run("endurance", arguments, parameters), lambda job: (job.expect_success(), job.expect_messages()))


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
