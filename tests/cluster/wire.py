#!/usr/bin/env python3
"""Tests that monitoring sessions report between nodes what the nodes' NICs send, with bench/introspection: messages
of the program and of collectives, by stock Open MPI and by the plugin."""
import dataclasses
import os
import sys
import types

from nodes import Failure, Nodes

from job import Paths, conclude

from strata_bench.introspection import series, wire
from strata_bench.measuring.cluster import StandingCluster

PATTERNS = (wire.Pattern("random", 1 << 20), wire.Pattern("bcast", 1 << 20, ("tuned", "strata")),
            wire.Pattern("allgather", 256 << 10, ("tuned", "strata")))
CALLS = 2


def blind(run):
    """Reports 3 % less than every node sent."""
    nodes = tuple(dataclasses.replace(node, sent=node.sent - node.sent * 3 // 100) for node in run.nodes)
    return dataclasses.replace(run, nodes=nodes)


def test_series(cluster, built, folder):
    """Read every 10 ms, a session still reports every byte that the program sends."""
    for _ in range(3):  # repeats a run that retransmitted packets spoil
        found, why = series.measure(cluster, built, folder, 3)
        if not found:
            raise Failure(why)
        if not (found.resent and found.complaint()):
            break
    print("\n".join(series.text(found, lambda text, *_: text)))
    if found.complaint():
        raise Failure(found.complaint())


def test(paths, name):
    patterns = PATTERNS if name == "all" else PATTERNS[:1]
    with Nodes(paths, (2, 2, 2)) as nodes, StandingCluster(os.path.join(nodes.folder, "state")) as cluster:
        folder = os.path.join(nodes.folder, "bench")
        os.makedirs(os.path.join(folder, "logs"))
        built = types.SimpleNamespace(plugin_folder=paths.folder(), tool=lambda program: os.path.join(paths["build"], program))
        if name == "series":
            test_series(cluster, built, folder)
            return
        measurement = wire.Measurement(cluster, built, folder, CALLS)
        measurement.run(types.SimpleNamespace(show=lambda *_, **__: None), patterns)
    runs = [blind(run) for run in measurement.runs] if name == "can_fail" else measurement.runs
    print("\n".join(wire.table(runs, lambda text, *_: text)))
    wrong = [f"{run.pattern.title()}, {run.by}: {run.complaint()}" for run in runs if run.complaint()]
    if wrong:
        raise Failure("\n".join(wrong))


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
