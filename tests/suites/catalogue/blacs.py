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
    counts = re.findall(r"(\d+) PASSED, +(\d+) SKIPPED, +(\d+) FAILED", ended.output)
    passed, skipped, failed = (sum(int(line[i]) for line in counts) for i in range(3))
    if "BLACS_ABORT is incorrect" not in ended.output:
        return f"fail (stopped after {passed} passed, {failed} failed)"
    verdict = judged_by_counts(passed, failed)
    # How many it skips is a matter of its grids: said, so that fewer tests do not pass for the same.
    return verdict if verdict != "pass" or len(counts) == 25 else \
        f"fail ({len(counts)} summaries, {passed} passed, {skipped} skipped)"
