#!/usr/bin/env python3
"""Tests a hierarchy of six levels whose branches differ in depth, with another algorithm or component on every
level: each level's counters must show one use of its method per group and call."""
import os
import sys
import tempfile

from job import Paths, check, conclude, run

NETWORK = """
SwitchName=rack0 Nodes=p[0-1]
SwitchName=rack1 Nodes=p2
SwitchName=site0 Switches=rack[0-1]
SwitchName=site1 Nodes=p[3-4]
SwitchName=top   Switches=site[0-1]
"""
# Each node: two packages of two NUMA domains of four cores.
PLACES = ["0@p0", "1@p0", "4@p0", "8@p0",   # node > package 0 > NUMA domain 0 > two cores
          "0@p1", "1@p1",                   # one NUMA domain
          "all@p2", "all@p2",               # unbound: they stop at the node (rack1 splits nothing)
          "0@p3", "1@p3", "8@p3", "9@p3",   # node > two NUMA domains
          "0@p4", "all@p4"]                 # one bound, one not
# Groups of at least two participants: top, site0, rack0 and site1; p0, p2, p3 and p4; package 0 of p0; the NUMA
# domains of p0, p1 and (twice) p3. Together one message less than ranks.
GROUPS = {"switch": 4, "node": 4, "package": 1, "numa": 4, "core": 0}
METHODS = {
    "levels": "switch2=tuned,switch1=knomial:3,switch0=scatter_allgather,"
              "node=sm,package=split_binary,numa=libnbc",
    "tree": "switch2=linear,switch1=pipeline,switch0=chain:2,"
            "node=binary,package=knomial:4,numa=binomial",
}
PLAN = {
    "levels": ["switch2 tuned", "switch1 knomial:3", "switch0 scatter_allgather", "node sm",
               "package split_binary", "numa libnbc"],
    "tree": ["switch2 linear", "switch1 pipeline", "switch0 chain:2", "node binary", "package knomial:4",
             "numa binomial"],
}
ROOTS = [0, 3, 7, 13]
SIZES = [64, 70000]


def test(paths, engine, extra):
    with tempfile.TemporaryDirectory() as folder:
        network = os.path.join(folder, "topology.conf")
        with open(network, "w", encoding="utf-8") as file:
            file.write(NETWORK)
        parameters = {
            "coll_strata_topology": "synthetic:package:2 numa:2 core:4",
            "coll_strata_placement": ";".join(PLACES),
            "coll_strata_network": f"file:{network}", "coll_strata_bcast_algorithm": engine,
            "coll_strata_bcast_level_algorithms": METHODS[engine], "coll_strata_bcast_segsize": "0",
            "coll_strata_verbose": "2"}
        arguments = ["--sizes", ",".join(map(str, SIZES)), "--roots", ",".join(map(str, ROOTS))]
        calls = len(ROOTS) * len(SIZES)
        counter = {"levels": "delegated", "tree": "messages"}[engine]

        def judge(outcome):
            outcome.expect_success()
            outcome.expect_messages()
            done = outcome.pvar(f"bcast_{engine}")
            outcome.expect(done == calls * len(PLACES), f"{done} calls by engine {engine}")
            for level, groups in GROUPS.items():
                found = outcome.pvar(f"{counter}_{level}")
                wanted = groups * calls + extra
                print(f"{counter}_{level}: {found}")
                outcome.expect(found == wanted, f"{counter}_{level} is {found}, expected {wanted}")
            for words in PLAN[engine]:
                outcome.expect(words in outcome.output, f"no plan has '{words}'")

        check(run(paths, len(PLACES), "probe", arguments, parameters), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0))
