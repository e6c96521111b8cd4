#!/usr/bin/env python3
"""Tests processes in a locale with a decimal comma, before MPI_Init and between calls: rank 0 logs the same plans,
and writes the same to a file, as in the default locale."""
import json
import os
import re
import subprocess
import sys
import tempfile

from job import SKIPPED, Failure, Paths, check, conclude, synthetic, run

RANKS = 8
PARAMETERS = synthetic(4, 2) | {"coll_strata_rules": "infiniband-cluster", "coll_strata_setup_after": "0",
                                "coll_strata_verbose": "2"}


def make_locale(folder):
    """Returns False if this machine cannot create one."""
    try:
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return False
    return made.returncode in (0, 1)  # 1: warnings


def told(paths, scratch, what, parameters):
    """Returns the logged explanations of plans, and the plans in the file."""
    dump = os.path.join(scratch, f"{what}.json")

    def judge(outcome):
        if outcome.status != SKIPPED:
            outcome.expect_success()
            outcome.expect_messages()

    outcome = check(run(paths, RANKS, "differing_ranks", ["--what", what],
                        PARAMETERS | parameters | {"coll_strata_dump": dump}, timeout=120), judge)
    if outcome.status == SKIPPED:
        print("skipped: there is no locale with a decimal comma")
        sys.exit(SKIPPED)
    said = re.findall(r"coll:strata: (.*) of (.*)", outcome.output)
    with open(dump, encoding="utf-8") as file:
        return said, json.load(file)["plans"]


def test(paths, parameters):
    with tempfile.TemporaryDirectory() as scratch:
        if make_locale(scratch):
            os.environ["LOCPATH"] = scratch
        german = told(paths, scratch, "setlocale", {})
        usual = told(paths, scratch, "nothing", parameters)
        for name, one, other in zip(("explanations", "plans"), german, usual):
            if not one or one != other:
                raise Failure(f"{name} differ: {one} and {other}")


conclude(lambda: test(Paths(sys.argv[1]), {"coll_strata_window": "7"} if "can_fail" in sys.argv else {}))
