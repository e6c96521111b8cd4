#!/usr/bin/env python3
"""Tests that strata-report has the needed facts of one plugin and of several, of jobs that work and that fail, and
no private data."""
import os
import subprocess
import sys
import tempfile

from job import SYSTEM_FOLDERS, Failure, Paths, conclude, environment, synthetic


def report(paths, folders, command=(), expected=0, **variables):
    """Returns the text of a report and the output meanwhile."""
    program = os.path.join(paths["source"], "component", "packaging", "strata-report")
    own = environment(paths, {"coll_strata_window": "6"} | synthetic(2, 2)) | variables
    if "PATH" not in variables:
        own["PATH"] = os.path.join(paths["build"], "bin") + ":" + own["PATH"]
    own["OMPI_MCA_opal_mca_base_component_path"] = ":".join([*folders, SYSTEM_FOLDERS])
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "report.txt")
        done = subprocess.run([program, "-o", path, *command], env=own, cwd=scratch, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != expected:
            raise Failure(f"exit status {done.returncode}, expected {expected}:\n{done.stdout}")
        if os.listdir(scratch) != ["report.txt"]:
            raise Failure(f"it leaves {os.listdir(scratch)}")
        with open(path, encoding="utf-8") as file:
            return file.read(), done.stdout


def expect(text, *pieces):
    for piece in pieces:
        if piece not in text:
            raise Failure(f"'{piece}' is missing in\n{text}")


def expect_not(text, *pieces):
    for piece in pieces:
        if piece in text:
            raise Failure(f"'{piece}' must not be in\n{text}")


def job(paths, *words):
    return [paths["mpirun"], "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader", "-n",
            "4", *words]


def test_other_nodes(paths):
    """Tests how jobs get the plugin's parameters: through a name list of Open MPI 5.0's mpirun, which 4.1 does not
    accept beside its option -x. A script of the user runs once."""
    names = ["OMPI_MCA_coll_strata_verbose", "OMPI_MCA_coll_strata_dump"]
    releases = {"mpirun (Open MPI) 5.0.7": names, "prterun (PRRTE) 3.0": names, "mpirun (Open MPI) 4.1.4": [],
                "mpirun.openmpi (OpenRTE) 4.1.4": []}
    with tempfile.TemporaryDirectory() as scratch:
        mpirun, script, printed = (os.path.join(scratch, name) for name in ("mpirun", "mpirun_case3.sh", "printed"))
        for path, answer in ((mpirun, '[ "$1" = --version ] && echo "$RELEASE" && exit; [ "$3" = ompi_info ] && exit'), (script, "")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{answer}\nenv >>{printed}\n")
            os.chmod(path, 0o755)
        for release, listed in releases.items():
            for command in (mpirun, script):
                report(paths, [paths.folder()], [command], RELEASE=release, OMPI_MCA_mca_base_env_list="GIVEN",
                       PATH=f"{scratch}:{os.environ['PATH']}")
                with open(printed, encoding="utf-8") as file:
                    text = file.read()
                expect(text, "\nOMPI_MCA_mca_base_env_list=" + ";".join(["GIVEN", *listed]) + "\n",
                       "\nOMPI_MCA_coll_strata_verbose=2\n", "/hierarchy.json\n")
                if text.count("\nRELEASE=") != 1:
                    raise Failure(f"{command} was run {text.count('RELEASE=')} times")
                os.remove(printed)


def test(paths, wanted):
    test_other_nodes(paths)
    one, other = paths.folder(), paths.folder("other_version")
    text, _ = report(paths, [one], SECRET_OF_THE_USER="do not tell", UCX_TLS="tcp")
    expect(text, "=== system", "=== versions", "Open MPI", "strata-topo 0.", "=== plugins", f"{one}/mca_coll_strata.so: ",
           "ompi_info: MCA coll: strata", "in a job: MCA coll: strata", "OMPI_MCA_coll_strata_window=6", "UCX_TLS=tcp", "data source: environment",
           "=== this machine", " on 1 node, ", wanted)
    expect_not(text, "do not tell", "NOTE: jobs", "=== job")
    text, _ = report(paths, [one], PATH="/usr/bin:/bin")  # strata-topo is found without it
    expect(text, "strata-topo 0.")
    with tempfile.TemporaryDirectory() as scratch:  # an mpirun that hands on another path
        with open(os.path.join(scratch, "mpirun"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nOMPI_MCA_opal_mca_base_component_path=/nowhere exec "$3"\n')
        os.chmod(file.name, 0o755)
        text, _ = report(paths, [one], PATH=f"{scratch}:{os.environ['PATH']}")
        expect(text, "in a job: it does not list the plugin", "NOTE: jobs do not load the plugin, though ompi_info lists it.")
    text, _ = report(paths, [one, other])
    expect(text, "NOTE: 2 plugins are installed, and they differ. Open MPI takes the first one.")
    text, _ = report(paths, [one, one])
    expect_not(text, "NOTE: 2")
    text, printed = report(paths, [one], job(paths, paths["probe"], "--sizes", "100000"))
    expect(text, "ended with 0 after", "coll:strata: why: MPI_COMM_WORLD bcast of 100000 bytes from rank 0: ",
           "--- hierarchy.json", '"levels":')
    expect(printed, "probe: passed on 4 ranks")
    expect_not(text, "probe: passed")
    text, _ = report(paths, [one], job(paths, "--mca", "coll_strata_window", "0", paths["probe"]))
    expect(text, "does not understand these parameters")
    # The user's own output is left out, even with rules in it; the log of an interrupted job is included.
    text, _ = report(paths, [one], job(paths, "sh", "-c", 'printf "%050d\\n" 0 | tr 0 -; echo mi$((40 + 2))ne'))
    expect_not(text, "mi42ne")
    text, _ = report(paths, [one], ["sh", "-c", 'echo "coll:strata: said"; sleep 1; kill -INT $PPID; sleep 1'])
    expect(text, "coll:strata: said", "(interrupted)", "=== this machine")
    text, _ = report(paths, [one], job(paths, "sh", "-c", "exit 3"))
    expect(text, "ended with 3 after", "--- it drew no hierarchy")
    text, _ = report(paths, [one], ["/no/such/mpirun"])
    expect(text, "it cannot be started: ")
    print("reports have what is needed")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
