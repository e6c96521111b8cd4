#!/usr/bin/env python3
"""Tests coll_strata_check_plans when some ranks make other plans: one message names them and both plans, all ranks
pass this call and later ones through, and results are right."""
import sys

from job import Failure, Paths, check, component_path, conclude, synthetic, run

RANKS, CALLS, SHORT, LONG = 6, 2, 8, 70000
# case: the ranks whose plugin plans differently, and whether rank 0, the reference of the comparison, is one of
# these
CASES = {"first": ([0], True), "middle": ([3], False), "last": ([5], False), "some": ([1, 4, 5], False),
         "engine": ([2], False), "none": ([], False), "all": ([0, 1, 2, 3, 4, 5], False)}


def judge(outcome, case, op):
    outcome.expect_success()
    odd, first = CASES[case]
    if not odd or len(odd) == RANKS:
        outcome.expect_messages()
        outcome.expect(outcome.pvar(f"{op}_forward_plans") == 0, "calls are passed through")
        return
    outcome.expect_messages(different_plans=1)
    named = [rank for rank in range(RANKS) if rank not in odd] if first else odd
    words = " ".join(outcome.output.split())
    wanted = ", ".join(f"{rank} (node {outcome.nodes[rank]})" for rank in named)
    other = f"{op} of {LONG} bytes from rank 0: " if op == "bcast" else f"{op} of {LONG} bytes: "
    usual = f"{other}tree (cluster "
    for text in (f"than rank 0: {wanted} Rank {named[0]} plans {usual if first else other}",
                 f"and rank 0 (node {outcome.nodes[0]}) plans {other if first else usual}",
                 "/1000" if op == "bcast" else "forward, window"):
        outcome.expect(text in words, f"the message lacks '{text}'")
    for engine, calls in (("tree", CALLS * RANKS), ("forward_plans", CALLS * RANKS)):
        factor = 1 if op == "bcast" else 3
        found = outcome.pvar(f"{op}_{engine}")
        outcome.expect(found == factor * calls, f"{found} calls of {op} by {engine}, expected {factor * calls}")


def test(paths, case, expected):
    unchecked = expected == "unchecked"
    expected = case if unchecked else expected
    for name in (case, expected):
        if name not in CASES:
            raise Failure(f"unknown case '{name}'; known: {', '.join(CASES)}")
    op = "allreduce" if expected == "engine" else "bcast"
    parameters = synthetic(3, 2) | {"coll_strata_check_plans": "0" if unchecked else "1",
                                    "coll_strata_setup_after": "0",
                                    f"coll_strata_{op}_algorithm": "tree"}
    ranks = ",".join(map(str, CASES[case][0])) or "none"
    some = [f"rank={ranks}", component_path(paths.folder("other_plans"))]
    arguments = ["--sizes", f"{SHORT},{LONG}", "--calls", str(CALLS), "--op", op, *(["--watchdog", "10"] * unchecked)]
    check(run(paths, RANKS, "probe", arguments, parameters, some), lambda outcome: judge(outcome, expected, op))


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[2]))
