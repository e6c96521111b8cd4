#!/usr/bin/env python3
"""Tests the number of PMIx requests of the plugin when a job starts, over several nodes, against the formula; and
failing requests to other nodes' servers, as in ../plugin/pmix_requests.py.

    pmix_requests.py PATHS count SLOTS [--off-by N]    SLOTS: ranks of each node, as in 2,2,4
    pmix_requests.py PATHS fail KIND once|lasting
    pmix_requests.py PATHS old unknown|own    with a PMIx that does not report other nodes' processes (4.1)
"""
import argparse
import importlib.util
import os
import re
import sys

from nodes import Nodes

from job import Paths, check, conclude


def on_one_node():
    """The module of the same name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plugin", "pmix_requests.py")
    spec = importlib.util.spec_from_file_location("pmix_requests_on_one_node", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def neighbours(nodes):
    """Returns how many other nodes each node queries: those 1, 2, 4... places on and back."""
    distances = [1 << bit for bit in range((nodes - 1).bit_length())]
    return len({place % nodes for distance in distances for place in (distance, -distance)})


def expected(slots, release):
    """Returns (here, remote, peers, node) of all processes together; `remote` is an upper bound. Data of a process
    of this node is on its server; with 5.0 data of another node's process is not, unless it is the job's first or
    has already sent a message: otherwise the request goes to its own server."""
    ranks, nodes = sum(slots), len(slots)
    each = neighbours(nodes)
    far = nodes * each
    # Each of those is queried by the node's name, and then for its own data.
    node = ranks + (nodes + far if nodes > 1 else 0)
    return 2 * (ranks - nodes) + far, far - each if release == 5 else 0, ranks + far, node


def count(paths, slots, off_by):
    with Nodes(paths, slots, sites=min(2, len(slots))) as nodes:
        some = ["host=" + ",".join(f"n{node}" for node in range(len(slots))), f"LD_PRELOAD={paths['pmix_requests']}",
                "STRATA_PMIX_COUNT=1"]

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages()
            found = re.findall(r"requests \d+ here (\d+) remote (\d+) peers (\d+) node (\d+)", outcome.output)
            sums = tuple(sum(map(int, one)) for one in zip(*found))
            here, most, *others = expected(slots, nodes.release)
            right = (here + off_by, min(most, sums[1]), *others)
            print(f"{sum(slots)} ranks on {len(slots)} nodes: here, remote, peers, node: {sums}")
            outcome.expect(sums == right, f"requests (here, remote, peers, node): {sums}, expected {right}")
        # Many ranks on few processors: waiting ranks yield to the daemons.
        check(nodes.run("probe", ["--roots", "all"], {"mpi_yield_when_idle": "1"}, some=some, timeout=150), judge)


def fail(paths, kind, how):
    shared = on_one_node()
    lasting = how == "lasting"
    with Nodes(paths, (2, 1, 3)) as nodes:
        parameters = {"coll_strata_bcast_algorithm": "tree", "coll_strata_network": f"file:{nodes.network_file}"}
        # The second node publishes for the third what it would ask that one's server for.
        for victims in ("rank=0", "rank=2" if kind == "remote" else "rank=3", "rank=0,1,2,3,4,5"):
            some = [victims, *shared.variables(paths, kind, "lasting" if lasting else 1)]
            check(nodes.run("probe", ["--roots", "all"], parameters, some=some, timeout=90),
                  lambda outcome: shared.judge(outcome, lasting, nodes.ranks))


def old(paths, how):
    """Finds the first process of another node from what each process publishes about its node, once for all nodes."""
    with Nodes(paths, (2, 1, 3)) as nodes:
        parameters = {"coll_strata_bcast_algorithm": "tree", "coll_strata_network": f"file:{nodes.network_file}"}
        everybody = "rank=" + ",".join(map(str, range(nodes.ranks)))
        some = [everybody, f"LD_PRELOAD={paths['pmix_requests']}", f"STRATA_PMIX_OLD={how}", "STRATA_PMIX_COUNT=1"]

        def judge(outcome):
            on_one_node().judge(outcome, False, nodes.ranks)
            asked = sorted(tuple(map(int, one)) for one in re.findall(r"peers (\d+) node (\d+)", outcome.output))
            # A different answer costs one more request, for the processes there; after all nodes were queried none
            # is needed.
            first = (2, 2 + nodes.ranks + (how == "own"))
            expected = [(1, 1)] * (nodes.ranks - 3) + [first] * 3
            outcome.expect(asked == expected, f"requests (peers, node): {asked}, expected {expected}")
        check(nodes.run("probe", ["--roots", "all"], parameters, some=some, timeout=90), judge)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Paths)
    parser.add_argument("what", choices=("count", "fail", "old"))
    parser.add_argument("of")
    parser.add_argument("how", nargs="?", choices=("once", "lasting"))
    parser.add_argument("--off-by", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.what == "count":
        count(chosen.paths, [int(slots) for slots in chosen.of.split(",")], chosen.off_by)
    elif chosen.what == "old":
        old(chosen.paths, chosen.of)
    else:
        fail(chosen.paths, chosen.of, chosen.how)


if __name__ == "__main__":
    conclude(main)
