#!/usr/bin/env python3
"""One process of several nodes cannot do a step of setting up communicators: all leave them to Open MPI
together, with right results, and one message names its node and the cause."""
import sys

from nodes import Nodes

from job import Paths, check, conclude

SLOTS = (2, 1, 3, 2)
MEMORY, OTHER = "it had no memory left", "an error in the plugin itself"

# Name -> (rank that fails, its node in block order, how, in which step, cause).
CASES = {
    "first": (0, "n0", "once", "making", MEMORY),
    "middle": (4, "n2", "lasting", "making", MEMORY),
    "last": (7, "n3", "other", "first", OTHER),
    "can_fail": (2, "n0", "once", "first", MEMORY),
}


def test(paths, name):
    victim, node, how, step, cause = CASES[name]
    with Nodes(paths, SLOTS) as nodes:
        parameters = {"coll_strata_network": f"file:{nodes.network_file}", "coll_strata_setup_after": "0"}

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages(unable=1)
            text = outcome.output.replace("\r", "")
            outcome.expect(f"\n  {node}\n" in text, f"the message does not name {node}")
            outcome.expect(cause in " ".join(text.split()), f"the message does not say '{cause}'")

        arguments = ["--victim", victim, "--how", how, "--only", step, "--points", 8, "--collective", "allreduce"]
        check(nodes.run("setup_failures", arguments, parameters), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
