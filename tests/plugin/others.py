#!/usr/bin/env python3
"""Tests the plugin beside every other coll component of this Open MPI, with higher or lower priority (the cluster
tests cover han, which is inactive on one machine): right results, and the component with the higher priority serves
the broadcasts. Switched off, the plugin leaves no trace."""
import sys

from job import Failure, Paths, check, conclude, synthetic, require_component, run

RANKS = 6
ABOVE, BELOW = "100", "5"  # the plugin's is 40, tuned's 30
# Stock Open MPI 4.1.4 has these faults too: adapt above all others yields different sums each time, sm hangs in
# small communicators, and monitoring crashes in intercommunicators. For these, only broadcasts are tested.
NOT_BY_ITSELF = {("adapt", ABOVE), ("sm", ABOVE), ("monitoring", ABOVE), ("monitoring", BELOW)}
# Component: the parameter of its priority, and its other requirements.
OTHERS = {
    "adapt": ("coll_adapt_priority", {}),
    "sm": ("coll_sm_priority", {}),
    "basic": ("coll_basic_priority", {}),
    "libnbc": ("coll_libnbc_priority", {}),
    "tuned": ("coll_tuned_priority", {}),
    "sync": ("coll_sync_priority", {"coll_sync_barrier_before": "3", "coll_sync_barrier_after": "7"}),
    "monitoring": ("coll_monitoring_priority", {"pml_monitoring_enable": "2", "pml": "ob1,monitoring"}),
}
DO_BROADCASTS = ("adapt", "basic", "sm", "tuned")  # replaces the plugin when above; the others serve none, or call it
ONLY_ABOVE = ("sync",)  # calls the component below it, and crashes if there is none


def settings_for(component, priority):
    of_priority, needed = OTHERS[component]
    return synthetic(3, 2) | needed | {of_priority: priority} | {
        "coll_strata_bcast_algorithm": "tree", "coll_strata_reduce_algorithm": "tree"}


def beside(paths, component, claim):
    require_component(paths, f"coll: {component}")
    for priority in (ABOVE,) if component in ONLY_ABOVE else (ABOVE, BELOW):
        settings = settings_for(component, priority)

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages()

        def judge_probe(outcome, replaced=priority == ABOVE and component in (claim or DO_BROADCASTS)):
            judge(outcome)
            outcome.expect(outcome.with_plugin == RANKS, f"{outcome.with_plugin} ranks have the plugin")
            count = outcome.pvar("bcast_tree")
            outcome.expect((count == 0) == replaced, f"above {component} at {priority}: {count} broadcasts by the tree")

        if (component, priority) not in NOT_BY_ITSELF:
            check(run(paths, RANKS, "random_collectives", ["--iterations", "300", "--seed", "3"], settings), judge)
        check(run(paths, RANKS, "probe", ["--sizes", "8,100000", "--roots", "0,3"], settings), judge_probe)
        print(f"{component} with priority {priority}: right")


def switched_off(paths):
    """Tests that a switched-off plugin has no messages, no variables, no level communicators."""
    settings = synthetic(3, 2) | {"coll": "^strata", "coll_strata_verbose": "1", "coll_strata_window": "0",
                                  "coll_strata_bcast_algorithm": "levels"}

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        outcome.expect("coll:strata" not in outcome.output, "the plugin prints messages")
        outcome.expect(outcome.with_plugin == 0, f"{outcome.with_plugin} ranks have the plugin's variables")
        outcome.expect(not outcome.pvars, f"there are variables: {outcome.pvars}")

    check(run(paths, RANKS, "probe", ["--sizes", "8,100000", "--on", "both"], settings), judge)


def test():
    paths, case = Paths(sys.argv[1]), sys.argv[2]
    if case == "switched_off":
        switched_off(paths)
    elif case == "can_fail":
        beside(paths, "basic", ("tuned",))
    elif case in OTHERS:
        beside(paths, case, None)
    else:
        raise Failure(f"unknown case {case}")


conclude(test)
