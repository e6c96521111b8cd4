#!/usr/bin/env python3
"""Tests one process of several nodes that fails to set up communicators: all ranks pass the calls through together,
with right results, and one message names its node and the cause. Prints the number of failures, for
tests/faults/run."""
import re
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
# The summary that setup_failures prints. mpirun forwards it in pieces: look everywhere, not at line starts only.
INJECTED = re.compile(r"\d+ failures: \d+ passed through, \d+ served, \d+ repeated")


def injected(outcome):
    """Returns the number of failed allocations and their outcomes, as a line."""
    found = INJECTED.search(outcome.output)
    outcome.expect(found, "the program does not print how many allocations failed")
    return found[0]


def test(paths, name):
    victim, node, how, step, cause = CASES[name]
    with Nodes(paths, SLOTS) as nodes:
        parameters = {"coll_strata_network": f"file:{nodes.network_file}", "coll_strata_setup_after": "0"}

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages(unable=1)
            text = outcome.output.replace("\r", "")
            outcome.expect(f"\n  {node}\n" in text, f"the message does not name {node}")
            outcome.expect(cause in " ".join(text.split()), f"the message does not name '{cause}'")
            injected(outcome)

        arguments = ["--victim", victim, "--how", how, "--only", step, "--points", 8, "--collective", "allreduce"]
        print(injected(check(nodes.run("setup_failures", arguments, parameters), judge)))


if __name__ == "__main__":
    conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
