#!/usr/bin/env python3
"""Tests that three views of the switches above a node agree on every node: Slurm's variables in its tasks, this
project's reading of them, and its reading of the same topology.conf; for trees and other networks."""
import sys
import time

from slurm import Failure, SlurmNodes, read_network, slurm_release

from job import Paths, conclude

# Name -> topology.conf (None: the cluster's own), and the switches above n0, n1, n2, n3.
TOPOLOGIES = {
    "two sites": (None, ["top.site0", "top.site0", "top.site1", "top.site1"]),
    "branches of unequal depth": (
        "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\nSwitchName=m Switches=s0\n"
        "SwitchName=t Switches=m,s1,x\nSwitchName=x Nodes=n[2-3]\n",
        ["t.m.s0", "t.s1", "t.x", "t.x"]),
    "two rails": (
        "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=t Switches=s[0-1]\n",
        ["t.s0", "t.s0", "t.s0,s1", "t.s0,s1"]),
    "fat tree": (
        "SwitchName=l0 Nodes=n[0-1]\nSwitchName=l1 Nodes=n[2-3]\n"
        "SwitchName=sp0 Switches=l[0-1]\nSwitchName=sp1 Switches=l[0-1]\n",
        ["sp0,sp1.l0", "sp0,sp1.l0", "sp0,sp1.l1", "sp0,sp1.l1"]),
    "no switches": ("# none\n", ["", "", "", ""]),
}
# As the cluster's own, but n1 at the other site.
WRONG = "SwitchName=site0 Nodes=n0\nSwitchName=site1 Nodes=n[1-3]\nSwitchName=top Switches=site[0-1]\n"
SECONDS_TO_RECONFIGURE = 10

NOT_CONNECTED = "Requested topology configuration is not available"  # since 23 there is no job without a switch above it
SAY = 'echo "$SLURMD_NODENAME=$SLURM_TOPOLOGY_ADDR_PATTERN=$SLURM_TOPOLOGY_ADDR"'


def told(nodes, reader):
    """Returns host -> switches, from the variables of one process per node; and those variables."""
    job = ("srun", f"--nodes={len(nodes.names)}", "--ntasks-per-node=1", "sh", "-c", SAY)
    if slurm_release() >= 23 and NOT_CONNECTED in nodes.execute(*job)[1]:
        return dict.fromkeys(nodes.names, ""), [NOT_CONNECTED]
    said = nodes.must(*job).split()
    return read(reader, "address", *said), said


def read(reader, *words):
    """Returns host -> switches, as read_network prints them."""
    status, output = read_network(reader, *words)
    if status != 0:
        raise Failure(f"read_network {' '.join(words)} ended with {status}: {output}")
    return dict(line.split(" ", 1) for line in output.splitlines())


def first_difference(found, wanted):
    for host, path in wanted.items():
        if found.get(host) != path:
            return f"{host} is below {found.get(host) or 'nothing'}, expected {path or 'nothing'}"
    return None


def compare(nodes, reader, name, paths, patience):
    wanted = dict(zip(nodes.names, paths))
    deadline = time.monotonic() + patience
    while True:
        found, said = told(nodes, reader)
        difference = first_difference(found, wanted)
        if not difference:
            break
        if time.monotonic() > deadline:
            raise Failure(f"{name}: Slurm gave {' '.join(sorted(said))}: {difference}")
        time.sleep(0.2)
    difference = first_difference(read(reader, "file", nodes.network_file, *nodes.names), wanted)
    if difference:
        raise Failure(f"{name}: by the file {difference}")
    print(f"{name}: {' '.join(sorted(said))}")


def test(paths, reader, can_fail):
    with SlurmNodes(paths, WRONG if can_fail else None) as nodes:
        for name, (text, expected) in TOPOLOGIES.items():
            if text is not None:
                nodes.write_topology(text)
                nodes.must("scontrol", "reconfigure")
            compare(nodes, reader, name, expected, SECONDS_TO_RECONFIGURE if text is not None else 0)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], "can_fail" in sys.argv))
