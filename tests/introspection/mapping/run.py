#!/usr/bin/env python3
"""Tests that strata-traffic --run shows an unmodified program's traffic on the hierarchy that the plugin wrote."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plugin"))
from job import Failure, Paths, conclude, environment, synthetic, require_component  # noqa: E402

RANKS, NODES, SIZE, CALLS = 8, 4, 100000, 5
TOLD = ("--topology", "synthetic:core:4", "--nodes", "2")


def shown(paths, command, folder, program, machine=(), parameters=None, form="json"):
    """Returns the command's text for a job of RANKS ranks."""
    output = f"traffic.{form}"
    arguments = [command, "--run", *machine, "--format", form, "--output", output, "--",
                 paths["mpirun"], "--oversubscribe", "-n", str(RANKS), *program]
    settings = {"btl": "self,vader", "mpi_yield_when_idle": "1"} | (parameters or {})
    run = subprocess.run(arguments, cwd=folder, env=environment(paths, settings), text=True, timeout=80,
                         capture_output=True)
    if run.returncode != 0:
        raise Failure(f"exit status {run.returncode}\n{run.stdout}{run.stderr}")
    if os.listdir(folder) != [output]:
        raise Failure(f"left behind: {os.listdir(folder)}")
    with open(os.path.join(folder, output), encoding="utf-8") as file:
        return file.read()


def traffic(paths, command, folder, machine=(), parameters=None):
    program = [paths["probe"], "--sizes", str(SIZE), "--calls", str(CALLS), "--on", "world", "--roots", "0"]
    return json.loads(shown(paths, command, folder, program, machine, parameters))


def test_fetching(paths, command, fetching):
    """In a Get the target sends the data; the request is a message of the rank itself."""
    with tempfile.TemporaryDirectory() as folder:
        text = shown(paths, command, folder, [fetching, str(CALLS), str(SIZE)], TOLD, {"coll": "^strata"}, "sparse")
    flows = {(int(line.split()[0]), int(line.split()[1])): [int(word) for word in line.split()[2:]]
             for line in text.splitlines()[1:]}
    few = 20000  # bytes of MPI's own messages for a window
    for rank in range(RANKS - 1):
        to, back = flows[rank, rank + 1], flows[rank + 1, rank]
        if not CALLS * SIZE <= back[0] <= CALLS * SIZE + few or to[0] > few or min(to[1], back[1]) < CALLS:
            raise Failure(f"rank {rank} gets {CALLS} times {SIZE} bytes of rank {rank + 1}, not: {to}, {back}\n{text}")


def test(paths, command, fetching):
    require_component(paths, "pml: monitoring")
    with tempfile.TemporaryDirectory() as folder:
        # A broadcast enters each other node once; otherwise the program sends only a few results to all.
        found = traffic(paths, command, folder, parameters=synthetic(NODES, RANKS // NODES))
        network = sum(level["before"]["bytes"] for level in found["levels"] if level["network"])
        least = CALLS * SIZE * (NODES - 1)
        if found["ranks"] != RANKS or not least <= network <= 1.5 * least:
            raise Failure(f"{network} bytes between nodes, expected {least} and little more: {found}")
    with tempfile.TemporaryDirectory() as folder:
        # Without the plugin the user describes the machine.
        found = traffic(paths, command, folder, TOLD, {"coll": "^strata"})
        if [level["level"] for level in found["levels"]] != ["cluster", "node"]:
            raise Failure(f"not the given machine: {found}")
        found = traffic(paths, command, folder, TOLD, {"coll": "self,basic,libnbc,tuned", "pml": "ob1", "osc": "sm"})
        if sum(level["before"]["bytes"] for level in found["levels"]) < CALLS * SIZE:
            raise Failure(f"not monitored where the environment lists components: {found}")
    test_fetching(paths, command, fetching)


conclude(lambda: test(Paths(sys.argv[1]), *sys.argv[2:]))
