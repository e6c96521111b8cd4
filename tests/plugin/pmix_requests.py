#!/usr/bin/env python3
"""Requests to PMIx that fail, of every kind, for a moment or for good, on one process or on all: the job ends with right
results, served where the requests went well in the end, else passed through by all with one message that gives the
status.

    pmix_requests.py PATHS KIND once|lasting|can_fail
"""
import sys

from job import Paths, check, conclude, synthetic, run

RANKS = 4
ALL = "rank=" + ",".join(map(str, range(RANKS)))
STATUS = "status -147"


def judge(outcome, lasting, ranks):
    """As the docstring says."""
    outcome.expect_success()
    outcome.expect_messages(**({"unable": 1} if lasting else {}))
    outcome.expect(not lasting or STATUS in " ".join(outcome.output.split()), f"no message gives the {STATUS}")
    calls = 2 * ranks * ranks
    forwarded, tree = outcome.pvar("bcast_forward_failure"), outcome.pvar("bcast_tree")
    right = (calls, 0) if lasting else (0, calls)
    outcome.expect((forwarded, tree) == right, f"{forwarded} calls passed through, {tree} by tree; expected {right}")


def variables(paths, kind, times):
    """Of the processes whose requests fail."""
    return [f"LD_PRELOAD={paths['pmix_requests']}", f"STRATA_PMIX_FAIL={kind}:{times}"]


def test(paths, kind, how):
    parameters = synthetic(2, 2) | {"coll_strata_bcast_algorithm": "tree"}
    for victims in ("rank=0", "rank=2", ALL):
        times = "lasting" if how == "lasting" else 2
        check(run(paths, RANKS, "probe", ["--roots", "all"], parameters, [victims, *variables(paths, kind, times)]),
              lambda outcome: judge(outcome, how != "once", RANKS))


if __name__ == "__main__":
    conclude(lambda: test(Paths(sys.argv[1]), *sys.argv[2:]))
