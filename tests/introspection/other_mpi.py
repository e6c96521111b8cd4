#!/usr/bin/env python3
"""other_mpi.py CMAKE GENERATOR SOURCE FOLDER: builds the library for Debian's MPICH in FOLDER and runs these tests there."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugin"))

from job import SKIPPED, Failure, conclude  # noqa: E402


def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def test(cmake, generator, source, folder):
    programs = [shutil.which(name) for name in ("mpicc.mpich", "mpicxx.mpich", "mpirun.mpich")]
    if None in programs:
        print("skipped: no MPICH (Debian: mpich, libmpich-dev)")
        sys.exit(SKIPPED)
    compiler, cxx_compiler, mpirun = programs
    run(cmake, "-S", source, "-B", folder, "-G", generator, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DSTRATA_INTROSPECTION_ONLY=ON",
        "-DSTRATA_UNIT_TESTS=OFF", "-DCMAKE_UNITY_BUILD=ON", f"-DMPI_C_COMPILER={compiler}", f"-DMPI_CXX_COMPILER={cxx_compiler}", f"-DMPIEXEC_EXECUTABLE={mpirun}")
    run(cmake, "--build", folder)
    ctest = os.path.join(os.path.dirname(cmake), "ctest")
    # Tests without MPI ran with the first MPI; the proofs that tests can fail need no other MPI.
    output = run(ctest, "--test-dir", folder, "--output-on-failure", "-j", "2", "-E", "^mapping[.]|can_fail")
    print(output)
    if "tests passed, 0 tests failed" not in output:
        raise Failure("no test ran")


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:5]))
