#!/usr/bin/env python3
"""Tests that coll_strata_dump of a running job equals strata-topo's output: groups, leaders, names and NICs."""
import json
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "plugin"))
from job import ON_SOME, Failure, Paths, check, conclude, run  # noqa: E402

CORES = ("0", "2", "7", "2-3")
NODES = ("n0", "n1", "n2")
MACHINE = os.path.join(FOLDER, "machines", "interleaved.xml")
FILE = os.path.join(FOLDER, "networks", "two-sites.conf")
HOSTS = "hosts:n[0-1]=top.site0;n2=top.site1"


def slurm(path, name=lambda node: node, more=lambda node: ()):
    """Returns Slurm's variables for the processes of the node with this `name`, as arguments of on_some.sh."""
    arguments = []
    for index, node in enumerate(NODES):
        ranks = ",".join(str(len(CORES) * index + i) for i in range(len(CORES)))
        arguments += ["--", ON_SOME] if arguments else []
        arguments += [f"rank={ranks}", f"SLURM_TOPOLOGY_ADDR={path[node]}.{name(node)}",
                      "SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node", *more(node)]
    return arguments


SITES = {"n0": "top.site0", "n1": "top.site0", "n2": "top.site1"}
# As Slurm calls the nodes; the same network by these names.
TUX = {"n0": "tux4", "n1": "tux5", "n2": "tux6"}
TUX_HOSTS = "hosts:TUX[4-5]=top.site0;tux6.cluster.org=top.site1"


def tux(list_of_nodes):
    return slurm(SITES, TUX.get, lambda node: (f"SLURMD_NODENAME={TUX[node]}", f"SLURM_JOB_NODELIST={list_of_nodes}"))


# Parameters of the job, arguments of strata-topo, and of on_some.sh.
CASES = {
    "file": ({"coll_strata_network": f"file:{FILE}"}, ["--network", FILE], None),
    "hosts": ({"coll_strata_network": HOSTS}, ["--network", HOSTS], None),
    "slurm": ({"coll_strata_network": "auto"}, ["--network", HOSTS],
              slurm(SITES)),
    "slurm_capitals": ({}, ["--network", HOSTS], slurm(SITES, lambda node: node.upper() + ".cluster.org")),
    "slurm_names": ({}, ["--network", HOSTS], tux("tux[4-6]")),
    "slurm_names_file": ({"coll_strata_network": TUX_HOSTS}, ["--network", HOSTS], tux("tux[4-6]")),
    "slurm_copied": ({}, [], tux("n[0-2]")),  # Slurm has its own names for these nodes
    "no_network": ({}, [], None),
    "levels": ({"coll_strata_hierarchy": "numa,node"}, ["--hierarchy", "numa,node"], None),
    "placed_nic": ({"coll_strata_nic": "eth0@package:3"}, ["--nic", "eth0@package:3"], None),
    "no_nic": ({"coll_strata_nic": "none"}, ["--nic", "none"], None),
    "can_fail": ({"coll_strata_network": HOSTS}, [], None),
}


def test(paths, topo, case):
    parameters, arguments, some = CASES[case]
    with tempfile.TemporaryDirectory() as scratch:
        picture = os.path.join(scratch, "job.json")
        settings = {"coll_strata_topology": MACHINE, "coll_strata_reproducible": "1", "coll_strata_nic": "mlx4_0",
                    "coll_strata_placement": ";".join(f"{c}@{n}" for n in NODES for c in CORES)} | parameters
        outcome = run(paths, 12, "probe", [], settings | {"coll_strata_dump": picture}, some=some)
        check(outcome, lambda o: (o.expect_success(), o.expect_messages()))
        with open(picture, encoding="utf-8") as file:
            live = json.load(file)
    # The facts that only a job has.
    used = live.pop("communicators", None)
    if not used or live.pop("other_communicators", None) != 0 or used[0]["ranks"] != 12 or not used[0]["calls"]:
        raise Failure(f"the job does not report what it did: {json.dumps(used)}")
    # The output of strata-topo --plans.
    of_plans = {name: live.pop(name, None) for name in ("plans", "links", "eager_bytes")}
    if live.pop("plans_of", None) != "MPI_COMM_WORLD":
        raise Failure("the job does not report whose choices they are")
    collectives = {plan["collective"] for plan in of_plans["plans"] or ()}
    if not all(of_plans.values()) or collectives < {"bcast", "allgather", "barrier"}:
        raise Failure(f"the job does not report its choices: {json.dumps(of_plans)}")
    command = [topo, "--topology", MACHINE, "--hosts", ",".join(NODES), "--placement", ";".join(CORES),
               "--ppn", str(len(CORES)), "--nic", "mlx4_0", "--format", "json"]
    for name, value in zip(arguments[::2], arguments[1::2]):
        if name in command:
            command[command.index(name) + 1] = value
        else:
            command += [name, value]
    synthetic = json.loads(subprocess.run(command, check=True, text=True, capture_output=True).stdout)
    if live != synthetic:
        raise Failure(f"the job shows\n{json.dumps(live)}\nstrata-topo shows\n{json.dumps(synthetic)}")
    nics = {"no_nic": 0}.get(case, len(NODES))
    if len(live.get("nics", [])) != nics:
        raise Failure(f"{live.get('nics')} instead of {nics} NICs")


def test_one_process_asks(paths):
    """The others published nothing: their switches have names, their NICs are missing."""
    with tempfile.TemporaryDirectory() as scratch:
        picture = os.path.join(scratch, "job.txt")
        settings = {"coll_strata_topology": MACHINE, "coll_strata_reproducible": "1", "coll_strata_nic": "mlx4_0",
                    "coll_strata_network": HOSTS,
                    "coll_strata_placement": ";".join(f"{c}@{n}" for n in NODES for c in CORES)}
        outcome = run(paths, 12, "probe", [], settings,
                      some=["rank=0", f"OMPI_MCA_coll_strata_dump={picture}"])
        check(outcome, lambda o: (o.expect_success(), o.expect_messages()))
        with open(picture, encoding="utf-8") as file:
            text = file.read()
    for wanted, times in (("switch top:", 1), ("switch site0:", 1), ("node n0:", 1), ("node n1:", 0),
                          ("NIC mlx4_0, near numa 1", 1)):
        if text.count(wanted) != times:
            raise Failure(f"'{wanted}' occurs {text.count(wanted)} times, expected {times}\n{text}")


def main():
    paths, topo, case = Paths(sys.argv[1]), sys.argv[2], sys.argv[3]
    conclude(lambda: test_one_process_asks(paths) if case == "one_process" else test(paths, topo, case))


main()
