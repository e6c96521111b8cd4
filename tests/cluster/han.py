#!/usr/bin/env python3
"""Tests coll/han above and below the plugin, on nodes with equal and unequal numbers of ranks: han removes itself
from a communicator with unequal nodes, and must neither recurse into the plugin nor lose it. Bcast only: han itself
fails for other operations there, and for datatypes that differ between ranks."""
import sys

from nodes import SKIPPED, Nodes

from strata_bench.cluster import support
from job import SYSTEM_FOLDERS, Paths, check, conclude

SLOTS = {"unequal": (1, 2, 5), "equal": (2, 2, 2, 2)}
PRIORITIES = {
    "above": {"coll_han_priority": "100", "coll_strata_priority": "40"},
    "below": {"coll_han_priority": "35", "coll_strata_priority": "40"},
}
MISSING = f"OMPI_MCA_opal_mca_base_component_path={SYSTEM_FOLDERS}"


REPLACED = "go to tuned, not to han"


def by_default(paths):
    """Open MPI 5.0 uses han between nodes by default. Calls that the plugin passes through because it predicts
    tuned's costs go to tuned, which also gathers correctly where han of 5.0.7 does not. A user who sets han's
    priority gets han."""
    if support.release_of(paths["mpirun"]) < 5:
        print("skipped: han is not the default of Open MPI 4")
        sys.exit(SKIPPED)

    def judge(replaced):
        def with_outcome(outcome):
            outcome.expect_success()
            outcome.expect_messages()
            outcome.expect((REPLACED in outcome.output) == replaced, f"'{REPLACED}' is logged: {not replaced}")
        return with_outcome

    log = {"coll_strata_verbose": "2"}
    with Nodes(paths, SLOTS["equal"]) as nodes:
        switches = {"coll_strata_network": f"file:{nodes.network_file}"}
        for order in ("block", "cyclic"):
            check(nodes.run("random_collectives", ["--iterations", 150, "--seed", 7], switches | log, order),
                  judge(True))
        allreduce = ["--op", "allreduce", "--sizes", "65536", "--roots", "0"]
        check(nodes.run("probe", allreduce, switches | log), judge(True))
        check(nodes.run("probe", allreduce, switches | log | {"coll_han_priority": "35"}), judge(False))
        check(nodes.run("probe", allreduce, switches | log | {"coll": "^tuned"}), judge(False))


def test(paths, name):
    if name == "default":
        by_default(paths)
        return
    position, spread = name.split("_")
    with Nodes(paths, SLOTS[spread]) as nodes:
        for algorithm in ("auto", "tree", "levels"):
            run(nodes, position, None, algorithm)
        # If some ranks lack the plugin all calls are passed through, for any engine.
        run(nodes, position, "n0", "tree")
        run(nodes, position, f"n{len(SLOTS[spread]) - 1}", "auto")


def run(nodes, position, lacking, algorithm):
    parameters = PRIORITIES[position] | {"coll_strata_bcast_algorithm": algorithm,
                                         "coll_strata_network": f"file:{nodes.network_file}"}
    some = [f"host={lacking}", MISSING] if lacking else None

    def judge(outcome):
        outcome.expect_success()
        # With han above and equal nodes the plugin may never be called on communicators of all ranks.
        count = outcome.output.count("is not loaded by the processes on node")
        outcome.expect(count <= (1 if lacking else 0), f"{count} messages")

    def judge_probe(outcome):
        judge(outcome)
        if position == "below" and not lacking and algorithm != "auto":
            outcome.expect(outcome.pvar(f"bcast_{algorithm}") > 0, f"the engine {algorithm} did nothing")

    check(nodes.run("probe", ["--roots", "all", "--on", "both"], parameters, some=some), judge_probe)
    check(nodes.run("bcast_roots", ["--large-roots", 1, "--sizes", "1,4096,61441"], parameters, "cyclic",
                    some), judge)
    check(nodes.run("probe", ["--cycles", 4, "--roots", "1"], parameters, "shuffle", some), judge)
    print(f"han {position}, plugin lacking on {lacking}, engine {algorithm}: right results")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
