#!/usr/bin/env python3
"""Tests the processor time that the plugin adds to a passed-through call, and the part of its counters when no tool
reads them: the minimum of many interleaved repetitions, to which other load adds little."""
import json
import subprocess
import sys

from job import Failure, Paths, conclude, environment

REPETITIONS = 12


def measure(paths, program):
    """Nanoseconds by benchmark: (least, median)."""
    command = [paths["mpirun"], "--oversubscribe", "-n", "2", program, "--benchmark_format=json",
               f"--benchmark_repetitions={REPETITIONS}", "--benchmark_enable_random_interleaving=true",
               "--benchmark_min_time=0.02"]
    settings = {"btl": "self,vader", "mpi_yield_when_idle": "1", "coll_strata_setup_after": "0"}
    done = subprocess.run(command, env=environment(paths, settings), text=True, capture_output=True, timeout=240,
                          check=False)
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    times = {}
    for run in json.loads(done.stdout[done.stdout.index("{"):])["benchmarks"]:
        if run.get("error_occurred"):
            raise Failure(f"{run['name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            times.setdefault(run["name"].split("/")[-1], []).append(run["cpu_time"])
    return {name: (min(values), sorted(values)[len(values) // 2]) for name, values in times.items()}


def test(paths, program, limit):
    times = measure(paths, program)
    direct = times["direct"]
    for name, own in times.items():
        print(f"{name}: {own[0]:.1f} ns at the least, {own[1]:.1f} in the median")
    if len(times) != 5:
        raise Failure(f"benchmarks are missing: {times}")
    for name in ("as_planned", "switched_off"):
        if (extra := times[name][0] - direct[0]) > limit:
            raise Failure(f"{name} adds {extra:.2f} ns, more than the {limit:g} allowed")
    for name in ("count_call", "count_message"):
        if times[name][0] > limit:
            raise Failure(f"{name} takes {times[name][0]:.2f} ns, more than the {limit:g} allowed")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
