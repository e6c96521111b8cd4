#!/usr/bin/env python3
"""As ../plugin/start_failures.py on several nodes; the failing process may be the one that fetches the other nodes'
published data for its node."""
import importlib.util
import os
import sys

from nodes import Nodes

from job import Paths, conclude

SLOTS = (2, 1, 3, 2)
# Name -> (rank that fails, its node in block order, how, at how many allocations).
CASES = {"lowest": (3, "n2", "once", 8), "highest": (7, "n3", "other", 8), "object": (3, "n2", "object", 200)}


def on_one_node():
    """The module of the same name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugin", "start_failures.py")
    spec = importlib.util.spec_from_file_location("start_failures_on_one_node", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test(paths, name):
    victim, node, how, points = CASES[name]
    shared = on_one_node()
    with Nodes(paths, SLOTS) as nodes:
        parameters = shared.PARAMETERS | {"coll_strata_network": f"file:{nodes.network_file}"}
        shared.Start(lambda some: nodes.run("start_failures", parameters=parameters, some=some), how, victim,
                     node).fail_at(points)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
