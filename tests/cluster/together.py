#!/usr/bin/env python3
"""Tests all contenders of bench/compare in one job: the named component serves each, Open MPI's own communicators
and those of han and the mock-ups stay without the plugin, and on every communicator the plugin follows its info
object. The test also detects an ineffective key."""
import dataclasses
import os
import sys

from nodes import Failure, Nodes

from job import Paths, conclude

from strata_bench.compare import contenders, grid
from strata_bench.compare.measure import CellRounds
from strata_bench.compare.setting import OnCluster
from strata_bench.measuring.cluster import StandingCluster

SIZES = (8, 64 << 10)
# Not cyclic: there han gathers wrong bytes, in a job without the plugin too (Open MPI 4.1.4).
CELLS = [grid.cell(name, "block", SIZES, "last") for name in ("bcast", "allreduce", "gather", "barrier")]
# With so few nodes, and one NIC each; on several nodes.
CANNOT = {"ring": "uses tree", "rails": "uses tree", "node": "on several nodes"}
SPOILED = {  # a contender with an unknown key
    "can_fail_component": ("han", "ompi_comm_coll_preferenc"),
    "can_fail_engine": ("levels", None),
    "can_fail_plugin": ("strata", "ompi_comm_coll_preferenc"),
}


def spoiled(one, key):
    """Renames its first key to `key`; for None truncates all keys of the plugin."""
    if key:
        return dataclasses.replace(one, info=((key, one.info[0][1]), *one.info[1:]))
    info = tuple((name[:-1] if name.startswith("strata_") else name, value) for name, value in one.info)
    return dataclasses.replace(one, info=info)


def test(paths, name):
    with Nodes(paths, (2, 2)) as nodes, StandingCluster(os.path.join(nodes.folder, "state")) as cluster:
        os.makedirs(os.path.join(nodes.folder, "bench", "logs"))
        everybody = contenders.make(contenders.NAMES, paths.folder(), {"network": f"file:{nodes.network_file}"})
        if name in SPOILED:
            who, key = SPOILED[name]
            everybody = [spoiled(one, key) if one.name == who else one for one in everybody]
        program = os.path.join(paths["build"], "bench", "collective_latency")
        rounds = CellRounds(OnCluster(cluster), program, everybody, 2, 1, os.path.join(nodes.folder, "bench"))
        found = rounds.run(CELLS, {cell: None for cell in CELLS}, "together", lambda _: None)
    wrong = []  # of all contenders: the next contender may be the one that detects a wrong component
    for cell, by_name in found.items():
        for who, series in by_name.items():
            expected = CANNOT.get(who, "")
            if series.failure or (series.absent and (not expected or expected not in series.absent)):
                wrong.append(f"{who}, {cell.short_title()}: {series.failure or series.absent}")
            elif set(series.times) != set(cell.sizes):
                wrong.append(f"{who}, {cell.short_title()}: has times of {sorted(series.times)}")
    if wrong:
        raise Failure("\n".join(wrong))
    print(f"{len(everybody)} contenders did {len(found)} operations as they were told")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
