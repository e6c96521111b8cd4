#!/usr/bin/env python3
"""Tests that the tree engine crosses every boundary the minimum number of times, in messages and bytes, for any rank
order, root and spread of ranks over nodes. Two witnesses: the plugin's own counters, and Open MPI's monitoring of
the messages that its point-to-point layer sent between nodes."""
import math
import os
import re
import sys

from nodes import Failure, Nodes

from job import Paths, check, conclude

SEGMENT = 8192
SIZES = {"default": [8, 8192, 8193, 65536], "sizes": [8, 100, 1000, 10000, 65536, 1 << 20]}
ROOTS = [0, 5, 15]


class Case:
    def __init__(self, order="block", slots=(4, 4, 4, 4), sizes="default", roots=tuple(ROOTS)):
        self.order = order
        self.slots = slots
        self.sizes = SIZES[sizes]
        self.roots = list(roots)


CASES = {
    "block": Case(),
    "cyclic": Case("cyclic"),
    "shuffle": Case("shuffle"),
    "unequal": Case("cyclic", (2, 3, 5, 6)),
    "sizes": Case("shuffle", sizes="sizes", roots=(5,)),
    "can_fail": Case(sizes="sizes", roots=(0,)),
}


def expected(case, sites=2):
    """Returns (messages, bytes) over switches, and over nodes' inner links. For any root, a broadcast enters every
    site but the root's once, every node but the root's once, and every rank but the first of its node once."""
    nodes = len(case.slots)
    over_switches = (sites - 1) + (nodes - sites)
    inside = sum(case.slots) - nodes
    calls = len(case.roots)
    messages = sum(max(1, math.ceil(size / SEGMENT)) for size in case.sizes) * calls
    volume = sum(case.sizes) * calls
    return {"switch": (over_switches * messages, over_switches * volume),
            "inside": (inside * messages, inside * volume)}


# A line of a monitoring file: internal messages from a rank to a rank.
LINE = re.compile(r"^I\t(\d+)\t(\d+)\t(\d+) bytes", re.MULTILINE)


def monitored(folder, node_of):
    """Returns the bytes of Open MPI's own (collective) messages between nodes, from its monitoring files."""
    total = 0
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for sender, receiver, size in LINE.findall(file.read()):
                if node_of[int(sender)] != node_of[int(receiver)]:
                    total += int(size)
    return total


def agreement_bytes(node_of):
    """Returns the traffic between nodes of the agreement in a communicator's first call: a mark and eleven words from
    every node to those 1, 2, 4, ... further on."""
    nodes = len(set(node_of.values()))
    return 96 * nodes * (nodes - 1).bit_length()


def run_monitored(nodes, case, sizes, judge):
    """Runs the probe under monitoring; returns the outcome and the bytes between nodes."""
    folder = os.path.join(nodes.folder, f"monitored{len(sizes)}")
    os.makedirs(folder)
    parameters = {
        "pml": "ob1,monitoring", "pml_monitoring_enable": "2", "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": os.path.join(folder, "rank"),
        "coll_strata_bcast_algorithm": "tree", "coll_strata_bcast_segsize": str(SEGMENT),
        "coll_strata_network": f"file:{nodes.network_file}",
    }
    arguments = ["--roots", ",".join(map(str, case.roots)), "--sizes", ",".join(map(str, sizes))]
    outcome = check(nodes.run("probe", arguments, parameters, case.order), judge)
    if len(os.listdir(folder)) != nodes.ranks:
        raise Failure(f"monitoring wrote {len(os.listdir(folder))} files for {nodes.ranks} ranks")
    return outcome, monitored(folder, outcome.nodes)


def test(paths, name):
    case = CASES[name]
    with Nodes(paths, case.slots) as nodes:
        wanted = expected(case)
        if name == "can_fail":
            wanted["switch"] = (wanted["switch"][0] + 1, wanted["switch"][1])

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages()
            outcome.expect(len(set(outcome.nodes.values())) == len(case.slots), f"nodes: {outcome.nodes}")

        def judge_counts(outcome):
            judge(outcome)
            calls = len(case.sizes) * len(case.roots) * nodes.ranks
            done = outcome.pvar("bcast_tree")
            outcome.expect(done == calls, f"{done} of {calls} calls by tree")
            both = (outcome.pvar("messages_switch"), outcome.pvar("bytes_switch"))
            outcome.expect(both == wanted["switch"],
                           f"messages over switches: {both}, expected {wanted['switch']}")
            inside = (outcome.pvar_sum("messages_") - both[0], outcome.pvar_sum("bytes_") - both[1])
            outcome.expect(inside == wanted["inside"],
                           f"messages inside nodes: {inside}, expected {wanted['inside']}")

        # Start-up sends the same between nodes with and without broadcasts.
        _, before = run_monitored(nodes, case, [], judge)
        judged, after = run_monitored(nodes, case, case.sizes, judge_counts)
        seen = after - before - agreement_bytes(judged.nodes)
        print(f"{name}: (messages, bytes) over switches {wanted['switch']}; monitored between nodes {seen}")
        if seen != wanted["switch"][1]:
            raise Failure(f"monitoring saw {seen} bytes between nodes, expected {wanted['switch'][1]}")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
