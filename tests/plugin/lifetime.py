#!/usr/bin/env python3
"""Tests with valgrind that nothing goes wrong in the plugin from its loading to the end of MPI_Finalize: no invalid
access, no uninitialised value, no definite leak whose report has one of its functions or its memory."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

from collective_table import of_engine
from job import SKIPPED, Failure, Paths, conclude, environment, synthetic

PLUGIN = "mca_coll_strata.so"
SERIOUS = {"InvalidRead", "InvalidWrite", "InvalidFree", "InvalidJump", "MismatchedFree", "UninitCondition",
           "UninitValue", "SyscallParam", "Overlap", "Leak_DefinitelyLost"}

OURS = re.compile(r"strata::(component|algorithms|topology)::")  # not the test program's own functions

SAMPLE = """<valgrindoutput>
<error><kind>InvalidRead</kind><stack><frame><obj>/x/libmpi.so</obj><fn>f</fn></frame></stack>
 <auxwhat>freed</auxwhat><stack><frame><obj>/x/mca_coll_strata.so</obj><fn>g</fn></frame></stack></error>
<error><kind>Leak_DefinitelyLost</kind><stack><frame><fn>strata::component::h()</fn></frame></stack></error>
<error><kind>InvalidWrite</kind><stack><frame><obj>/x/libother.so</obj><fn>k</fn></frame></stack></error>
<error><kind>Leak_StillReachable</kind><stack><frame><obj>/x/mca_coll_strata.so</obj></frame></stack></error>
</valgrindoutput>"""

BROADCASTS = ["probe", "--cycles", "3", "--roots", "all", "--on", "both"]
MACHINE = synthetic(2, 2)
NODES = MACHINE | {"coll_strata_placement": "0@p0;1@p1;0@p2"}
NICS = MACHINE | {"coll_strata_placement": "4@n0;8@n1;8@n0;4@n1", "coll_strata_nic": "ib0@numa:1,ib1@numa:2"}
LOGGED = {"coll_strata_verbose": "2"}
REDUCTIONS = "allreduce,barrier,reduce"
BLOCKS = "allgather,allgatherv,gather,gatherv,scatter,scatterv"


@dataclass
class Job:
    """A program with its arguments; the output must match `evidence` of the engine that served it."""
    command: list
    evidence: str
    parameters: dict = field(default_factory=lambda: MACHINE)
    ranks: int = 3
    dumps: str = ""  # a file that must be there afterwards


def broadcasts(engine, more=()):
    return Job([*BROADCASTS, *more], rf"pvar coll_strata_bcast_{engine} ",
               MACHINE | {"coll_strata_bcast_algorithm": engine})


def selected(engine, collectives, length, machine=None, ranks=3):
    """A program that checks by counters which engine served it."""
    names = collectives.split(",")
    return Job(["selected", "--op", collectives, "--expect", engine, "--bytes", str(length)], "selected: passed",
               (machine or MACHINE) | {f"coll_strata_{name}_algorithm": engine for name in names}, ranks)


CASES = {
    "plain": [broadcasts("tree"), broadcasts("levels")],
    "tools_first": [broadcasts("tree", ["--tools-first"]), broadcasts("levels", ["--tools-first"])],
    "ring": [selected("ring", ",".join(of_engine("ring")), 20000, NODES)],
    "rails": [selected("rails", ",".join(of_engine("rails")), 70000, NICS, 4)],
    "auto": [Job(["random_collectives", "--iterations", "40"], r"bytes (from|to) rank \d: tree",
                 MACHINE | LOGGED | {"coll_strata_setup_after": "0"})],
    "reductions": [selected("tree", REDUCTIONS, 30000), selected("levels", REDUCTIONS, 30000)],
    "blocks": [selected("tree", BLOCKS, 30000), selected("levels", BLOCKS, 30000)],
    "dump": [Job(BROADCASTS, "pvar coll_strata_bcast_", MACHINE | {"coll_strata_dump": f"FOLDER/job.{kind}"},
                 dumps=f"job.{kind}") for kind in ("json", "svg")],
    "churn": [Job(["comm_churn", "--cycles", "30"], r"bytes (from|to) rank \d: tree",
                  MACHINE | LOGGED | {"coll_strata_setup_after": "0"})],
    "late": [Job(["late_finalize"], "late_finalize: passed", MACHINE | LOGGED | {
        "coll_strata_setup_after": "0", "coll_strata_dump": "FOLDER/job.json",
        "coll_strata_bcast_algorithm": "levels"}, dumps="job.json")],
    "leak": [broadcasts("tree")],
}


def is_ours(frame):
    return os.path.basename(frame.findtext("obj", "")) == PLUGIN or OURS.match(frame.findtext("fn", ""))


def findings(text, kinds=frozenset(SERIOUS)):
    """Returns the errors of these kinds in a valgrind report that have one of the plugin's frames in any of their
    stacks."""
    for error in ElementTree.fromstring(text).iter("error"):
        frames = list(error.iter("frame"))
        if error.findtext("kind") in kinds and any(is_ours(frame) for frame in frames):
            names = [frame.findtext("fn") or frame.findtext("obj") or "?" for frame in frames]
            yield f"{error.findtext('kind')}: {' < '.join(names[:12])}"


def test(paths, case):
    if case == "can_fail":
        found = list(findings(SAMPLE))
        if len(found) != 2:
            print(f"the sample has 2 findings, not {len(found)}")
            return
        raise Failure("\n".join(found))
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("skipped: valgrind is not installed")
        sys.exit(SKIPPED)
    for job in CASES[case]:
        with tempfile.TemporaryDirectory() as folder:
            check_job(paths, case, job, folder, valgrind)


def run(paths, case, job, folder, valgrind):
    program, *arguments = job.command
    command = [paths["mpirun"], "--oversubscribe", "-n", str(job.ranks), valgrind, "--quiet", "--leak-check=full",
               "--keep-debuginfo=yes", "--xml=yes", f"--xml-file={folder}/%p.xml",
               "--child-silent-after-fork=yes", paths[program], *arguments, "--watchdog", "200"]
    parameters = {name: value.replace("FOLDER", folder) for name, value in job.parameters.items()}
    parameters |= {"btl": "self,vader", "mpi_yield_when_idle": "1"}
    plugins = paths.folder("leaking" if case == "leak" else "plugin")
    return subprocess.run(command, env=environment(paths, parameters, plugins), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=900)


def check_job(paths, case, job, folder, valgrind):
    done = run(paths, case, job, folder, valgrind)
    if done.returncode != 0 or not re.search(job.evidence, done.stdout):
        print(done.stdout)
        raise Failure(f"the job ended with {done.returncode}, or nothing in its output matches '{job.evidence}'")
    if job.dumps and not os.path.exists(os.path.join(folder, job.dumps)):
        raise Failure(f"there is no {job.dumps}")
    reports = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".xml")]
    if len(reports) < job.ranks:
        raise Failure(f"{len(reports)} reports of {job.ranks} processes")
    # Without MPI_T_finalize (see probe.cc) Open MPI keeps the parameters' values: ignore leaks there.
    kinds = SERIOUS - {"Leak_DefinitelyLost"} if case == "tools_first" else SERIOUS
    found = set()
    for report in reports:
        with open(report, encoding="utf-8", errors="replace") as file:
            found |= set(findings(file.read(), kinds))
    if found:
        raise Failure("\n".join(sorted(found)))
    print(f"{case}, {' '.join(job.command)}: nothing found in {len(reports)} processes")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
