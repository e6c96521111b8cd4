#!/usr/bin/env python3
"""examples.py MPIRUN FOLDER CASE: tests that the example applications get right results with every hierarchy."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hardware"))

from hardware import PLAIN, Failure, conclude, cores, start  # noqa: E402

EXAMPLES = {"summa": ["hierarchical_summa", "--hierarchies", "simple;2;2,2;topological", "--block", "5"],
            "summa_uneven": ["hierarchical_summa", "--hierarchies", "simple;3;topological", "--rows", "1"],
            "summa_mixed": ["hierarchical_summa", "--hierarchies", "topological", "--block", "3"],
            "gather_mixed": ["gather_combine", "--hierarchies", "topological", "--elements", "9"],
            "gather": ["gather_combine", "--hierarchies", "simple;2,2;3,2;1;topological", "--elements", "999"]}
SPOILED = {"can_fail_summa": (["hierarchical_summa", "--spoil", "1"], 8), "can_fail_gather": (["gather_combine", "--spoil", "2"], 2)}
BAD = {"bad_hierarchy": (["gather_combine", "--hierarchies", "ring"], "hierarchy 'ring': known are simple, topological"),
       "bad_rows": (["hierarchical_summa", "--rows", "5"], "5 rows do not divide 8 processes"),
       "bad_option": (["hierarchical_summa", "--columns", "5"], "options are --rows, --block")}


def test(mpirun, folder, name):
    # Some are unbound, or bound to two cores: they stop where others descend.
    mixed = "0@p0;all@p0;2@p0;2-3@p0;all@p1;1@p1;2@p1;3@p1"
    machine = {"TOPOLOGY": PLAIN, "PLACEMENT": mixed if name.endswith("_mixed") else cores(2, 4)}
    if name in BAD:
        arguments, message = BAD[name]
        for _ in range(3):  # MPICH's launcher may end before it has forwarded the output before MPI_Abort
            output, status = start(mpirun, folder, 8, arguments, machine)
            if status == 0 or message in output:
                break
        if status == 0 or message not in output:
            raise Failure(f"exit status {status}\n{output}")
        return
    if name in SPOILED:
        arguments, wrong = SPOILED[name]
        output, status = start(mpirun, folder, 8, [*arguments, "--repetitions", "1", "--hierarchies", "topological"], machine)
        # One repetition, and one that warms up.
        if status == 0 or f"\n{2 * wrong} wrong elements" not in output:
            raise Failure(f"exit status {status}\n{output}")
        return
    for ranks in (1, 6, 7, 8):
        output, status = start(mpirun, folder, ranks, [*EXAMPLES[name], "--repetitions", "3"], machine)
        hierarchies = EXAMPLES[name][2].split(";")
        if status != 0 or "\n0 wrong elements" not in output:
            raise Failure(f"{ranks} ranks: exit status {status}\n{output}")
        told = [line.split()[0] for line in output.splitlines() if re.search(r" us\b", line)]
        if told != hierarchies:
            raise Failure(f"{ranks} ranks: reports {told}\n{output}")


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:4]))
