#!/usr/bin/env python3
"""Tests NIC-local leaders: the elected ranks, and the traffic on the path between the NIC and the ranks far from it,
by the counters of that path's interface. With election no far rank receives from another node: its data arrives
through shared memory. Without it, the lowest rank of every node leads, and is far. The same holds for a Gather to a
far root: with election a NIC-local rank receives for it."""
import json
import os
import sys

from nodes import Failure, Nodes

from job import Paths, check, conclude

SLOTS = (4, 4, 4)
FAR = 2  # ranks of each node, the lowest ones
SIZES = [1 << 20, 4 << 20]
# Overhead of Open MPI, TCP and Ethernet: 130 bytes for a packet of 9000 or its acknowledgement, rounded up; and the
# most that a run sends besides.
OVERHEAD, NOISE = 0.02, 20000
# The count includes TCP retransmissions, when a busy machine makes late packets look lost.
PACKET = 9000 + 130


class Case:
    def __init__(self, root, elect=True, expect_election=None, operation="bcast"):
        self.root = root
        self.operation = operation
        self.elect = elect
        self.expect_election = elect if expect_election is None else expect_election


CASES = {
    "far_root": Case(0),
    "near_root": Case(FAR),
    "no_election": Case(0, elect=False),
    "can_fail": Case(0, elect=False, expect_election=True),
    "gather_far_root": Case(1, operation="gather"),
    "gather_near_root": Case(FAR, operation="gather"),
    "gather_no_election": Case(1, elect=False, operation="gather"),
    "can_fail_gather": Case(1, elect=False, expect_election=True, operation="gather"),
}


def expected(case):
    """Returns payload bytes to the far ranks of every node, and from them. A message enters each node but the root's
    once, at its leader. Between nodes one tree of leaders sends it; the plan chooses how often each sends, so that a
    far sender is only known to send or not."""
    root_node = case.root // SLOTS[0]
    if case.operation == "gather":
        # Sizes are those of blocks: all blocks of other nodes go to the root's node, to the root or to a NIC-local
        # process.
        foreign = (sum(SLOTS) - SLOTS[root_node]) * sum(SIZES)
        far = not case.expect_election and case.root % SLOTS[0] < FAR
        silent = [node for node in range(len(SLOTS)) if case.expect_election]
        return [foreign if far and node == root_node else 0 for node in range(len(SLOTS))], silent
    towards = [0 if case.expect_election or node == root_node else sum(SIZES) for node in range(len(SLOTS))]
    silent = [node for node in range(len(SLOTS)) if case.expect_election
              and not (node == root_node and case.root % SLOTS[0] < FAR)]
    return towards, silent


def traffic(nodes):
    """Returns the bytes sent towards the far ranks of every node so far, and received from them."""
    counters = []
    for node in range(len(SLOTS)):
        links = json.loads(nodes.call("exec", f"n{node}", "--", "ip", "-json", "-statistics", "link", "show",
                                      "dev", "far"))
        statistics = links[0]["stats64"]
        counters.append((statistics["tx"]["bytes"], statistics["rx"]["bytes"]))
    return counters


def retransmitted(nodes):
    """Returns the packets that TCP retransmitted so far, anywhere in the cluster."""
    with open(os.path.join(nodes.folder, "state", "cluster.json"), encoding="utf-8") as file:
        record = json.load(file)
    paths = [f"/proc/{process}/net/snmp" for process in record["nodes"] + record["far"]]
    lines = [line.split() for line in nodes.call("exec", "n0", "--", "cat", *paths).splitlines()
             if line.startswith("Tcp:")]
    return sum(int(dict(zip(names, values))["RetransSegs"]) for names, values in zip(lines[::2], lines[1::2]))


def run_counted(nodes, case, parameters, sizes, judge):
    """Runs the probe; returns per node (bytes towards far ranks, bytes from them)."""
    before = traffic(nodes)
    arguments = ["--op", case.operation, "--roots", case.root, "--sizes", ",".join(map(str, sizes))]
    check(nodes.run("probe", arguments, parameters), judge)
    return [(sent - old_sent, received - old_received)
            for (sent, received), (old_sent, old_received) in zip(traffic(nodes), before)]


def parameters_of(nodes, case):
    """Returns the machine's description for the plugin, from the cluster itself."""
    lines = nodes.call("parameters").splitlines()
    parameters = dict(line.split("=", 1) for line in lines)
    if not case.elect:
        parameters["coll_strata_nic"] = "none"
    return parameters | {f"coll_strata_{case.operation}_algorithm": "tree",
                         "coll_strata_network": f"file:{nodes.network_file}"}


def check_leaders(nodes, case, path):
    with open(path, encoding="utf-8") as file:
        levels = json.load(file)["levels"]
    groups = next(level["groups"] for level in levels if level["kind"] == "node")
    sides = [group["leader"] % SLOTS[0] < FAR for group in groups]
    wanted = [not case.elect] * len(SLOTS)
    print(f"leaders of nodes: {[group['leader'] for group in groups]}")
    if sides != wanted:
        raise Failure(f"leaders far from their NIC: {sides}, expected {wanted}")


def judge_traffic(case, empty, full, repeated):
    """`empty`, `full`: traffic of a run without and with broadcasts; TCP retransmitted `repeated` packets in these."""
    towards, silent = expected(case)
    slack = max(sum(SIZES), *towards) * OVERHEAD + NOISE + repeated * PACKET
    print(f"{repeated} packets sent again")
    for node, payload in enumerate(towards):
        seen = full[node][0] - empty[node][0]
        print(f"n{node}: {seen} bytes to far ranks ({payload} of payload), "
              f"{full[node][1] - empty[node][1]} from them")
        if not payload - NOISE <= seen <= payload + slack:
            raise Failure(f"{seen} bytes to the far ranks of n{node}, expected {payload} and at most "
                          f"{slack:.0f} more")
    for node in range(len(SLOTS)):
        seen = full[node][1] - empty[node][1]
        if node in silent and seen > slack:
            raise Failure(f"{seen} bytes from the far ranks of n{node}, expected none")
        if case.expect_election and node not in silent and seen < sum(SIZES):
            raise Failure(f"the far root sent {seen} bytes, expected at least {sum(SIZES)}")


def test(paths, name):
    case = CASES[name]
    with Nodes(paths, SLOTS, sites=1, options=("--far-mbit", 10000, "--far-ranks", FAR)) as nodes:
        parameters = parameters_of(nodes, case)
        picture = os.path.join(nodes.folder, "hierarchy.json")

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages()

        def judge_calls(outcome):
            judge(outcome)
            calls = len(SIZES) * nodes.ranks
            done = outcome.pvar(f"{case.operation}_tree")
            outcome.expect(done == calls, f"{done} of {calls} calls by tree")

        empty = run_counted(nodes, case, parameters, [], judge)
        before = retransmitted(nodes)
        full = run_counted(nodes, case, parameters | {"coll_strata_dump": picture}, SIZES, judge_calls)
        repeated = retransmitted(nodes) - before
        check_leaders(nodes, case, picture)
        judge_traffic(case, empty, full, repeated)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
