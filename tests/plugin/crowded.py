#!/usr/bin/env python3
"""An Allreduce in a node with fewer processors than ranks: where that is predicted faster it is the previous
component's Reduce and Bcast, counted once; results and the order of folding tell that it really was."""
import sys

from job import Failure, Paths, check, conclude, run

RANKS, CALLS, PER_CALL = 11, 2, 3
MEDIUM, SHORT = "16384", "16"
TWO, MANY = "synthetic:core:2", "synthetic:core:12"
AS_REDUCE, OTHERWISE = "folded as MPI_Reduce", "folded unlike MPI_Reduce"
SAID = "forward as reduce and bcast, predicted"
# case: machine, bytes, further parameters, the counter of its calls, how it was folded (on 11 ranks tuned's Reduce
# and Allreduce of that size fold in different orders; None: not told)
CASES = {
    "crowded": (TWO, MEDIUM, {}, "allreduce_forward_crowded", AS_REDUCE),
    "grouped": (TWO, MEDIUM, {"coll_strata_placement": "0;1"}, "allreduce_forward_crowded", AS_REDUCE),
    # Between nodes nothing is ever composed: without groups below them the plugin steps aside at once.
    "nodes": (TWO, MEDIUM, {"coll_strata_placement": "0@p0;0@p1", "coll_strata_hierarchy": "none"},
              "allreduce_forward_no_hierarchy", OTHERWISE),
    "short": (TWO, SHORT, {}, "allreduce_forward_model", None),
    "roomy": (MANY, MEDIUM, {}, "allreduce_forward_no_hierarchy", OTHERWISE),
    "asked": (TWO, MEDIUM, {"coll_strata_allreduce_algorithm": "forward"}, "allreduce_forward_chosen", OTHERWISE),
    "reproducible": (TWO, MEDIUM, {"coll_strata_reproducible": "1"}, "allreduce_tree", None),
    # The previous component's functions are in the communicator's own table.
    "not_taken_over": (TWO, MEDIUM, {"coll_strata_disable": "reduce,bcast"}, "allreduce_forward_crowded", AS_REDUCE),
}


def test(paths, case, expected):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    machine, size, parameters, _, _ = CASES[case]
    _, _, _, counter, folded = CASES[expected]

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        done = outcome.pvar(counter)
        wanted = RANKS * CALLS * PER_CALL
        outcome.expect(done == wanted, f"{counter} is {done}, expected {wanted}")
        engines = sum(outcome.pvar(f"allreduce_{name}") for name in ("forward", "tree", "levels", "ring", "lanes"))
        outcome.expect(engines == wanted, f"{engines} calls in all, expected {wanted}")
        outcome.expect(outcome.pvar_sum("bcast_") == 0, "broadcasts of its own are counted")
        reduces = outcome.pvar("reduce_forward") + outcome.pvar("reduce_tree")
        own = 0 if "reduce" in parameters.get("coll_strata_disable", "") else RANKS * CALLS
        outcome.expect(reduces == own, f"{reduces} calls of Reduce, expected {own}")
        outcome.expect((SAID in outcome.output) == (counter == "allreduce_forward_crowded"),
                       f"rank 0 says '{SAID}' where it should not, or does not")
        if folded:
            outcome.expect(outcome.output.count(folded) == CALLS, f"not {folded}")

    check(run(paths, RANKS, "probe", ["--op", "allreduce", "--sizes", size, "--calls", str(CALLS)],
              {"coll_strata_topology": machine, "coll_strata_placement": "all", "coll_strata_verbose": "1",
               "coll_strata_setup_after": "0"} | parameters), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[2]))
