"""MPICH's own tests of collectives, communicators, topologies, and errors in collectives."""
import os
import re

from verdicts import Explanation

from .test import Test, ended_badly

TITLE = "MPICH 4.0's tests coll, comm, topo and errors/coll (Debian source mpich)"
_PARTS = ("coll", "errors/coll", "comm", "topo")
_LIMITS = {"errors/coll": 20}  # seconds; errors make some hang, without the plugin too
# dtpools uses two functions that MPI 3 removed; these replace them.
_FLAGS = ["-DOMPI_OMIT_MPI1_COMPAT_DECLS=1", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0",
          "-DMPI_Type_hvector=MPI_Type_create_hvector", "-DMPI_Type_hindexed=MPI_Type_create_hindexed"]
EXPLAINED = {
    "errors/coll/bcastlength 4": (Explanation(
        r"hang .*", r"fail \(3 errors\)",
        "an erroneous program, in which ranks name different counts; stock Open MPI hangs, with the plugin the "
        "three ranks whose buffer is too short get their error, only the three too long ones go unnoticed"),),
    "errors/coll/allreducelength 4": (Explanation(
        r"hang .*", r"fail \([45] errors\)",
        "an erroneous program, in which ranks name different counts; stock Open MPI hangs, rings and rails "
        "return, with an error where a message is too long for its place", engines=("ring", "rails")),),
    "errors/coll/noalias3 4": (Explanation(
        r"fail \(40 errors\)", r"hang .*|crash .*",
        "an erroneous program, which breaks nonblocking collectives and then reduces; stock Open MPI can make "
        "no communicator any more after that (MPI_Comm_split in the place of MPI_Reduce hangs), and this "
        "engine needs some", engines=("levels",)),),
}
_OFF = ["fortran", "cxx", "spawn", "romio", "rma", "part"]


def prepare(workshop):
    workshop.source("mpich", None, "test/mpi/")
    top = "test/mpi"
    if not os.path.exists(workshop.path(top, "coll", "Makefile")):
        workshop.call(["sh", "./configure", *(f"--disable-{part}" for part in _OFF), "MPICC=mpicc.openmpi",
                       f"CPPFLAGS={' '.join(_FLAGS)}"], top)
    for part in _PARTS:
        # Some need MPI 4: as many as possible are built.
        workshop.call(["make", "-k", f"-j{workshop.jobs}", "-C", part, "CFLAGS=-O1 -w"], top, check=False)
    tests, absent = [], []
    for part in _PARTS:
        folder = workshop.path(top, part)
        with open(os.path.join(folder, "testlist"), encoding="utf-8") as file:
            found, without_program = read_list(file.read(), part, folder)
        tests += found
        absent += without_program
    notes = [f"{len(absent)} tests need a newer MPI and were not built: {' '.join(absent)}"] if absent else []
    return tests, notes


def read_list(text, part, folder):
    """Returns the tests of a `testlist`, and the names of those without a program. A line is: program, number of
    ranks, options KEY=VALUE."""
    tests, absent = [], []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        program, options = words[0], [word.partition("=")[::2] for word in words[2:]]
        ranks = int(words[1]) if len(words) > 1 else 1
        path = os.path.join(folder, program)
        name = "/".join([part, program])
        if not os.path.exists(path):
            absent.append(name)
            continue
        arguments = tuple(value for key, value in options if key == "arg")
        limits = [int(value) for key, value in options if key == "timeLimit"]
        environment = tuple(tuple(value.split("=", 1)) for key, value in options if key == "env")
        tests.append(Test("mpich", " ".join([name, str(ranks), *arguments]), ranks, (path, *arguments), judge,
                          environment=environment, limit=max([_LIMITS.get(part, 60), *limits])))
    return tests, absent


def judge(ended):
    """It prints "No Errors", or how many there were."""
    found = re.search(r"Found (\d+) errors", ended.output)
    if found:
        return f"fail ({found[1]} errors)"
    return ended_badly(ended) or ("pass" if "No Errors" in ended.output else "fail (says nothing)")
