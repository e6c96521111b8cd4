#!/usr/bin/env python3
"""Tests bad parameters at run time: one message lists the allowed values, and the job goes on with right results."""
import sys

from job import Paths, check, conclude, synthetic, run

RANKS = 4
CASES = {
    "one": (
        {"coll_strata_bcast_algorithm": "tre"},
        ["coll_strata_bcast_algorithm = 'tre'", "auto, tree, levels, ring, rails, node, forward"]),
    "several": (
        {"coll_strata_window": "many", "coll_strata_hierarchy": "node,nodde", "coll_strata_priority": "abc",
         "coll_strata_bcast_level_algorithms": "node=no_such_component", "coll_strata_bcast_segsize": "8x"},
        ["coll_strata_window = 'many'", "from 1 to 1024", "coll_strata_hierarchy = 'node,nodde'", "numa, l3",
         "coll_strata_priority = 'abc'", "from -1 to 100", "coll_strata_bcast_level_algorithms", "binomial",
         "tuned", "coll_strata_bcast_segsize = '8x'"]),
    "unknown": (
        {"coll_strata_bcst_algorithm": "tree", "coll_strata_window": "many"},
        ["coll_strata_bcst_algorithm: no such parameter", "coll_strata_window = 'many'", "List all parameters"]),
    "good": ({"coll_strata_bcast_algorithm": "tree"}, []),
    "can_fail": ({"coll_strata_bcast_algorithm": "tre"}, ["auto, tree, no_such_engine"]),
}


def test(paths, case):
    parameters, texts = CASES[case]
    for program, arguments in (("probe", ["--roots", "all"]), ("bcast_roots", ["--large-roots", "1"])):
        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages(bad_parameters=1 if texts else 0)
            for text in texts:
                outcome.expect(text in outcome.output, f"the message does not have: {text}")
            if program == "probe":
                outcome.expect(outcome.with_plugin == RANKS, f"{outcome.with_plugin} ranks have the plugin")
                outcome.expect(case == "one" or outcome.pvar("bcast_tree") > 0, "the tree engine did nothing")

        check(run(paths, RANKS, program, arguments, {"coll_strata_bcast_algorithm": "tree"}
                  | synthetic(2, 2) | parameters), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
