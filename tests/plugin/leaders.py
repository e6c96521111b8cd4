#!/usr/bin/env python3
"""Tests NIC-local leaders as elected in a live job, read from the hierarchy that it dumps."""
import json
import os
import sys
import tempfile

from job import Paths, check, conclude, run

# Two nodes of two packages of two NUMA domains of four cores; a rank on the first core of each domain.
MACHINE = "synthetic:package:2 numa:2 core:4"
CORES = ("0", "4", "8", "12")
NODES = ("p0", "p1")

# Open MPI uses libfabric's TCP only on request; with another provider in the list, its NICs could appear.
LIBFABRIC = {"pml": "cm", "mtl": "ofi", "opal_common_ofi_provider_include": "verbs,tcp"}
UCX = {"pml": "ucx", "pml_ucx_tls": "any", "pml_ucx_devices": "any"}

# Parameters, and the resulting leaders of the two nodes.
CASES = {
    "near": ({"coll_strata_nic": "ib0@numa:2"}, [2, 6]),
    "far_package": ({"coll_strata_nic": "ib0@package:1"}, [2, 6]),  # two are NIC-local: the lower one
    "two_nics": ({"coll_strata_nic": "ib0@numa:3,ib1@numa:1"}, [1, 5]),
    "none": ({"coll_strata_nic": "none"}, [0, 4]),
    "unknown_place": ({}, [0, 4]),  # a synthetic machine has no NICs
    "no_such_nic": ({"coll_strata_nic": "ib7"}, [0, 4]),
    "nodes_differ": ({"coll_strata_nic": "ib0@numa:1"}, [1, 7]),
    "unbound": ({"coll_strata_nic": "ib0@numa:2"}, [0, 4]),
    "all_cores": ({"coll_strata_nic": "ib0@numa:2"}, [0, 4]),  # a launcher's form of "unbound"
    # The NICs of the transport in use: both have interfaces, one is a fabric device (see XML).
    "auto_ip": ({"pml": "ob1"}, [0, 4]),
    "auto_fabric": (LIBFABRIC, [1, 5]),
    "auto_fabric_ip": (LIBFABRIC | {"opal_common_ofi_provider_include": "tcp"}, [0, 4]),
    "auto_ucx": (UCX, [1, 5]),
    "auto_ucx_ip": (UCX, [0, 4]),
}
XML = "tests/topo/machines/interleaved.xml"  # mlx4_0 with ib0 near numa 1, eth0 near numa 0


def test(paths, case, wanted):
    parameters, leaders = CASES[case]
    some = None
    if case == "auto_ucx_ip":
        some = ["rank=0,1,2,3,4,5,6,7", "UCX_TLS=tcp,self,sysv"]
    if case == "nodes_differ":  # like different parameter files on two hosts
        some = ["rank=4,5,6,7", "OMPI_MCA_coll_strata_nic=ib0@numa:3"]
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "hierarchy.json")
        cores = [{"unbound": "all", "all_cores": "0-15"}.get(case, core) for core in CORES]
        machine = MACHINE
        if case.startswith("auto"):
            machine, cores = os.path.join(paths["source"], XML), ["0", "2", "4", "6"]
        settings = {
            "coll_strata_topology": machine, "coll_strata_reproducible": "1", "coll_strata_dump": picture,
            "coll_strata_placement": ";".join(f"{core}@{node}" for node in NODES for core in cores)}
        ranks = len(CORES) * len(NODES)

        def judge(outcome):
            outcome.expect_success()
            silent = case not in ("no_such_nic", "unbound", "all_cores")
            outcome.expect_messages(nics=0 if silent else 1)
            cause = "no NIC 'ib7' in this machine" if case == "no_such_nic" else "equally near to all cores"
            outcome.expect(silent or cause in outcome.output, f"the message lacks the cause: {cause}")
            with open(picture, encoding="utf-8") as file:
                levels = json.load(file)["levels"]
            found = [group["leader"] for level in levels if level["kind"] == "node" for group in level["groups"]]
            outcome.expect(found == (wanted or leaders), f"leaders {found}, expected {wanted or leaders}")

        check(run(paths, ranks, "bcast_roots", parameters=settings | parameters, some=some), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], [int(word) for word in sys.argv[3:]]))
