#!/usr/bin/env python3
"""Tests that levels whose messages cost more than they save are skipped: rank 0 logs them, every message of a
broadcast crosses the expected level, levels in the user's hierarchy stay, and levels that the user excludes are
skipped."""
import json
import os
import re
import sys
import tempfile

from job import Failure, Paths, check, conclude, synthetic, run

# Two nodes of two packages of two NUMA domains with two ranks each. On slow links inside a node one hop is better
# than three.
NODES, RANKS = 2, 16
LINKS = [{"level": level, "latency_us": 50} for level in ("node", "package", "numa")]
LINEAR_PACKAGES = [{"collective": "bcast", "levels": [{"level": "package", "algorithm": "linear"}]}]
SKIP_PACKAGES = [{"collective": "bcast", "levels": [
    {"level": "node", "algorithm": "linear"}, {"level": "package", "algorithm": "skip"},
    {"level": "numa", "algorithm": "linear"}]}]
WORDS = "coll_strata_bcast_level_algorithms"
CALLS = 3
# case: rules, parameters, rank 0's log of the plan, and the messages in one node by the level that joins their ends
CASES = {
    "links": ([], {}, "; skips package, numa)", {"node": 4, "package": 2, "numa": 1}),
    "rule": (LINEAR_PACKAGES, {}, "; skips numa)", {"node": 1, "package": 4, "numa": 2}),
    "word": ([], {WORDS: "node=linear,package=skip,numa=skip"},
             f"; skips package, numa).*skip of package from {WORDS}, skip of numa from {WORDS}",
             {"node": 4, "package": 2, "numa": 1}),
    "rule_word": (SKIP_PACKAGES, {}, r"; skips package).*skip of package from .*rules.json:1",
                  {"node": 2, "package": 1, "numa": 4}),
    "no_word": ([], {WORDS: "node=skip,package=linear,numa=linear"},
                "skip ignored for node, which separates nodes", {"node": 1, "package": 2, "numa": 4}),
    "listed": ([], {"coll_strata_hierarchy": "node,package,numa"}, None, {"node": 1, "package": 2, "numa": 4}),
}


def test(paths, case, extra):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    rules, parameters, said, messages = CASES[case]

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        done = outcome.pvar("bcast_tree")
        outcome.expect(done == CALLS * RANKS, f"{done} calls by the tree engine")
        if said is None:
            outcome.expect("skips" not in outcome.output, "a level that the user listed is skipped")
        else:
            outcome.expect(re.search(said.replace(")", r"\)"), outcome.output), f"rank 0 does not log '{said}'")
        for level, wanted in messages.items():
            found = outcome.pvar(f"messages_{level}")
            wanted = wanted * NODES * CALLS + extra
            outcome.expect(found == wanted, f"messages_{level} is {found}, expected {wanted}")

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "links": LINKS, "rules": rules}, file)
        check(run(paths, RANKS, "probe", ["--sizes", "8", "--calls", str(CALLS)],
                  synthetic(NODES, RANKS // NODES) | parameters
                  | {"coll_strata_bcast_algorithm": "tree", "coll_strata_rules": path,
                     "coll_strata_verbose": "2"}), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0))
