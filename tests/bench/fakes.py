"""Stand-ins for a cluster and for progress; folders for one test."""

import json
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))

from measuring.cluster import Run  # noqa: E402

PLAN_LINE = ("[n0:1] coll:strata: MPI_COMM_WORLD bcast of 262144 bytes from rank 0: "
             "tree (node binary/3840), predicted 1 us")


class FakeCluster:
    """Answers every run with the same times, or with what `times_of(places, competitor, root)` says."""

    ranks = 4

    def __init__(self, plan, wrong_bytes=0, status=0, errors=PLAN_LINE, times_of=None):
        self.plan = plan
        self.runs = []  # (places, competitor, root)
        self._outcome = (wrong_bytes, status, errors)
        self._times_of = times_of or (lambda *_: [2e3, 1e3, 3e3])

    def run(self, places, competitor, command, _log, _timeout):
        self.runs.append((places, competitor, command[command.index("--root") + 1]))
        wrong_bytes, status, errors = self._outcome
        with open(command[command.index("--json") + 1], "w", encoding="utf-8") as file:
            for size in command[command.index("--sizes") + 1].split(","):
                json.dump({"size": int(size), "wrong_bytes": wrong_bytes,
                           "times": self._times_of(*self.runs[-1])}, file)
                file.write("\n")
        return Run(status, 0.1, "", errors)


class Silent:
    """Progress that nobody watches."""

    def show(self, *_):
        pass

    step = say = show


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="strata-bench-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.makedirs(os.path.join(self.folder, "logs"))
