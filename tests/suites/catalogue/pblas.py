"""PBLAS' testers: linear algebra on grids of processes, checked against serial results."""
import glob
import os
import re

from . import scalapack_package
from .test import Test, ended_badly, judged_by_counts

TITLE = "PBLAS' testers (Debian package scalapack-mpi-test)"


def prepare(_workshop):
    folder = scalapack_package.folder("PBLAS")
    programs = sorted(glob.glob(os.path.join(folder, "*tst")))
    return [Test("pblas", os.path.basename(path), 4, (path,), judge, ranks_on_nodes=8, limit=120,
                 files=scalapack_package.data_files(folder)) for path in programs], []


def judge(ended):
    """Sums the summary: total, passed, failed, skipped per routine."""
    rows = re.findall(r"^ *\|? *P\w+ +(\d+) +(\d+) +(\d+) +(\d+) *$", ended.output, re.MULTILINE)
    bad = ended_badly(ended)
    if bad or "End of Tests" not in ended.output:
        return bad or "fail (no end of tests)"
    return judged_by_counts(sum(int(row[1]) for row in rows), sum(int(row[2]) for row in rows))
