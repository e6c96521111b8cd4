#!/usr/bin/env python3
"""Tests jobs with monitoring sessions: monitoring.py PATHS CASE [arguments]; see the functions case_*."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "plugin"))
# pylint: disable-next=wrong-import-position
from job import SKIPPED, SYSTEM_FOLDERS, Failure, conclude, synthetic  # noqa: E402

MPIT_FAIL = 7002
RANKS = 2  # where the number does not matter


class Job:
    """How jobs run here: mpirun, environment and files."""

    def __init__(self, file):
        with open(file, encoding="utf-8") as opened:
            self.paths = json.load(opened)

    def environment(self, parameters):
        foreign = ("OMPI_MCA_", "PMIX_MCA_")
        result = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        result |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        defaults = {"btl": "self,vader", "mpi_yield_when_idle": "1", "odls_base_sigkill_timeout": "0"}
        return result | {f"OMPI_MCA_{name}": value for name, value in (defaults | parameters).items()}

    def run(self, ranks, program, arguments=(), parameters=None, launcher=(), wrapper=(), timeout=100):
        """Exit status and output. `launcher`: a command before mpirun; `wrapper`: one that becomes the program."""
        command = [*launcher, self.paths["mpirun"], "--oversubscribe", "-n", str(ranks), *wrapper,
                   self.paths[program], *arguments]
        try:
            done = subprocess.run(command, env=self.environment(parameters or {}), timeout=timeout, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, errors="replace")
        except subprocess.TimeoutExpired as error:
            raise Failure(f"no end after {timeout} s: {' '.join(command)}\n{error.output or ''}") from None
        return done.returncode, done.stdout

    def monitored(self, ranks, program, arguments=(), parameters=None, mode=1, **others):
        return self.run(ranks, program, arguments, {"pml_monitoring_enable": str(mode)} | (parameters or {}), **others)

    def succeed(self, ranks, program, arguments=(), **others):
        status, output = self.monitored(ranks, program, arguments, **others)
        if status != 0:
            raise Failure(f"exit status {status}\n{output}")
        return output


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def read_matrix(path):
    with open(path, encoding="utf-8") as file:
        return [[int(word) for word in line.split()] for line in file]


def expect(got, expected, what):
    if got != expected:
        raise Failure(f"{what}: got {got}, expected {expected}")


def flushed(job, ranks, arguments, **others):
    """The matrices of counts and of sizes that flush_collective writes."""
    with tempfile.TemporaryDirectory() as folder:
        job.succeed(ranks, "flush_collective", [f"{folder}/flushed", *arguments], **others)
        expect(sorted(os.listdir(folder)), ["flushed_counts.0.prof", "flushed_sizes.0.prof"], "files")
        return [read_matrix(f"{folder}/flushed_{what}.0.prof") for what in ("counts", "sizes")]


def case_errors(job, language, table="errors.table"):
    """Every error from every state, by a program in C or in Fortran with the module or the include file."""
    path = os.path.join(HERE, table)
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    wanted = sum(language == "c" or line[2] != "null" for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        output = job.succeed(RANKS, "errors" if language == "c" else f"errors_{language}", [path, f"{folder}/files"])
    for rank in range(RANKS):
        if f"errors: rank {rank} made {wanted} calls" not in output:
            raise Failure(f"rank {rank} did not make {wanted} calls\n{output}")


def case_table(_job, spoilt=""):
    """The table has every code, from each state at least one, and each function in each state."""
    with open(os.path.join(HERE, "errors_wrong.table" if spoilt else "errors.table"), encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    with open(os.path.join(HERE, "errors.c"), encoding="utf-8") as file:
        codes = set(re.findall(r'\{"([A-Z_]+)", MPI_', file.read()))
    calls = {line[1] for line in lines}
    missing = codes - {line[3] for line in lines}
    if missing:
        raise Failure(f"the table lacks {sorted(missing)}")
    for state in ("none", "open", "active", "suspended", "freed", "finalized"):
        lacking = calls - {line[1] for line in lines if line[0] == state}
        if lacking:
            raise Failure(f"in state {state} the table lacks {sorted(lacking)}")


def case_traffic(job, name, spoilt=""):
    """`spoilt`: --spoil, or another reason for the case to fail."""
    mode = 2 if name.endswith("user_only") else 1
    parameters = {}
    if name == "nested_user_only":  # an Allreduce of a Reduce and a Bcast; 3: of messages
        parameters = {"coll": "self,basic,libnbc,tuned,monitoring", "coll_tuned_use_dynamic_rules": "1",
                      "coll_tuned_allreduce_algorithm": spoilt or "2"}
    with tempfile.TemporaryDirectory() as folder:
        options = [spoilt] if spoilt == "--spoil" else []
        output = job.succeed(4, "traffic", [name, "--prefix", f"{folder}/files", *options], mode=mode,
                             parameters=parameters)
        if "cannot be tried here" in output:
            skip("this Open MPI has no variable pml_monitoring_flush")
        if name == "counters_reset":
            expect(output.count("counters were reset during a session"), 1, "advice")
        if name == "unseen":
            check_flushed_rows(folder)
        if name == "flushed":
            check_flushed(folder, bool(spoilt))


def case_uncounted(job, mode, spoilt=""):
    """Tests that collective calls are not counted; the end of the job does not matter."""
    name = "uncounted" if mode == "1" else "uncounted_user_only"
    parameters = {} if spoilt else {"coll": "^monitoring"}
    _, output = job.monitored(4, "traffic", [name], mode=mode, parameters=parameters)
    told = [len(set(re.findall("uncounted: rank . is told so", output))), output.count("coll/monitoring is left out")]
    if told != [4, 1]:
        raise Failure(f"not told, or not once: {told}\n{output}")


def check_flushed_rows(folder):
    """MPI_M_flush: comments, and a line for each peer; of the last communicator, which has four members."""
    for rank in range(4):
        with open(f"{folder}/files.{rank}.prof", encoding="utf-8") as file:
            lines = [line.split() for line in file if not line.startswith("#")]
        expect(lines, [[str(peer), "0", "0"] for peer in range(4)], f"the file of rank {rank}")


def check_flushed(folder, spoilt):
    """Returns the messages of `flushed` in unseen.cc, in files with ranks in the communicator, which is
    MPI_COMM_WORLD reversed."""
    ranks, root = range(4), 2
    counts = [[0 if row == column else 3 * row + column + 1 for column in ranks] for row in ranks]
    sizes = [[counts[row][column] * (100 * row + 10 * column + 1) for column in ranks] for row in ranks]
    counts[0][1] += spoilt
    expected = [f"files.{rank}.prof" for rank in ranks]
    expected += [f"files_{what}.{3 - root}.prof" for what in ("counts", "sizes")]
    expect(sorted(os.listdir(folder)), expected, "files")
    for rank in ranks:
        with open(f"{folder}/files.{rank}.prof", encoding="utf-8") as file:
            lines = file.read().splitlines()
        heading = [f"# sent by rank {rank} of 4, rank {3 - rank} of MPI_COMM_WORLD, P2P", "# peer messages bytes"]
        rows = [f"{peer} {counts[rank][peer]} {sizes[rank][peer]}" for peer in ranks]
        expect(lines, heading + rows, f"the file of rank {rank}")
    expect(read_matrix(f"{folder}/files_counts.{3 - root}.prof"), counts, "counts")
    expect(read_matrix(f"{folder}/files_sizes.{3 - root}.prof"), sizes, "sizes")


def case_threads(job, *options):
    status, output = job.monitored(3, "threads", options)
    if "is not provided" in output:
        skip("MPI_THREAD_MULTIPLE is not provided")
    if status != 0:
        raise Failure(f"exit status {status}\n{output}")


def case_unfinished(job, end):
    """Programs without MPI_M_finalize end as usual; mpirun also complains about a missing MPI_Finalize."""
    status, output = job.monitored(RANKS, "unfinished", [end])
    if output.count("unfinished: ends") != RANKS or re.search(r"on signal|Segmentation|Signal:|\*\*\*", output):
        raise Failure(f"exit status {status}\n{output}")
    if end == "finalize":
        expect(status, 0, "exit status")


def barrier_messages(algorithm, ranks):
    """Returns the messages of one MPI_Barrier by the textbook algorithm."""
    counts = [[0] * ranks for _ in range(ranks)]
    for rank in range(ranks):
        distance = 1
        while algorithm in ("dissemination", "recursive doubling") and distance < ranks:
            peer = rank ^ distance if algorithm == "recursive doubling" else (rank + distance) % ranks
            counts[rank][peer] += 1
            distance *= 2
        if algorithm == "double ring":
            counts[rank][(rank + 1) % ranks] += 2
        if algorithm == "linear" and rank != 0:
            counts[rank][0] += 1
            counts[0][rank] += 1
    return counts


def case_barrier(job, algorithm, ranks, expected=None):
    """Listing 2 of the paper: a Barrier consists of the messages of its algorithm, all empty."""
    numbers = {"linear": "1", "double ring": "2", "recursive doubling": "3", "dissemination": "4"}
    parameters = {"coll": "self,basic,libnbc,tuned,monitoring", "coll_tuned_use_dynamic_rules": "1",
                  "coll_tuned_barrier_algorithm": numbers[algorithm]}
    counts, sizes = flushed(job, int(ranks), ["barrier"], parameters=parameters)
    expect(counts, barrier_messages(expected or algorithm, int(ranks)), f"messages of a Barrier ({algorithm})")
    expect(sizes, [[0] * int(ranks)] * int(ranks), "bytes of a Barrier")


def case_plugin(job, spoilt=""):
    """A Bcast by the tree of coll/strata: every process but the root is sent it once."""
    ranks, size = 8, 40000
    parameters = synthetic(2, 4) | {
        "opal_mca_base_component_path": f"{os.path.dirname(job.paths['plugin'])}:{SYSTEM_FOLDERS}",
        "coll_strata_bcast_algorithm": "tree"}
    counts, sizes = flushed(job, ranks, ["bcast", str(size), "1"], parameters=parameters)
    expect([sum(row[column] for row in sizes) for column in range(ranks)],
           [0] + [size + bool(spoilt)] * (ranks - 1), "bytes that each process is sent")
    expect(sum(map(sum, sizes)), (ranks - 1) * size, "bytes in all")
    edges = sum(count > 0 for row in counts for count in row)
    expect(edges, ranks - 1, "pairs of processes that exchange messages")
    between = sum(sizes[i][j] for i in range(4) for j in range(4, 8))
    expect(between, size, "bytes between the two nodes")


def check_refused(status, output, ranks, message, wanted):
    for rank in range(ranks):
        if f"rank {rank}: code {MPIT_FAIL} MPIT_FAIL" not in output:
            raise Failure(f"rank {rank} does not report MPIT_FAIL\n{output}")
    if output.count("MPI_Monitoring:") != wanted or message not in output:
        raise Failure(f"not one message with '{message}'\n{output}")
    if status in (0, 124) or "Segmentation" in output:
        raise Failure(f"exit status {status}\n{output}")


def case_not_enabled(job, wanted="1"):
    status, output = job.run(3, "flush_collective", ["never", "barrier"])
    check_refused(status, output, 3, "strata-monitor mpirun", int(wanted))


def case_some_enabled(job):
    """Tests processes that do not count beside others that do."""
    only = ('test "$OMPI_COMM_WORLD_RANK" = 1 || unset OMPI_MCA_pml_monitoring_enable; exec "$@"')
    status, output = job.monitored(3, "flush_collective", ["never", "barrier"], wrapper=("sh", "-c", only, "sh"))
    check_refused(status, output, 3, "on 1 of 3 processes only", 1)


def case_modes_differ(job):
    """Tests processes that count messages of collectives beside others that do not."""
    other = 'test "$OMPI_COMM_WORLD_RANK" != 1 || export OMPI_MCA_pml_monitoring_enable=2; exec "$@"'
    status, output = job.monitored(3, "flush_collective", ["never", "barrier"], wrapper=("sh", "-c", other, "sh"))
    check_refused(status, output, 3, "has to be the same on all processes", 1)


def case_other_mpi(job, wanted="1"):
    """Tests an MPI other than Open MPI, with its own launcher and without mpirun's options."""
    command = [job.paths["mpirun"], "-n", "3", job.paths["flush_collective"], "never", "barrier"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=100)
    check_refused(done.returncode, done.stdout, 3, "does not count messages; Open MPI does", int(wanted))


def case_wrapper(job, wanted=""):
    """Tests that strata-monitor switches monitoring on, and is used as its help describes."""
    wrapper = job.paths["strata_monitor"]
    launcher = [] if wanted else [wrapper]
    status, output = job.run(4, "traffic", ["estimates"], launcher=launcher)
    if status != 0:
        raise Failure(f"nothing is monitored\n{output}")
    for arguments, expected, text in (("--help", 0, "usage: strata-monitor"), ("", 2, "no command"),
                                      ("--nothing x", 2, "unknown option '--nothing'"),
                                      ("sh -c env", 0, "OMPI_MCA_pml_monitoring_enable=1"),
                                      ("--user-only sh -c env", 0, "OMPI_MCA_pml_monitoring_enable=2"),
                                      ("sh -c false", 1, "")):
        done = subprocess.run([wrapper, *arguments.split()], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != expected or text not in done.stdout:
            raise Failure(f"strata-monitor {arguments}: {done.returncode}, expected {expected}\n{done.stdout}")


def case_lists(job, without=""):
    """Tests that component lists in the environment get monitoring; a list that excludes it on purpose is reported."""
    wrapper = job.paths["strata_monitor"]
    launcher = ["env", "OMPI_MCA_pml_monitoring_enable=1"] if without else [wrapper]
    for lists in ({"pml": "ob1"}, {"pml": "^cm"}, {"pml": "ob1", "coll": "self,basic,libnbc,tuned"}):
        status, output = job.run(4, "traffic", ["estimates"], lists, launcher=launcher)
        if status != 0:
            raise Failure(f"with {lists} not all is monitored\n{output}")
    for given, text in (("", ""), ("ob1", "pml=ob1,monitoring\n"), ("ob1,monitoring", "pml=ob1,monitoring\n"),
                        ("^cm", "pml=^cm\n"), ("monitoring,ob1", "pml=monitoring,ob1\n"),
                        ("^monitoring", "pml=^monitoring leaves out the component"),
                        ("^cm,monitoring", "pml=^cm,monitoring leaves out the component")):
        done = subprocess.run([wrapper, "sh", "-c", "env"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, env=job.environment({"pml": given, "osc": "^monitoring"}))
        if done.returncode != (2 if "leaves out" in text else 0) or text not in done.stdout:
            raise Failure(f"OMPI_MCA_pml={given}: {done.returncode}, expected '{text}'\n{done.stdout}")
    for given, told in (("ob1", True), ("^monitoring", True), ("ob1,monitoring", False), ("^cm", False)):
        done = subprocess.run([wrapper, "true", "--mca", "pml", given], text=True, capture_output=True, check=False)
        expect((done.returncode, f'"--mca pml {given}" leaves out' in done.stderr), (0, told), f"told of --mca pml {given}")


def case_release(job, spoilt=""):
    """Other nodes get the variables of Open MPI 5.0 by a list of names; 4.1 has no such list beside its option -x."""
    names = ["OMPI_MCA_pml_monitoring_enable", "OMPI_MCA_pml"]
    cases = {"mpirun (Open MPI) 5.0.7": ["GIVEN=1", *names], "prterun (PRRTE) 3.0": ["GIVEN=1", *names],
             "mpirun (Open MPI) 4.1.4": ["GIVEN=1"], "mpirun.openmpi (OpenRTE) 4.1.4": ["GIVEN=1"]}
    with tempfile.TemporaryDirectory() as folder:
        for version, expected in cases.items():
            with open(f"{folder}/mpirun", "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" || env\n')
            os.chmod(f"{folder}/mpirun", 0o755)
            environment = job.environment({"pml": "ob1", "mca_base_env_list": "GIVEN=1"})
            environment["PATH"] = f"{folder}:{environment['PATH']}"
            for command in (["mpirun"], [f"{folder}/mpirun"], ["sh", "-c", "env"]):
                done = subprocess.run([job.paths["strata_monitor"], *command], env=environment, text=True,
                                      stdout=subprocess.PIPE, check=True)
                found = re.findall("^OMPI_MCA_mca_base_env_list=(.*)$", done.stdout, re.M)
                expect(found, [";".join(expected) + spoilt], f"list of {version}, {command[0]}")
        # A user's exported variables reach the job unchanged.
        exported = {name: "mine" for name in "framework list mode mpirun name option value variable version word".split()}
        done = subprocess.run([job.paths["strata_monitor"], f"{folder}/mpirun"], env=environment | exported, text=True,
                              stdout=subprocess.PIPE, check=True)
        for name in exported:
            expect(re.findall(f"^{name}=(.*)$", done.stdout, re.M), ["mine"], f"the user's {name}")
        # Launchers with names that distributions use are queried; a user's script runs once.
        for name, asked in (("mpirun.openmpi", True), ("prterun-5.0.7", True), ("mpirun_case3.sh", False),
                            ("mpiexec-5.sh", False), ("mpirun-case3", False), ("mpirun-", False)):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "run $*" >>{folder}/runs\n')
            os.chmod(f"{folder}/{name}", 0o755)
            subprocess.run([job.paths["strata_monitor"], f"{folder}/{name}", "x"], env=environment, check=True)
            with open(f"{folder}/runs", encoding="utf-8") as file:
                expect(file.read().splitlines(), ["run --version"] * asked + ["run x"], f"runs of {name}")
            os.remove(f"{folder}/runs")


def case_two_nodes(job, without=""):
    """strata-monitor reaches other nodes, those of mpirun's option -x too: an emulated cluster."""
    sys.path.insert(0, os.path.join(HERE, "..", "..", "cluster"))
    from nodes import Nodes  # pylint: disable=import-outside-toplevel,import-error
    with Nodes(job.paths, slots=[1, 1]) as nodes:
        mpirun = f"{nodes.folder}/mpirun"  # after the cluster's own settings, as they list pml
        wrapper = "" if without else job.paths["strata_monitor"]
        with open(mpirun, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {wrapper} {job.paths["mpirun"]} "$@"\n')
        os.chmod(mpirun, 0o755)
        output = nodes.call("run", "--np", "2", "--timeout", "90", "--mpirun", mpirun, "--", "-x", "GIVEN=1",
                            job.paths["flush_collective"], f"{nodes.folder}/flushed", "barrier", check=False)
        if not os.path.exists(f"{nodes.folder}/flushed_counts.0.prof"):
            raise Failure(f"not monitored on two nodes\n{output}")
        expect(read_matrix(f"{nodes.folder}/flushed_counts.0.prof"), [[0, 1], [1, 0]], "messages of a Barrier")


def case_old_program(job):
    output = job.succeed(3, "old_program")
    expect(len(re.findall(r"old_program: of +3", output)), 3, "lines of an old program")


def case_no_fortran(_job):
    skip("there is no Fortran compiler, or no MPI for it")


def main():
    job = Job(sys.argv[1])
    conclude(lambda: globals()[f"case_{sys.argv[2]}"](job, *sys.argv[3:]))


main()
