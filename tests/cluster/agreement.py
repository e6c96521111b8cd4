#!/usr/bin/env python3
"""As tests/plugin/agreement.py, over several nodes: one message names the differing node, and results are right.
Some cases also compare start-up times with jobs without the plugin: they must start as fast."""
import os
import sys

from nodes import Nodes

from job import (ON_DEMAND, SKIPPED, SYSTEM_FOLDERS, Paths, check, component_path, conclude, expect_quick_start,
                 late_start)

SLOTS = (2, 1, 3, 2)
TIMED = ("same", "missing_middle", "version", "no_exchange", "on_demand", "can_fail_start")
PLACED = {"sequential": "shuffle"}
OPTIONS = {"launched_elsewhere": ("--nolocal", "--oversubscribe")}  # mpirun is on the first node


def make_cases(paths, folder):
    """Name -> (host, variables there, reason or None, ranks without the plugin; on the host's lowest rank only?)."""
    missing = [f"OMPI_MCA_opal_mca_base_component_path={SYSTEM_FOLDERS}"]
    other = os.path.join(folder, "other.conf")
    with open(other, "w", encoding="utf-8") as file:
        file.write("SwitchName=all Nodes=n[0-3]\n")
    return {
        "same": ("n2", [], None, 0),
        "can_fail_start": ("n2", [], None, 0),
        "missing_first": ("n0", missing, "missing", SLOTS[0]),
        "missing_middle": ("n1", missing, "missing", SLOTS[1]),
        "missing_last": ("n3", missing, "missing", SLOTS[3]),
        # This rank sends the node's records to other nodes, so all ranks of the node count as without the plugin.
        "missing_lowest": ("n2", missing, "missing", 1, True),
        "version": ("n2", [component_path(paths.folder("other_version"))], "version", 0),
        "settings": ("n3", ["OMPI_MCA_coll_strata_window=9"], "settings", 0),
        "network": ("n2", [f"OMPI_MCA_coll_strata_network=file:{other}"], "settings", 0),
        # The place where PMIx stores other processes' data must not matter.
        "storage": ("n2", ["PMIX_MCA_gds=hash"], None, 0),
        "storage_missing": ("n2", ["PMIX_MCA_gds=hash", *missing], "missing", SLOTS[2]),
        "no_exchange": ("n2", ["OMPI_MCA_pmix_base_collect_data=0"], "missing", 0),
        "on_demand": ("n2", [], None, 0),
        "on_demand_missing": ("n2", missing, "missing", SLOTS[2]),
        "spread_start": ("n2", ["OMPI_MCA_mpi_add_procs_cutoff=0"], None, 0),
        # When the launcher numbers nodes differently than the job, PMIx does not know all of them by name.
        "sequential": ("n2", [], None, 0),
        "launched_elsewhere": ("n2", [], None, 0),
        # Each node has its own address; the job's parameters are the same.
        "interfaces": ("n2", ["OMPI_MCA_btl_tcp_if_include=eth0"], None, 0),
    }


def test(paths, name):
    with Nodes(paths, SLOTS) as nodes:
        host, variables, reason, lacking, *lowest = make_cases(paths, nodes.folder)[name]
        # Set in each node's environment, as on real nodes: mpirun's command line also passes through it, and comes
        # first.
        some = [f"{'lowest' if lowest else 'host'}={host}", *variables]

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages(**({reason: 1} if reason else {}))
            outcome.expect(not reason or f"\n  {host}\n" in outcome.output.replace("\r", ""),
                           f"the message does not name {host}")

        def judge_probe(outcome):
            judge(outcome)
            have = nodes.ranks - lacking
            outcome.expect(outcome.with_plugin == have,
                           f"{outcome.with_plugin} ranks have the plugin, not {have}")
            calls = 2 * nodes.ranks * have
            forwarded = outcome.pvar("bcast_forward_" + (reason or "settings"))
            tree = outcome.pvar("bcast_tree")
            right = (calls, 0) if reason else (0, calls)
            outcome.expect((forwarded, tree) == right,
                           f"{forwarded} calls forwarded, {tree} by tree; expected {right}")

        tree = {"coll_strata_bcast_algorithm": "tree", "coll_strata_network": f"file:{nodes.network_file}"}
        if name.startswith("on_demand"):
            tree |= ON_DEMAND

        def ours():
            wrapper = late_start() if name == "can_fail_start" else ()
            return check(nodes.run("probe", ["--roots", "all"], tree, PLACED.get(name, "block"), some, wrapper=wrapper,
                                   options=OPTIONS.get(name, ())), judge_probe)

        def plain():
            return check(nodes.run("probe", ["--roots", "all"], {"coll": "^strata"}, some=["host=none"]),
                         lambda outcome: outcome.expect_success())

        told = expect_quick_start(ours, plain) if name in TIMED else ours() is not None
        arguments = ["--large-roots", 1, "--sizes", "0,1,4096,61441"]
        check(nodes.run("bcast_roots", arguments, tree, "cyclic", some), judge)
        if not told:
            sys.exit(SKIPPED)


if __name__ == "__main__":
    conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
