#!/usr/bin/env python3
"""Tests how many sub-communicators a communicator's first broadcasts create: none with the tree engine; with the
levels engine one membership for every participant of every group of two or more, once per communicator."""
import sys

from job import Paths, check, conclude, synthetic, run

NODES, PER_NODE = 4, 4
# Cores 0, 1, 8, 9 of every node: two packages of two ranks. Participants of the cluster: 4 nodes; of each
# node: 2 packages; of each package: 2 cores.
MEMBERSHIPS = 4 + NODES * (2 + 2 * 2)


def created(paths, engine, on, calls):
    parameters = synthetic(NODES, PER_NODE) | {"coll_strata_bcast_algorithm": engine}
    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        done = outcome.pvar(f"bcast_{engine}")
        wanted = NODES * PER_NODE * calls * (2 if on == "both" else 1)
        outcome.expect(done == wanted, f"{done} calls by engine {engine}, expected {wanted}")

    arguments = ["--on", on, "--calls", str(calls), "--sizes", "70000"]
    return check(run(paths, NODES * PER_NODE, "probe", arguments, parameters), judge).pvar("communicators")


def test(paths, engine, as_of):
    per_communicator = {"tree": 0, "levels": MEMBERSHIPS}[as_of]
    for on, calls, communicators in (("world", 1, 1), ("dup", 1, 1), ("both", 3, 2)):
        found = created(paths, engine, on, calls)
        print(f"engine {engine}, {on}, {calls} calls: {found} memberships created")
        if found != per_communicator * communicators:
            sys.exit(f"FAILED: expected {per_communicator * communicators}")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else sys.argv[2]))
