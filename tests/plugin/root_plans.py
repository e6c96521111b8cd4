#!/usr/bin/env python3
"""Tests the number of plans of a program in which every rank broadcasts in turn: roots in equal places share one, and
a communicator with an equal hierarchy takes them over. Formulas choose once for all orders of the ranks.

--plans N, --known N: expects another number; must fail.
"""
import argparse

from job import Paths, check, conclude, run, synthetic

PER_NODE = 4
SHARED = 3  # of rank 0, of the other ranks on its node, of all others
BY_TREE = {"coll_strata_setup_after": "0", "coll_strata_bcast_algorithm": "tree"}


def sweep(paths, nodes, on, made, shared):
    """Runs the program on so many nodes, on MPI_COMM_WORLD and perhaps on a duplicate. `made`, `shared`: the expected
    numbers per process."""
    ranks = nodes * PER_NODE

    def judge(outcome):
        outcome.expect_success()
        for name, expected in (("plans_made", made), ("plans_shared", shared)):
            found = outcome.pvar(name) / ranks
            outcome.expect(found == expected, f"{ranks} ranks, {on}: {name} {found:g}, expected {expected}")
        outcome.expect(outcome.pvar("planning_us") > 0, "planning takes no time")

    arguments = ["--sizes", "70000", "--roots", "all", "--on", on]
    check(run(paths, ranks, "probe", arguments, synthetic(nodes, PER_NODE) | BY_TREE), judge)


def other_order(paths, known):
    """Broadcasts on MPI_COMM_WORLD, then on all its ranks in reverse order. `known`: the expected number of plans per
    process that were known there."""
    ranks = 2 * PER_NODE

    def judge(outcome):
        outcome.expect_success()
        found = outcome.pvar("plans_by_structure") / ranks
        outcome.expect(found == known, f"in another order: plans_by_structure {found:g}, expected {known}")

    arguments = ["--sizes", "65536", "--on", "both", "--made-by", "reversed"]
    check(run(paths, ranks, "probe", arguments, synthetic(2, PER_NODE) | {"coll_strata_check_plans": "1"}), judge)


def test(paths, plans, known):
    sweep(paths, 6, "world", made=plans, shared=0)
    sweep(paths, 6, "both", made=plans, shared=plans)
    sweep(paths, 4, "world", made=16, shared=0)  # few roots: each has a plan of its own
    other_order(paths, known)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("--plans", type=int, default=SHARED)
    parser.add_argument("--known", type=int, default=1)
    options = parser.parse_args()
    conclude(lambda: test(Paths(options.paths), options.plans, options.known))
