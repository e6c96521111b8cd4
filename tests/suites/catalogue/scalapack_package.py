"""Where Debian's package of ScaLAPACK's testers has them."""
import glob
import os

from obtain import Unavailable, require

PACKAGE = "scalapack-mpi-test"


def folder(*parts):
    require(PACKAGE)
    found = glob.glob("/usr/lib/*/scalapack/openmpi-tests")
    if not found:
        raise Unavailable(f"the package {PACKAGE} has no tests for Open MPI")
    return os.path.join(found[0], *parts)


def data_files(path):
    return tuple(sorted(glob.glob(os.path.join(path, "*.dat"))))
