#!/usr/bin/env python3
"""Tests that every parameter is readable as an MPI_T control variable. Its value is the one given to mpirun, valid
or not; a parameter that is not given has the default that ompi_info shows."""
import os
import re
import subprocess
import sys
import tempfile

import collective_table
from job import Failure, Paths, check, conclude, environment, synthetic, run
from listed import GENERAL, PER_COLLECTIVE

RANKS = 4


def given(paths, scratch):
    """Returns a value for every parameter, none of them the default, all different within an operation."""
    values = {"priority": "45", "verbose": "1", "window": "7", "hierarchy": "node,numa", "network": "none",
              "nic": "none", "rules": "ethernet-cluster", "reproducible": "1", "setup_after": "3", "hand_back": "0",
              "check_plans": "1", "shared_memory": "0", "stall_report": "5", "disable": "scatterv", "dump": os.path.join(scratch, "picture.txt")}
    values |= {name.removeprefix("coll_strata_"): value for name, value in synthetic(2, 2).items()}
    for number, op in enumerate(collective_table.names()):
        values |= {f"{op}_algorithm": "tree", f"{op}_level_algorithms": "node=linear",
                   f"{op}_segsize": f"{number + 1}k"}
    return {f"coll_strata_{name}": value for name, value in values.items()}


def defaults(paths):
    """Returns the defaults as ompi_info shows them."""
    command = [paths["ompi_info"], "--param", "coll", "strata", "--level", "9", "--parsable"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment(paths, {})).stdout
    return dict(re.findall(r"^mca:coll:strata:param:(coll_strata_\w+):value:(.*)$", text, re.MULTILINE))


def test(paths, case):
    names = {f"coll_strata_{name}" for name in GENERAL}
    names |= {f"coll_strata_{op}_{name}" for op in collective_table.names() for name in PER_COLLECTIVE}
    with tempfile.TemporaryDirectory() as scratch:
        told = {"defaults": {}, "not_understood": {"coll_strata_window": "many"}}.get(case, given(paths, scratch))
        wanted = {name: value.strip('"') for name, value in defaults(paths).items() if name in names} | told
        if case == "can_fail":
            wanted["coll_strata_bcast_segsize"] = "9k"
        options = [word for name, value in told.items() for word in ("--mca", name, value)]
        arguments = ["--sabotage", "write"] if case == "can_fail_write" else []

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages(bad_parameters=1 if case == "not_understood" else 0)
            found = dict(re.findall(r"cvar (coll_strata_\w+) = (.*?)\r?\n", outcome.output))
            for name in sorted(names | found.keys()):
                outcome.expect(name in found, f"{name} is no control variable")
                outcome.expect(name in names, f"{name} is a control variable unknown to this test")
                outcome.expect(found[name] == wanted.get(name, ""),
                               f"{name} is '{found[name]}', expected '{wanted.get(name, '')}'")
            print(f"{len(found)} control variables, {len(told)} of these set")

        # Does not use the settings that run() adds for tests that count calls.
        hand_back = {"coll_strata_hand_back": told.get("coll_strata_hand_back", "1")}
        check(run(paths, RANKS, "control_variables", arguments, hand_back, options=options), judge)


def main():
    if sys.argv[2] not in ("given", "defaults", "not_understood", "can_fail", "can_fail_write"):
        raise Failure(f"unknown case '{sys.argv[2]}'")
    test(Paths(sys.argv[1]), sys.argv[2])


conclude(main)
