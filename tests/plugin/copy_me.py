#!/usr/bin/env python3
"""Tests that a new collective needs only a row of collectives.def, its algorithm with the slot's function, and
coll/tuned's cost: builds the plugin from a copy of the sources plus those of tests/copy_me, and lets it serve
MPI_Alltoall."""
import os
import shutil
import subprocess
import sys
import tempfile

from job import Failure, Paths, check, conclude, synthetic, run

EXAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "copy_me")
ADDED = {"alltoall.cc": "component/collectives", "tuned_alltoall.cc": "algorithms/openmpi_cost"}
RANKS = 5
LEFT_OUT = ("build", ".git", "tests", "bench")


def copied(paths, folder):
    shutil.copytree(paths["source"], folder, dirs_exist_ok=True,
                    ignore=lambda at, names: LEFT_OUT if at == paths["source"] else ())
    for name, room in ADDED.items():
        shutil.copy(os.path.join(EXAMPLE, name), os.path.join(folder, room))
    with open(os.path.join(EXAMPLE, "collectives.row"), encoding="utf-8") as row, \
            open(os.path.join(folder, "algorithms/base/collectives.def"), "a", encoding="utf-8") as table:
        table.write(row.read())


def built(paths, folder):
    build = os.path.join(folder, "build")
    for command in ([paths["cmake"], "-S", folder, "-B", build, "-G", paths["generator"], "-DSTRATA_TESTS=OFF", "-DSTRATA_BENCH=OFF", "-DCMAKE_UNITY_BUILD=ON",
                     "-DCMAKE_CXX_FLAGS_RELEASE=-O1"],
                    [paths["cmake"], "--build", build, "--target", "mca_coll_strata"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return os.path.join(build, "plugin")


def main():
    paths = Paths(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="strata_copy_me.") as folder:
        copied(paths, folder)
        plugin = built(paths, folder)
        check(run(paths, RANKS, "alltoall",
                  parameters=synthetic(RANKS, 1) | {"coll_strata_alltoall_algorithm": "tree"}, folder=plugin),
              lambda outcome: outcome.expect_success())


conclude(main)
