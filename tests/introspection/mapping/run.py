#!/usr/bin/env python3
"""strata-traffic --run shows the traffic of a program that nobody changed, on the hierarchy that the plugin wrote."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plugin"))
from job import Failure, Paths, conclude, environment, pretended, require_component  # noqa: E402

RANKS, NODES, SIZE, CALLS = 8, 4, 100000, 5


def traffic(paths, command, folder, machine=(), parameters=None):
    arguments = [command, "--run", *machine, "--format", "json", "--output", "traffic.json", "--",
                 paths["mpirun"], "--oversubscribe", "-n", str(RANKS), paths["probe"], "--sizes", str(SIZE),
                 "--calls", str(CALLS), "--on", "world", "--roots", "0"]
    settings = {"btl": "self,vader", "mpi_yield_when_idle": "1"} | (parameters or {})
    run = subprocess.run(arguments, cwd=folder, env=environment(paths, settings), text=True, timeout=80,
                         capture_output=True)
    if run.returncode != 0:
        raise Failure(f"exit status {run.returncode}\n{run.stdout}{run.stderr}")
    if os.listdir(folder) != ["traffic.json"]:
        raise Failure(f"left behind: {os.listdir(folder)}")
    with open(os.path.join(folder, "traffic.json"), encoding="utf-8") as file:
        return json.load(file)


def test(paths, command):
    require_component(paths, "pml: monitoring")
    with tempfile.TemporaryDirectory() as folder:
        # A broadcast enters each other node once; the program says no more to all than some results.
        found = traffic(paths, command, folder, parameters=pretended(NODES, RANKS // NODES))
        network = sum(level["before"]["bytes"] for level in found["levels"] if level["network"])
        least = CALLS * SIZE * (NODES - 1)
        if found["ranks"] != RANKS or not least <= network <= 1.5 * least:
            raise Failure(f"{network} bytes between nodes, expected {least} and little more: {found}")
    with tempfile.TemporaryDirectory() as folder:
        # Without the plugin the user tells of the machine.
        machine = ("--topology", "synthetic:core:4", "--nodes", "2")
        found = traffic(paths, command, folder, machine, {"coll": "^strata"})
        if [level["level"] for level in found["levels"]] != ["cluster", "node"]:
            raise Failure(f"not the machine that was told: {found}")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
