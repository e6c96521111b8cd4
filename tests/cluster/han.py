#!/usr/bin/env python3
"""coll/han above and below the plugin, on nodes with equal and unequal numbers of ranks: han removes itself
from a communicator when it meets unequal nodes, and must neither recurse into the plugin nor lose it. Bcast
only: han itself fails for other operations there, and for data types that differ from rank to rank."""
import sys

from nodes import Nodes

from job import SYSTEM_FOLDERS, Paths, check, conclude

SLOTS = {"unequal": (1, 2, 5), "equal": (2, 2, 2, 2)}
PRIORITIES = {
    "above": {"coll_han_priority": "100", "coll_strata_priority": "40"},
    "below": {"coll_han_priority": "35", "coll_strata_priority": "40"},
}
MISSING = f"OMPI_MCA_opal_mca_base_component_path={SYSTEM_FOLDERS}"


def test(paths, name):
    position, spread = name.split("_")
    with Nodes(paths, SLOTS[spread]) as nodes:
        for algorithm in ("auto", "tree", "levels"):
            run(nodes, position, None, algorithm)
        # Where some lack the plugin all is forwarded, whatever the engine would be.
        run(nodes, position, "n0", "tree")
        run(nodes, position, f"n{len(SLOTS[spread]) - 1}", "auto")


def run(nodes, position, lacking, algorithm):
    parameters = PRIORITIES[position] | {"coll_strata_bcast_algorithm": algorithm,
                                         "coll_strata_network": f"file:{nodes.network_file}"}
    some = [f"host={lacking}", MISSING] if lacking else None

    def judge(outcome):
        outcome.expect_success()
        # With han above and equal nodes the plugin may never be called on the communicators of all.
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
