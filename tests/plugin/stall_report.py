#!/usr/bin/env python3
"""Tests that coll_strata_stall_report names the calls that wait for a late rank, and inside a node that rank.

    stall_report.py PATHS CASE [EXPECTED CASE]
"""
import re
import sys

from job import Failure, Paths, check, conclude, run

RANKS = 3
REPORT = re.compile(r"coll:strata: stalled: [\w ]+, rank (\d) of 3 \(process \d+ on node \S+\): allreduce of 8 "
                    r"bytes, call (\d+) of engines there \((\w+)\), has waited 1 s for (.+)")
AGREEMENT = {("0", "1", "agreement", "messages"), ("1", "1", "agreement", "messages")}
# case: engine, seconds, reports: rank, number of the call, stage, what it waits for
CASES = {"node": ("node", "1", AGREEMENT | {(rank, "4", "node", "rank 2") for rank in "01"}),
         "tree": ("tree", "1", AGREEMENT | {(rank, "4", "tree", "messages") for rank in "01"}),
         "off": ("node", "0", set())}


def test(paths, case, expected):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    engine, seconds, _ = CASES[case]
    wanted = CASES[expected][2]

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        found = set(REPORT.findall(outcome.output))
        outcome.expect(found >= wanted, f"not reported: {sorted(wanted - found)}")
        late = {report for report in found if report[0] == str(RANKS - 1)}
        outcome.expect(not late, f"reports of the late rank: {late}")
        outcome.expect(wanted or "stalled" not in outcome.output, "a report without coll_strata_stall_report")

    check(run(paths, RANKS, "boards", ["--what", "late"],
              {"coll_strata_allreduce_algorithm": engine, "coll_strata_setup_after": "0",
               "coll_strata_stall_report": seconds}), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[2]))
