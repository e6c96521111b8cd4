#!/usr/bin/env python3
"""Tests failing PMIx requests of every kind, temporary or lasting, on one process or on all. The job ends with right
results: calls are served if the requests succeed in the end; otherwise all ranks pass them through, with one message
that has the status.

    pmix_requests.py PATHS KIND once|lasting|can_fail
"""
import sys

from job import Paths, check, conclude, synthetic, run

RANKS = 4
ALL = "rank=" + ",".join(map(str, range(RANKS)))
STATUS = "status -147"


def judge(outcome, lasting, ranks):
    """See the module's docstring."""
    outcome.expect_success()
    outcome.expect_messages(**({"unable": 1} if lasting else {}))
    outcome.expect(not lasting or STATUS in " ".join(outcome.output.split()), f"no message has the {STATUS}")
    calls = 2 * ranks * ranks
    forwarded, tree = outcome.pvar("bcast_forward_failure"), outcome.pvar("bcast_tree")
    right = (calls, 0) if lasting else (0, calls)
    outcome.expect((forwarded, tree) == right, f"{forwarded} calls passed through, {tree} by tree; expected {right}")


def variables(paths, kind, times):
    """Returns the variables of the processes whose requests fail."""
    return [f"LD_PRELOAD={paths['pmix_requests']}", f"STRATA_PMIX_FAIL={kind}:{times}"]


def test(paths, kind, how):
    parameters = synthetic(2, 2) | {"coll_strata_bcast_algorithm": "tree"}
    for victims in ("rank=0", "rank=2", ALL):
        times = "lasting" if how == "lasting" else 2
        check(run(paths, RANKS, "probe", ["--roots", "all"], parameters, [victims, *variables(paths, kind, times)]),
              lambda outcome: judge(outcome, how != "once", RANKS))


if __name__ == "__main__":
    conclude(lambda: test(Paths(sys.argv[1]), *sys.argv[2:]))
