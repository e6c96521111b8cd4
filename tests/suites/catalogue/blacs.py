"""BLACS' tester: tens of thousands of broadcasts and reductions of small matrices, from any root."""
import os
import re

from . import scalapack_package
from .test import Test, judged_by_counts

TITLE = "BLACS' tester (Debian package scalapack-mpi-test)"


def prepare(_workshop):
    folder = scalapack_package.folder("BLACS")
    # Eight ranks let it use all its grids.
    return [Test("blacs", program, 4, (os.path.join(folder, program),), judge, ranks_on_nodes=8, limit=300,
                 files=scalapack_package.data_files(folder)) for program in ("xCbtest", "xFbtest")], []


def judge(ended):
    """Sums its summary lines. It ends by calling abort, as a test of that."""
    counts = re.findall(r"(\d+) PASSED, +\d+ SKIPPED, +(\d+) FAILED", ended.output)
    passed, failed = (sum(int(line[i]) for line in counts) for i in range(2))
    if "BLACS_ABORT is incorrect" not in ended.output:
        return f"fail (stopped after {passed} passed, {failed} failed)"
    begun = len(re.findall(r"(?<!AUXILIARY) TESTS: BEGIN", ended.output))
    if len(counts) != begun:
        return f"fail ({begun - len(counts)} parts without an end, {passed} passed, {failed} failed)"
    return judged_by_counts(passed, failed)
