"""ScaLAPACK's testers: factorizations and eigenvalues, checked by residuals."""
import glob
import os
import re

from . import scalapack_package
from .test import Test, ended_badly, judged_by_counts

TITLE = "ScaLAPACK's testers (Debian package scalapack-mpi-test)"


def prepare(_workshop):
    folder = scalapack_package.folder()
    programs = sorted(filter(os.path.isfile, glob.glob(os.path.join(folder, "x[sdcz]*"))))
    return [Test("scalapack", os.path.basename(path), 4, (path,), judge, limit=240,
                 files=scalapack_package.data_files(folder)) for path in programs], []


def judge(ended):
    """Its last lines give the numbers of passed and failed tests, in some programs once per part."""
    bad = ended_badly(ended)
    if bad:
        return bad
    passed = re.findall(r"(\d+) tests completed and passed", ended.output)
    failed = re.findall(r"(\d+) tests completed and failed", ended.output)
    return judged_by_counts(sum(map(int, passed)), sum(map(int, failed)))
