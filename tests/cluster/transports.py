#!/usr/bin/env python3
"""Tests all transports of this Open MPI between and inside nodes: all collectives deliver the right data, by the
tree and by the plugin's own choice, and the plugin serves them."""
import sys

from nodes import Nodes

from job import Paths, check, conclude, require_component

LIBFABRIC = {"pml": "cm", "mtl": "ofi"}
UCX = {"pml": "ucx", "pml_ucx_tls": "any", "pml_ucx_devices": "any"}
NIC = "UCX_NET_DEVICES=eth0"
# Parameters, and variables of all processes; the components that `ompi_info` must list.
TRANSPORTS = {
    "ob1_tcp": ({"pml": "ob1", "btl": "self,tcp"}, [], "pml: ob1"),
    "ob1_shared": ({"pml": "ob1"}, [], "pml: ob1"),
    "ucx_tcp": (UCX, ["UCX_TLS=tcp,self", NIC], "pml: ucx"),
    "ucx_shared": (UCX, ["UCX_TLS=tcp,self,sysv,posix", NIC], "pml: ucx"),
    "ofi_tcp": (LIBFABRIC | {"opal_common_ofi_provider_include": "tcp"}, [], "mtl: ofi"),
    "ofi_layered": (LIBFABRIC | {"opal_common_ofi_provider_include": "tcp;ofi_rxm"}, [], "mtl: ofi"),
}
ENGINES = {"tree": {f"coll_strata_{name}_algorithm": "tree" for name in ("bcast", "allreduce", "gather")}, "auto": {}}


def test(paths, name):
    parameters, variables, component = TRANSPORTS[name]
    require_component(paths, component)
    with Nodes(paths, (2, 2, 2, 2)) as nodes:
        everywhere = [f"host={','.join(f'n{node}' for node in range(4))}", *variables] if variables else None
        for engine, asked in ENGINES.items():
            settings = parameters | asked | {"coll_strata_network": f"file:{nodes.network_file}"}

            def judge(outcome):
                outcome.expect_success()
                outcome.expect_messages()

            def judge_probe(outcome, engine=engine):
                judge(outcome)
                served = outcome.pvar_sum("bcast_") - outcome.pvar_sum("bcast_forward")
                outcome.expect(served > 0, "no broadcast was served by the plugin")
                if engine == "tree":
                    outcome.expect(outcome.pvar("bcast_tree") == served, f"not all by the tree: {outcome.pvars}")

            check(nodes.run("random_collectives", ["--iterations", 150, "--seed", 7], settings, "cyclic", everywhere),
                  judge)
            check(nodes.run("probe", ["--sizes", "8,40000,1000000", "--roots", "0,5"], settings, "cyclic", everywhere),
                  judge_probe)
            print(f"{name}, {engine}: right")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
