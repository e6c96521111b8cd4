"""Runs of strata_simulate, as many at once as there are processors."""

import concurrent.futures
import dataclasses
import json
import os
import subprocess
import threading

from measuring.cluster import ClusterError

HERE = os.path.dirname(os.path.realpath(__file__))
MACHINES = os.path.join(os.path.dirname(HERE), "simulation", "machines")


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of the program: a process simulates one job."""
    machine: str
    operation: str
    sizes: tuple
    contenders: tuple

    @property
    def title(self):
        return f"{self.machine}, {self.operation}: {', '.join(self.contenders)}"

    def command(self, program, output):
        return [program, os.path.join(MACHINES, f"{self.machine}.json"), "--op", self.operation,
                "--sizes", ",".join(map(str, self.sizes)), "--contenders", ",".join(self.contenders), "--json", output]


class Runner:
    def __init__(self, program, folder, progress):
        self._program, self._folder, self._progress = program, folder, progress
        self._lock = threading.Lock()
        self._running = set()

    def times(self, runs):
        """{(operation, contender, bytes): simulated microseconds} of all runs."""
        times = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            try:
                started = {pool.submit(self._one, number, run): run for number, run in enumerate(runs)}
                for done, future in enumerate(concurrent.futures.as_completed(started), 1):
                    for row in future.result():
                        times[row["op"], row["contender"], row["bytes"]] = row["us"]
                    self._progress.show(f"simulated: {started[future].title}", share=done / len(runs))
            except BaseException:
                self._stop()
                raise
        return times

    def _one(self, number, run):
        output = os.path.join(self._folder, "logs", f"{run.machine}-{run.operation}-{number}.json")
        with subprocess.Popen(run.command(self._program, output), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            with self._lock:
                self._running.add(process)
            _, said = process.communicate()
            with self._lock:
                self._running.discard(process)
        if process.returncode:
            raise ClusterError(f"{run.title}: {said.strip() or f'exit status {process.returncode}'}")
        with open(output, encoding="utf-8") as file:
            return json.load(file)

    def _stop(self):
        with self._lock:
            for process in self._running:
                process.terminate()
