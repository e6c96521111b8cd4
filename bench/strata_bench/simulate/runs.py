"""Runs of strata_simulate, as many at once as there are cores."""

import concurrent.futures
import dataclasses
import os
import subprocess
import threading

from ..measuring.cluster import ClusterError
from ..measuring.files import read_json

from .variation import MACHINES, varied


@dataclasses.dataclass(frozen=True)
class Run:
    """One call of the program: a process simulates one job."""
    machine: str
    operation: str
    sizes: tuple
    contenders: tuple
    job: tuple = ()  # further options
    roots: str = "0"
    change: tuple = ()  # changed number of the machine: arguments of variation.varied() after its name
    label: str = ""  # label of the change
    program = "strata_simulate"

    @property
    def title(self):
        label = f" ({self.label})" if self.label else ""
        return f"{' '.join((self.machine, *self.job))}{label}, {self.operation}: {', '.join(self.contenders)}"

    @property
    def key(self):
        """Distinguishes the job from others of the same figure."""
        return (*self.job, self.label) if self.label else self.job

    def options(self):
        return ["--op", self.operation, "--sizes", ",".join(map(str, self.sizes)), "--roots", self.roots]

    def command(self, programs, machine, output):
        """`programs` is {name: path}; `machine` is its description's path."""
        return [programs[self.program], machine, *self.options(), "--contenders", ",".join(self.contenders), *self.job,
                "--json", output]

    def read(self, path):
        """Returns the results that the program wrote. Raises ValueError for what is no result."""
        return read_json(path)


class Found:
    """The program's results, by job, operation, contender and size."""

    def __init__(self):
        self._rows = {}

    def add(self, run, rows):
        for row in rows:
            self._rows.setdefault((run.key, row["op"], row["contender"], row["bytes"]), []).append(row)

    def rows(self, operation, contender, size, job=()):
        """Returns one result per root."""
        return self._rows[job, operation, contender, size]

    def us(self, operation, contender, size, job=()):
        """Returns simulated microseconds of a single root."""
        row, = self.rows(operation, contender, size, job)
        return row["us"]


class Runner:
    def __init__(self, programs, folder, progress):
        """`programs` is {name: path}."""
        self._programs, self._folder, self._progress = programs, folder, progress
        self._lock = threading.Lock()
        self._running = set()

    def found(self, runs):
        found = Found()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            try:
                started = {pool.submit(self._one, number, run): run for number, run in enumerate(runs)}
                for done, future in enumerate(concurrent.futures.as_completed(started), 1):
                    found.add(started[future], future.result())
                    self._progress.show(f"simulated: {started[future].title}", share=done / len(runs))
            except BaseException:
                self._stop()
                raise
        return found

    def _one(self, number, run):
        output = os.path.join(self._folder, "logs", f"{run.machine}-{run.operation}-{number}.json")
        machine = os.path.join(MACHINES, f"{run.machine}.json")
        if run.change:
            machine = os.path.join(self._folder, "logs", f"machine-{number}.json")
            with open(machine, "w", encoding="utf-8") as file:
                file.write(varied(run.machine, *run.change))
        with subprocess.Popen(run.command(self._programs, machine, output), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            with self._lock:
                self._running.add(process)
            _, errors = process.communicate()
            with self._lock:
                self._running.discard(process)
        if process.returncode:
            raise ClusterError(f"{run.title}: {errors.strip() or f'exit status {process.returncode}'}")
        try:
            return run.read(output)
        except ValueError as error:
            raise ClusterError(f"{run.title}: {error}") from error

    def _stop(self):
        with self._lock:
            for process in self._running:
                process.terminate()
