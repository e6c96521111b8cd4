#!/usr/bin/env python3
"""Tests MPI programs under Slurm, started in every way, with the plugin and no parameter but one for a dump: the
hierarchy has the switches that Slurm gave the processes, and broadcasts deliver the right data."""
import json
import os
import re
import shlex
import sys
import time

from slurm import HERE, Failure, SlurmNodes

from job import ON_SOME, SYSTEM_FOLDERS, Outcome, Paths, check, conclude

# As the cluster's own, but n1 at the other site.
WRONG = "SwitchName=site0 Nodes=n0\nSwitchName=site1 Nodes=n[1-3]\nSwitchName=top Switches=site[0-1]\n"
TOLD = {"n0": "top.site0.n0", "n1": "top.site0.n1", "n2": "top.site1.n2", "n3": "top.site1.n3"}
NOTHING = dict.fromkeys(TOLD, "nothing")
SECONDS_OF_A_JOB = 45

MPIRUN = ["mpirun.openmpi", "--map-by", {"block": "slot", "cyclic": "node"}]
# mpirun on n0 starts the ranks there itself, and has Slurm (or the cluster's remote shell) start its daemons.
# Of Open MPI's release 4 and 5.
SLURM_STARTS = [{4: "--mca", 5: "--prtemca"}, "plm", "slurm"]
SHELL_STARTS = [{4: "--mca", 5: "--prtemca"}, "plm", {4: "rsh", 5: "ssh"}]


class Way:
    """A way to start a job."""

    def __init__(self, start, told, switches, before="", allocation="sbatch"):
        self.start = start
        self.told = told  # node -> SLURM_TOPOLOGY_ADDR of its ranks
        self.switches = switches  # the nodes below each switch of the hierarchy
        self.before = before  # shell command in front of mpirun
        self.allocation = allocation


ALL_SWITCHES = [("n0", "n1", "n2", "n3"), ("n0", "n1"), ("n2", "n3")]
WAYS = {
    "srun": Way(["srun", "--mpi=pmix", "--distribution", {"block": "block", "cyclic": "cyclic"}], TOLD,
                ALL_SWITCHES, allocation=None),
    "sbatch": Way(MPIRUN + SLURM_STARTS, TOLD, ALL_SWITCHES),
    # salloc's shell is not a Slurm task: mpirun and the ranks beside it get no variables.
    "salloc": Way(MPIRUN + SLURM_STARTS, TOLD | {"n0": "nothing"}, [("n1", "n2", "n3"), ("n2", "n3")],
                  allocation="salloc"),
    # This remote shell passes the variables of n0 to every node.
    "copied": Way(MPIRUN + SHELL_STARTS, dict.fromkeys(TOLD, TOLD["n0"]), []),
    "absent": Way(MPIRUN + SHELL_STARTS, NOTHING, [],
                  before="unset SLURM_TOPOLOGY_ADDR SLURM_TOPOLOGY_ADDR_PATTERN; "),
    # The user's setting overrides Slurm's. On its way to the nodes the list passes several shells.
    "given": Way(MPIRUN + SHELL_STARTS + ["--mca", "coll_strata_network", "hosts:n[0,2]=a.b;n1,n3=a.c"],
                 dict.fromkeys(TOLD, TOLD["n0"]), [("n0", "n1", "n2", "n3"), ("n0", "n2"), ("n1", "n3")]),
}


def node_of(rank, order, nodes):
    return nodes.names[rank // nodes.slots[0] if order == "block" else rank % len(nodes.names)]


def start(nodes, way, order, command, parameters):
    """Runs a command on the given number of ranks; returns its exit status and output."""
    words = [word.get(order, word.get(nodes.release)) if isinstance(word, dict) else word for word in way.start] + command
    size = [f"--nodes={len(nodes.names)}", f"--ntasks-per-node={nodes.slots[0]}"]
    if way.allocation is None:
        return nodes.execute(words[0], *size, *words[1:], parameters=parameters)
    script = f"{way.before}{shlex.join(words)}; echo status $?"
    if way.allocation == "salloc":
        status, output = nodes.execute("salloc", *size, "sh", "-c", script, parameters=parameters)
        if status != 0:
            raise Failure(f"salloc ended with {status}:\n{output}")
    else:
        output = batch(nodes, size, script, parameters)
    found = re.search(r"^status (\d+)$", output, re.MULTILINE)
    return int(found.group(1)) if found else -1, output


def batch(nodes, size, script, parameters):
    """Returns the output of a batch job. sbatch --wait would poll only every ten seconds."""
    path = os.path.join(nodes.slurm_folder, "batch.output")
    nodes.must("sbatch", *size, "--output", path, f"--wrap={script}", parameters=parameters)
    deadline = time.monotonic() + SECONDS_OF_A_JOB
    output = ""
    while not re.search(r"^status \d+$", output, re.MULTILINE):
        if time.monotonic() > deadline:
            raise Failure(f"no end after {SECONDS_OF_A_JOB} s:\n{output}\n{nodes.logs()}")
        time.sleep(0.1)
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                output = file.read()
    os.unlink(path)
    return output


def members_below(dump, kind):
    with open(dump, encoding="utf-8") as file:
        levels = json.load(file)["levels"]
    return sorted(group["members"] for level in levels if level["kind"].startswith(kind)
                  for group in level["groups"])


def run(nodes, name, order, way):
    dump = os.path.join(nodes.folder, "hierarchy.json")
    command = [os.path.join(HERE, "told.sh"), nodes.paths["bcast_roots"], "--sizes", "1,4096,61441"]
    outcome = Outcome(*start(nodes, way, order, command, {"coll_strata_dump": dump}))

    def judge(job):
        job.expect_success()
        job.expect_messages()
        job.expect(f"bcast_roots: passed on {nodes.ranks} ranks" in job.output, "bcast_roots has not passed")
        told = {int(rank): (node, address) for rank, node, address in
                re.findall(r"rank (\d+) on (\S+) was told (\S+)", job.output)}
        places = {rank: node_of(rank, order, nodes) for rank in range(nodes.ranks)}
        wanted = {rank: (node, way.told[node]) for rank, node in places.items()}
        job.expect(told == wanted, f"ranks were told {told}, expected {wanted}")
        switches = members_below(dump, "switch")
        wanted = sorted([rank for rank, node in places.items() if node in below] for below in way.switches)
        job.expect(switches == wanted, f"switches above {switches}, expected {wanted}")

    check(outcome, judge)
    os.unlink(dump)
    print(f"{name}, {order}: switches above {' '.join(map(str, way.switches)) or 'nothing'}")


def run_without(nodes, lacking):
    """Tests srun with a node without the plugin: all ranks agree, and a message names the node."""
    some = [ON_SOME, f"host={lacking}", f"OMPI_MCA_opal_mca_base_component_path={SYSTEM_FOLDERS}", "--"]
    command = [*some, nodes.paths["bcast_roots"], "--sizes", "1,4096,61441"]

    def judge(job):
        job.expect_success()
        job.expect_messages(missing=1)
        job.expect(re.search(rf"^\s*{lacking}\s*$", job.output, re.MULTILINE), f"the message does not name {lacking}")
        job.expect(f"bcast_roots: passed on {nodes.ranks} ranks" in job.output, "bcast_roots has not passed")

    check(Outcome(*start(nodes, WAYS["srun"], "block", command, {})), judge)
    print(f"srun, no plugin on {lacking}: it is named, and Open MPI broadcasts")


def test(paths, names, can_fail):
    if names == ["without"]:
        with SlurmNodes(paths) as nodes:
            for lacking in nodes.names:
                run_without(nodes, lacking)
        return
    with SlurmNodes(paths, WRONG if can_fail else None) as nodes:
        for name in names:
            way = WAYS[name]
            if can_fail:
                way.told = way.told | {"n1": "top.site1.n1"}
            for order in ("block", "cyclic"):
                run(nodes, name, order, way)


if len(sys.argv) < 3:
    sys.exit(f"jobs.py PATHS [can_fail] WAY...; ways: {' '.join(WAYS)}; or: without")
conclude(lambda: test(Paths(sys.argv[1]), [name for name in sys.argv[2:] if name != "can_fail"],
                      "can_fail" in sys.argv))
