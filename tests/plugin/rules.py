#!/usr/bin/env python3
"""Tests jobs with a rules file: every call follows the file, exact to the byte, parameters override it, and rank 0
logs the origin of each value."""
import os
import sys
import tempfile

from job import Failure, Paths, check, conclude, synthetic, run

RANKS = 4
RULES = """{"version": 1,
 "rules": [
  {"collective": "bcast", "bytes": {"below": 1000}, "engine": "forward"},
  {"collective": "bcast", "bytes": {"from": 1000, "below": "64k"}, "engine": "tree", "levels": [
    {"level": "cluster", "algorithm": "chain:1"},
    {"segment": "2k"}]},
  {"collective": "bcast", "engine": "levels"}
 ]}
"""
# coll/self serves communicators of one process only.
UNUSABLE = """{"version": 1,
 "rules": [
  {"collective": "bcast", "bytes": {"below": "64k"}, "levels": [{"level": "cluster", "algorithm": "self"}]},
  {"collective": "bcast", "engine": "tree"}
 ]}
"""
BROKEN = RULES.replace("chain:1", "chian:1")
# 999 and 1000 bytes are in one size class, which has one plan unless a rule divides it.
SIZES = ["--sizes", "8,999,1000,65535,65536", "--calls", "1"]


def counts(outcome, **wanted):
    for engine in ("forward", "tree", "levels"):
        found = outcome.pvar(f"bcast_{engine}")
        outcome.expect(found == wanted.get(engine, 0) * RANKS,
                       f"{found} calls by {engine}, expected {wanted.get(engine, 0) * RANKS}")


def by_sizes(outcome, path):
    outcome.expect_messages()
    counts(outcome, forward=2, tree=2, levels=1)
    outcome.expect(outcome.pvar("bcast_forward_chosen") == 2 * RANKS, "forwarded for another reason")
    for text in (f"engine from {path}:3", f"engine from {path}:4, algorithm of cluster from {path}:5, "
                 f"segment of cluster from {path}:6", f"engine from {path}:7",
                 "bcast of 999 bytes from rank 0: forward", "bcast of 1000 bytes from rank 0: tree (cluster chain:1/2048"):
        outcome.expect(text in outcome.output, f"rank 0 does not log: {text}")


def by_parameters(outcome, path):
    outcome.expect_messages()
    counts(outcome, tree=5)
    for text in ("engine from coll_strata_bcast_algorithm", "segment of cluster from coll_strata_bcast_segsize",
                 f"algorithm of cluster from {path}:5"):
        outcome.expect(text in outcome.output, f"rank 0 does not log: {text}")
    outcome.expect(f"{path}:6" not in outcome.output, "a segment of the file is used")


def by_default(outcome, path):
    outcome.expect_messages(bad_parameters=1)
    outcome.expect(f"coll_strata_rules: {path}:5: 'chian:1': unknown algorithm 'chian'; known: auto, linear"
                   in outcome.output, "the message lacks file, line or the known names")
    counts(outcome, tree=5)


def by_own_choice(outcome, path):
    outcome.expect_messages(methods=1)
    counts(outcome, tree=5)
    outcome.expect("bytes from rank 0: tree" in outcome.output and f"engine from {path}:4" in outcome.output,
                   "the other rule no longer holds")


CASES = {
    "sizes": (RULES, {}, by_sizes),
    "parameters": (RULES, {"coll_strata_bcast_algorithm": "tree", "coll_strata_bcast_segsize": "1k"},
                   by_parameters),
    "unusable": (UNUSABLE, {}, by_own_choice),
    "can_fail": (RULES, {"coll_strata_bcast_algorithm": "tree"}, by_sizes),
    "broken": (BROKEN, {"coll_strata_bcast_algorithm": "tree"}, by_default),
}


def test(paths, case):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    text, parameters, judge = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

        def judge_all(outcome):
            outcome.expect_success()
            judge(outcome, path)

        check(run(paths, RANKS, "probe", SIZES, synthetic(2, 2) | parameters
                  | {"coll_strata_rules": path, "coll_strata_verbose": "2"}), judge_all)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
