#!/usr/bin/env python3
"""Tests an operation that a communicator always passes through: the plugin gives its slot back to the underlying
component, which MPI then calls directly; the counters show it."""
import sys
from dataclasses import dataclass, field

from job import Failure, Paths, check, conclude, synthetic, run

RANKS, CALLS, SIZES = 4, 5, 2
SHARED = {"coll_strata_topology": "synthetic:core:16", "coll_strata_placement": "all"}
FLAT = SHARED | {"coll_strata_shared_memory": "0"}
HANDS_BACK = {"coll_strata_hand_back": "1"}
# In a node with unknown links the robust choice covers only Bcast; here the tree engine serves it.
INSIDE = synthetic(1, RANKS) | HANDS_BACK | {"coll_strata_bcast_algorithm": "tree", "coll_strata_shared_memory": "0"}
# With these, tuned builds an Allreduce from a Reduce and a Bcast through the communicator's slots.
NESTED = {"coll_tuned_use_dynamic_rules": "1", "coll_tuned_allreduce_algorithm": "2"}
KEEPS = ["rank=1", "OMPI_MCA_coll_strata_hand_back=0"]

ALL, ONCE = RANKS * CALLS * SIZES, RANKS
NOTHING = {"bcast_handed_back": 0, "bcast_forward": ALL}


@dataclass(frozen=True)
class Case:
    """Expected variables, summed over the ranks."""
    parameters: dict
    wanted: dict
    op: str = "bcast"
    some: list = field(default_factory=list)


CASES = {
    "flat": Case(FLAT | HANDS_BACK, {"bcast_handed_back": RANKS, "bcast_forward": ONCE}),
    # The engine node serves long Bcasts, and calls of other operations.
    "boards": Case(SHARED | HANDS_BACK, {"bcast_node": ALL // SIZES, "bcast_forward": ALL // SIZES,
                                         "bcast_handed_back": 0, "reduce_handed_back": 0, "allreduce_handed_back": 0,
                                         "barrier_handed_back": 0, "gather_handed_back": 0,
                                         "gatherv_handed_back": RANKS, "allgatherv_handed_back": RANKS}),
    "disabled": Case(synthetic(2, 2) | HANDS_BACK | {"coll_strata_bcast_algorithm": "forward"},
                     {"bcast_handed_back": RANKS, "bcast_forward": ONCE}),
    # The component above owns the slot and calls the plugin.
    "above": Case(FLAT | HANDS_BACK | {"coll_sync_priority": "90", "coll_sync_barrier_before": "1000"}, NOTHING),
    "kept": Case(FLAT, NOTHING),
    "hierarchy": Case(synthetic(2, 2) | HANDS_BACK | {"coll_strata_bcast_algorithm": "tree"},
                      {"bcast_handed_back": 0, "bcast_forward": 0, "bcast_tree": ALL,
                       "gatherv_handed_back": RANKS, "scatterv_handed_back": RANKS, "reduce_handed_back": 0}),
    # All ranks release together, so this includes operations that use a served collective internally.
    "inside": Case(INSIDE, {"bcast_handed_back": 0, "bcast_tree": ALL, "barrier_handed_back": RANKS,
                            "reduce_handed_back": RANKS, "allreduce_handed_back": RANKS,
                            "allgather_handed_back": RANKS, "scatterv_handed_back": RANKS}),
    "nested": Case(INSIDE | NESTED, {"allreduce_handed_back": RANKS}, "allreduce"),
    # All ranks keep the slots of operations that contain a Bcast; otherwise a rank could count such a Bcast as the
    # program's own while others do not.
    "one_keeps": Case(INSIDE | NESTED, {"allreduce_handed_back": 0, "allgather_handed_back": 0, "bcast_tree": 0,
                                        "reduce_handed_back": 0, "gatherv_handed_back": 0},
                      "allreduce", KEEPS),
    # Process 0 records every call for the dump and so keeps all slots.
    "dumped": Case(INSIDE | NESTED | {"coll_strata_dump": "-", "coll_strata_check_plans": "1"},
                   {"allreduce_handed_back": 0, "bcast_tree": 0, "reduce_handed_back": 0}, "allreduce"),
    # The others must keep the slot: the underlying component sends messages for elements of no size, the plugin
    # none.
    "nothing": Case(FLAT | HANDS_BACK | {"coll_strata_dump": "-"}, {"bcast_handed_back": 0}, "nothing")}


def test(paths, name, expected):
    if name not in CASES:
        raise Failure(f"unknown case '{name}'; known: {', '.join(CASES)}")
    case = CASES[name]

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        for variable, wanted in CASES[expected].wanted.items():
            outcome.expect(outcome.pvar(variable) == wanted,
                           f"{variable} is {outcome.pvar(variable)}, expected {wanted}")

    check(run(paths, RANKS, "probe", ["--sizes", "64,8192", "--calls", str(CALLS), "--op", case.op],
              {"coll_strata_setup_after": "0"} | case.parameters, some=case.some), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[2]))
