"""Uses the examples like their users: builds them with the compilers of an MPI and an installed library, and runs
them."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "hardware"))

from hardware import Failure, start  # noqa: E402

RANKS = 4
NOT_COUNTED = 77  # the examples' exit status if no messages are counted


def run(*command, environment=None, folder=None):
    """Output of a command that must succeed."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=folder,
                          env=os.environ | (environment or {}))
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def compilers(mpicxx):
    """mpicc and mpifort of the same MPI."""
    folder, name = os.path.split(mpicxx)
    return [os.path.join(folder, re.sub(r"mpicxx|mpic\+\+", other, name)) for other in ("mpicc", "mpifort")]


def make(examples, folder, mpicxx, fortran, environment=None):
    """Builds a copy of the installed examples in `folder`, as their Makefile does it."""
    shutil.copytree(examples, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("CMakeLists.txt"))
    mpicc, mpifort = compilers(mpicxx)
    run("make", f"CC={mpicc}", f"FC={mpifort if fortran else ''}", environment=environment, folder=folder)
    if fortran:  # old programs, which include a file
        with open(os.path.join(folder, "old_program.f"), "w", encoding="utf-8") as file:
            file.write("      PROGRAM OLD\n      INCLUDE 'mpif.h'\n      INCLUDE 'MPI_Monitoring.inc'\n      PRINT *, MPI_M_ALL_COMM\n"
                       "      END\n")
        run("sh", "-c", f"{mpifort} -o old_program old_program.f $(pkg-config --cflags --libs strata-introspection-fortran)",
            environment=environment, folder=folder)


def judge(mpirun, monitor, folder, fortran):
    """Runs the examples in `folder`; `monitor`: the command strata-monitor."""
    counts = "open-mpi.org" in run(mpirun, "--version")  # the name in it varies
    output, status = start(mpirun, folder, RANKS, ["gather_combine", "--hierarchies", "2,2", "--repetitions", "2"], {})
    if status != 0 or "\n0 wrong elements" not in output:
        raise Failure(f"gather_combine: exit status {status}\n{output}")
    monitored = [["iterative_reordering", "--pattern", "groups", "--bytes", "4096", "--iterations", "2"]]
    if fortran:
        monitored.append(["barrier_messages"])
    for program in monitored:
        output, status = start(monitor, folder, RANKS, program, {}, options=[mpirun])
        if status != (0 if counts else NOT_COUNTED):
            raise Failure(f"{program[0]}: exit status {status}\n{output}")
    if fortran and counts:
        sent = [[int(number) for number in row.split()] for row in re.findall(r"sends to each:([ \d]+)", output)]
        if len(sent) != RANKS or not all(any(row) and len(row) == RANKS for row in sent):
            raise Failure(f"barrier_messages: no table of messages\n{output}")
