"""Fakes of a cluster and of progress; folders for one test."""

import json
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.path.append(os.path.join(ROOT, "tests", "plugin"))

from strata_bench.measuring import operations  # noqa: E402
from strata_bench.measuring.cluster import Run  # noqa: E402
from strata_bench.measuring.competitors import clean_environment  # noqa: E402


def mpirun_environment(**more):
    """Settings for mpirun on this machine, as any user. It does not sleep between ending the ranks and
    checking that they are gone, which takes a second by default."""
    return {**clean_environment(), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_odls_base_sigkill_timeout": "0", **more}


def plan_line(operation, size):
    return (f"[n0:1] coll:strata: why: MPI_COMM_WORLD {operation} of {size} bytes from rank 0: "
            "tree (node binary/3840), predicted 1 us")


class FakeCluster:
    """Answers every run with the same outcome and times, or with those of functions of (places, competitor,
    root): `times_of` (microseconds), `outcome_of` (wrong bytes, early exits from a Barrier, exit status)."""

    ranks = 4

    def __init__(self, plan, outcome=(0, 0, 0), errors=None, times_of=None, outcome_of=None):
        self.plan = plan
        self.runs = []  # (places, competitor, root)
        self.operations = []  # of the runs
        self._errors = errors  # None: a plan for every size
        self._times_of = times_of or (lambda *_: [2e3, 1e3, 3e3])
        self._outcome_of = outcome_of or (lambda *_: outcome)

    def run(self, places, competitor, command, _log, _timeout):
        def option(name):
            return command[command.index(name) + 1] if name in command else None

        self.runs.append((places, competitor, option("--root")))
        self.operations.append(option("--op"))
        wrong_bytes, left_early, status = self._outcome_of(*self.runs[-1])
        sizes = operations.sizes_of(option("--op"), map(int, option("--sizes").split(",")))
        with open(option("--json"), "w", encoding="utf-8") as file:
            for size in sizes:
                json.dump({"size": size, "bytes": size, "wrong_bytes": wrong_bytes, "left_early": left_early,
                           "times": self._times_of(*self.runs[-1])}, file)
                file.write("\n")
        errors = "\n".join(plan_line(option("--op"), size) for size in sizes)
        return Run(status, 0.1, "", errors if self._errors is None else self._errors)


class Silent:
    """Progress without output."""

    def show(self, *_):
        pass

    step = say = show


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="strata-bench-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.makedirs(os.path.join(self.folder, "logs"))
