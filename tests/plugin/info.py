#!/usr/bin/env python3
"""Tests that strata-info shows on one screen whether the plugin is on, and names what keeps it off."""
import os
import shutil
import subprocess
import sys
import tempfile

from job import SYSTEM_FOLDERS, Failure, Paths, conclude, environment, synthetic

FRAME = 74 * "-"


def info(paths, folder, command=(), expected=0, options=(), **variables):
    """Returns what it prints. `folder`: of the plugin; None: parameter files set it."""
    command_line = [os.path.join(paths["source"], "component", "packaging", "strata-info"), *options, *command]
    own = environment(paths, synthetic(2, 2)) | variables
    own.pop("OMPI_MCA_opal_mca_base_component_path", None)
    if folder is not None:
        own["OMPI_MCA_opal_mca_base_component_path"] = f"{folder}:{SYSTEM_FOLDERS}"
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(command_line, env=own, cwd=scratch, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != expected or "Traceback" in done.stdout:
            raise Failure(f"exit status {done.returncode}, expected {expected}:\n{done.stdout}")
        if os.listdir(scratch):
            raise Failure(f"it leaves {os.listdir(scratch)}")
        return done.stdout


def expect(text, *pieces):
    for piece in pieces:
        if piece not in text:
            raise Failure(f"'{piece}' is missing in\n{text}")


def job(paths, *words):
    return [paths["mpirun"], "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader", "-n",
            "4", *words]


def test_files(paths):
    """Open MPI itself reports nothing about a file that it cannot load."""
    with open(os.path.join(paths.folder(), "mca_coll_strata.so"), "rb") as file:
        plugin = file.read()
    with tempfile.TemporaryDirectory() as folder:
        expect(info(paths, folder, expected=1), f"NO  file       not found in {folder}, ")
        expect(info(paths, folder, job(paths, "true"), expected=1), "    job        not run: see above")
        path = os.path.join(folder, "mca_coll_strata.so")
        with open(path, "wb") as file:
            file.write(plugin[:100000])  # far more than half of it is for debuggers and may be missing
        expect(info(paths, folder, expected=1), f"ok  file       {path}", "NO  whole      ",
               "Open MPI reports nothing about such a file, or crashes.")
        expect(info(paths, folder, expected=1, PYTHONFAULTHANDLER="1"),  # a backtrace on standard error is no reason
               "NO  whole      a process that loads it ends with -")
        shutil.copy(shutil.which("true"), path)
        expect(info(paths, folder, expected=1), "NO  whole      ")


def program(folder, name, script):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{script}\n")
    os.chmod(path, 0o755)


def test_unloaded(paths, plugin):
    """Where only ompi_info finds the plugin, the remedy names its folder. Where it finds none, the remedy gives the reason."""
    with tempfile.TemporaryDirectory() as folder:
        search = f"{folder}:{os.environ['PATH']}"
        program(folder, "mpirun", "echo Open MPI: 5.0.7")
        program(folder, "ompi_info", "echo path:pkglibdir:/none; echo Open MPI: 5.0.7; echo MCA coll: strata")
        expect(info(paths, plugin, expected=1, PATH=search), "NO  loaded     ",
               f"export OMPI_MCA_opal_mca_base_component_path={plugin}:SYSTEM_DEFAULT:USER_DEFAULT")
        program(folder, "ompi_info", f"echo path:pkglibdir:{plugin}; echo Open MPI: 5.0.7; echo MCA coll: strata")
        expect(info(paths, plugin, expected=1, PATH=search),
               "export OMPI_MCA_opal_mca_base_component_path=SYSTEM_DEFAULT:USER_DEFAULT")
        program(folder, "ompi_info", "echo Open MPI: 5.0.7")
        expect(info(paths, plugin, expected=1, PATH=search), "NO  found      ", "the file is of another Open MPI")


def test_crash(paths):
    """In Open MPI's own folder a truncated file crashes ompi_info, even when it is asked for that folder."""
    with tempfile.TemporaryDirectory() as folder:
        program(folder, "ompi_info",
                '[ "$OMPI_MCA_opal_mca_base_component_path" = /dev/null ] || kill -BUS $$; '
                f"echo path:pkglibdir:{folder}")
        path = os.path.join(folder, "mca_coll_strata.so")
        with open(path, "wb") as file:
            file.write(b"no plugin")
        expect(info(paths, None, expected=1, PATH=f"{folder}:{os.environ['PATH']}"), f"ok  file       {path}",
               "NO  whole      ")


def test_settings(paths, folder):
    expect(info(paths, folder, expected=1, OMPI_MCA_coll="^strata"), "NO  coll       ^strata (from environment)")
    expect(info(paths, folder, expected=1, OMPI_MCA_coll="self,tuned"), "NO  coll       self,tuned")
    expect(info(paths, folder, OMPI_MCA_coll="^sm"), "ok  coll       ^sm")
    for priority in ("-1", "10"):
        expect(info(paths, folder, expected=1, OMPI_MCA_coll_strata_priority=priority),
               f"NO  priority   {priority} (from environment)")
    expect(info(paths, folder, expected=1, OMPI_MCA_coll="^strata"), "    loaded     not checked: see above")
    expect(info(paths, folder, OMPI_MCA_coll_strata_rules="wan-grid"), "ok  rules      wan-grid (from environment)", "ok  loaded ")
    expect(info(paths, folder, expected=1, OMPI_MCA_coll_strata_rules="/no/rules.json"),
           "NO  rules      /no/rules.json (from environment)", "/no/rules.json: cannot be opened")
    with tempfile.TemporaryDirectory() as home:  # a search path from a parameter file
        os.mkdir(os.path.join(home, ".openmpi"))
        with open(os.path.join(home, ".openmpi", "mca-params.conf"), "w", encoding="utf-8") as file:
            file.write(f"opal_mca_base_component_path = {folder}:{SYSTEM_FOLDERS}\n")
        expect(info(paths, None, HOME=home), f"ok  file       {folder}/mca_coll_strata.so", "ok  loaded     by a job")


def test_jobs(paths, folder):
    probe = job(paths, paths["probe"], "--sizes", "100000")
    text = info(paths, folder, probe)
    expect(text, "ok  job        ended with 0 after ", "ok  messages   none about the plugin",
           "ok  selected   MPI_COMM_WORLD (4 processes)", " served, 0 passed through (of process 0)", "    levels     ",
           " (4 processes)", "    serves     bcast: ", "    passes     gatherv, scatterv: ")
    # The user's own dump would hide the job's, or be that of an earlier job.
    expect(info(paths, folder, probe, OMPI_MCA_coll_strata_dump="hierarchy.svg"), "ok  selected   MPI_COMM_WORLD (4 processes)")
    expect(info(paths, folder, job(paths, "--mca", "coll_strata_window", "0", paths["probe"]), expected=1),
           "NO  messages   1 about the plugin", "does not understand these parameters")
    expect(info(paths, folder, job(paths, "--tag-output", "--mca", "coll_strata_window", "0", paths["probe"]), expected=1),
           "NO  messages   ")
    foreign = f"echo; echo {FRAME}; echo No such interface; echo {FRAME}; exec {paths['probe']} --sizes 100000"
    expect(info(paths, folder, job(paths, "sh", "-c", foreign)), "ok  messages   none", "    other      No such interface")
    expect(info(paths, folder, job(paths, "--mca", "coll", "^strata", paths["probe"]), expected=1),
           "NO  selected   for no communicator")
    expect(info(paths, folder, job(paths, "sh", "-c", f"{paths['probe']} --sizes 100000; exit 3")),
           "ok  job        ended with 3 after ", "ok  selected   MPI_COMM_WORLD")
    expect(info(paths, folder, job(paths, "sh", "-c", "exit 3"), expected=1),
           "NO  job        ended with 3 after ", "It failed: see its output.", "NO  selected   for no communicator")
    expect(info(paths, folder, ["/no/such/mpirun"], expected=1), "NO  job        ended with nothing", "it cannot be started")
    if info(paths, folder, probe, options=["--quiet"]) != "":
        raise Failure("--quiet prints")


def test(paths, wanted):
    folder = paths.folder()
    expect(info(paths, folder), "ok  file       ", "ok  whole      ", "ok  found      MCA coll: strata",
           "ok  priority   40 (from default)", "ok  loaded     by a job", "    job        not checked", wanted)
    test_files(paths)
    test_crash(paths)
    test_unloaded(paths, folder)
    test_settings(paths, folder)
    test_jobs(paths, folder)
    expect(info(paths, folder, expected=2, options=["--bright"]), "unrecognized arguments")
    print("strata-info shows what is on and what is not")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
