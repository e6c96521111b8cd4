#!/usr/bin/env python3
"""Tests that strata-info tells on one screen whether the plugin is on, and names what keeps it off."""
import os
import shutil
import subprocess
import sys
import tempfile

from job import SYSTEM_FOLDERS, Failure, Paths, conclude, environment, synthetic


def info(paths, folder, command=(), expected=0, options=(), **variables):
    """Returns what it prints."""
    program = os.path.join(paths["source"], "component", "packaging", "strata-info")
    own = environment(paths, synthetic(2, 2)) | variables
    own["OMPI_MCA_opal_mca_base_component_path"] = f"{folder}:{SYSTEM_FOLDERS}"
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([program, *options, *command], env=own, cwd=scratch, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != expected:
            raise Failure(f"exit status {done.returncode}, expected {expected}:\n{done.stdout}")
        if os.listdir(scratch):
            raise Failure(f"it leaves {os.listdir(scratch)}")
        return done.stdout


def expect(text, *pieces):
    for piece in pieces:
        if piece not in text:
            raise Failure(f"'{piece}' is missing in\n{text}")
    if "Traceback" in text:
        raise Failure(text)


def job(paths, *words):
    return [paths["mpirun"], "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader", "-n",
            "4", *words]


def test_files(paths):
    """Open MPI itself says nothing about a file that it cannot load."""
    with open(os.path.join(paths.folder(), "mca_coll_strata.so"), "rb") as file:
        plugin = file.read()
    with tempfile.TemporaryDirectory() as folder:
        expect(info(paths, folder, expected=1), f"NO  file       not found in {folder}, ")
        path = os.path.join(folder, "mca_coll_strata.so")
        with open(path, "wb") as file:
            file.write(plugin[:100000])  # far more than half of it is for debuggers and may be missing
        expect(info(paths, folder, expected=1), f"NO  file       {path}, ", "Open MPI says nothing about such a file, or crashes.")
        shutil.copy(shutil.which("true"), path)
        expect(info(paths, folder, expected=1), "NO  file")


def test(paths, wanted):
    folder = paths.folder()
    text = info(paths, folder)
    expect(text, "ok  file       ", "ok  found      MCA coll: strata", "ok  priority   40 (from default)", "ok  loaded     by a job",
           "    job        not checked", wanted)
    test_files(paths)
    expect(info(paths, folder, expected=1, OMPI_MCA_coll_strata_priority="-1"), "NO  priority   -1 (from environment)")
    probe = job(paths, paths["probe"], "--sizes", "100000")
    text = info(paths, folder, probe)
    expect(text, "ok  job        ended with 0 after ", "ok  agreement  no process has reported a difference", "MPI_COMM_WORLD (4 processes)",
           "    levels     ", " (4 processes)", "    serves     bcast: ", "    passes     gatherv, scatterv: ")
    expect(info(paths, folder, job(paths, "--mca", "coll_strata_window", "0", paths["probe"]), expected=1),
           "NO  agreement  a message, see below", "does not understand these parameters")
    expect(info(paths, folder, job(paths, "--mca", "coll", "^strata", paths["probe"]), expected=1), "NO  selected   for no communicator")
    expect(info(paths, folder, job(paths, "sh", "-c", "exit 3"), expected=1), "NO  job        ended with 3 after ")
    expect(info(paths, folder, ["/no/such/mpirun"], expected=1), "NO  job        ended with nothing")
    if "file" in info(paths, folder, options=["--quiet"]):
        raise Failure("--quiet prints")
    expect(info(paths, folder, expected=2, options=["--bright"]), "unrecognized arguments")
    print("strata-info tells what is on and what is not")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
