#!/usr/bin/env python3
"""Tests jobs whose processes differ: they must end with right results, pass through every broadcast that involves a
differing process, and report it once with the node's name. One case per kind of difference also compares start-up
times with jobs without the plugin: they must start as fast."""
import os
import socket
import sys
import tempfile

from job import (ON_DEMAND, SKIPPED, SYSTEM_FOLDERS, Failure, Paths, check, component_path, conclude,
                 expect_quick_start, late_start, synthetic, run)

RANKS = 6
TIMED = ("same_everywhere", "missing_middle", "all_but_one_missing", "version_middle", "release_everywhere", "window",
         "bad_value", "rules_missing", "no_exchange", "on_demand", "on_demand_missing", "can_fail_start")

FIRST, MIDDLE, LAST = "rank=0", "rank=3", "rank=5"
SWITCHES = "SwitchName=s0 Nodes=p0\nSwitchName=s1 Nodes=p[1-2]\nSwitchName=top Switches=s[0-1]\n"


# Texts that the messages must contain, with the values of the named processes.
CAUSES = {
    "window": ["coll_strata_window: 8 in process 3 (node ", "auto (the default) in process 0 (node "],
    "reproducible": ["coll_strata_reproducible: 1 in process 3"],
    "priority": ["coll_strata_priority: 50 in process 3"],
    "nic_off": ["coll_strata_nic: none in process 3"],
    "algorithm": ["coll_strata_bcast_algorithm: levels in process 3", "tree in process 0"],
    "segsize": ["coll_strata_bcast_segsize: 1k in process 5", "nothing (the default) in process 0"],
    "hierarchy": ["coll_strata_hierarchy: nothing (the default) in process 1", "node in process 0"],
    "disable": ["coll_strata_disable: bcast in process 3"],
    "bad_value": ["coll_strata_window: wide in process 3",
                  "values that are unusable: coll_strata_window = 'wide': must be a whole number"],
    "eager_limit": ["(btl_vader_eager_limit, btl_sm_eager_limit): 1000 in process 3"],
    "network_content": ["coll_strata_network: file:", "swapped.conf (content ", "usual.conf (content "],
    "network_missing": ["none.conf", "values that are unusable: coll_strata_network"],
    "topology_missing": ["values that are unusable: coll_strata_topology"],
    "rules_content": ["coll_strata_rules: ", "b.json (content ", "a.json (content "],
    "rules_missing": ["none.json (unusable: see below)", "values that are unusable: coll_strata_rules: ", "none.json"],
    "version_middle": ["release: "],
    "sources_middle": ["sources: "],
    "arithmetic_middle": ["plans of the self-test: "],
    "can_fail_cause": ["coll_strata_window: 9 in process 3"],
}


class Case:
    """`variables`: environment of the selected ranks. `reason`: why broadcasts are passed through; None: they are
    not. `lacking`: ranks without the plugin. `messages`: count of each kind, default one of `reason`."""

    def __init__(self, selection, variables, reason, lacking=0, messages=None, parameters=None):
        self.selection = selection
        self.variables = variables
        self.reason = reason
        self.lacking = lacking
        self.messages = {reason: 1} if messages is None and reason else messages or {}
        self.parameters = parameters or {}


def coll(name, value):
    return f"OMPI_MCA_coll_strata_{name}={value}"


def make_cases(paths, scratch):
    """Returns all cases by name. Writes files that a case needs to the folder `scratch`."""
    def network(name, text):
        path = os.path.join(scratch, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return f"file:{path}"

    def rules(name, engine):
        path = os.path.join(scratch, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'{{"version": 1, "rules": [{{"collective": "bcast", "engine": "{engine}"}}]}}')
        return path

    missing = [f"OMPI_MCA_opal_mca_base_component_path={SYSTEM_FOLDERS}"]
    other = [component_path(paths.folder("other_version"))]
    sources = [component_path(paths.folder("other_sources"))]
    arithmetic = [component_path(paths.folder("other_arithmetic"))]
    both = f"{paths.folder()}:{paths.folder('other_version')}"
    other_first = f"{paths.folder('other_version')}:{paths.folder()}"
    release = [f"LD_PRELOAD={paths['other_release']}"]
    os.symlink(paths.folder(), os.path.join(scratch, "elsewhere"))
    usual = {"coll_strata_network": network("usual.conf", SWITCHES)}
    same = coll("network", network("same.conf", "# as the other one\n" + SWITCHES))
    other_switches = SWITCHES.replace("p0", "p9").replace("p[1-2]", "p[0-2]")
    swapped = coll("network", network("swapped.conf", other_switches))
    real = {"coll_strata_topology": "", "coll_strata_placement": ""}
    both_messages = {"settings": 1, "bad_parameters": 1}
    return {
        "missing_first": Case(FIRST, missing, "missing", lacking=1),
        "missing_middle": Case(MIDDLE, missing, "missing", lacking=1),
        "missing_last": Case(LAST, missing, "missing", lacking=1),
        "all_but_one_missing": Case("rank=1,2,3,4,5", missing, "missing", lacking=5),
        "all_but_last_missing": Case("rank=0,1,2,3,4", missing, "missing", lacking=5),
        "version_first": Case(FIRST, other, "version"),
        "version_middle": Case(MIDDLE, other, "version"),
        # Two plugins installed at once: Open MPI loads the first and ignores the second.
        "two_versions": Case("rank=0,1,2,3,4,5", [component_path(both)], None),
        "two_versions_in_another_order": Case(MIDDLE, [component_path(other_first)], "version"),
        "sources_first": Case(FIRST, sources, "version"),
        "sources_middle": Case(MIDDLE, sources, "version"),
        "all_but_one_sources": Case("rank=1,2,3,4,5", sources, "version"),
        # The same sources, one of them compiled with other options.
        "arithmetic_first": Case(FIRST, arithmetic, "version"),
        "arithmetic_middle": Case(MIDDLE, arithmetic, "version"),
        "arithmetic_everywhere": Case("rank=0,1,2,3,4,5", arithmetic, None),
        "can_fail_arithmetic": Case(MIDDLE, arithmetic, None),
        "all_but_one_version": Case("rank=1,2,3,4,5", other, "version"),
        "release_everywhere": Case("rank=0,1,2,3,4,5", release, "missing", lacking=6, messages={"release": 1}),
        "release_middle": Case(MIDDLE, release, "missing", lacking=1),
        "nic_off": Case(MIDDLE, [coll("nic", "none")], "settings"),
        "nic_names": Case(MIDDLE, [coll("nic", "ib0@numa:1")], None),
        "reproducible": Case(MIDDLE, [coll("reproducible", 1)], "settings"),
        "window": Case(MIDDLE, [coll("window", 8)], "settings"),
        "can_fail_cause": Case(MIDDLE, [coll("window", 8)], "settings"),
        "priority": Case(MIDDLE, [coll("priority", 50)], "settings"),
        "algorithm": Case(MIDDLE, [coll("bcast_algorithm", "levels")], "settings"),
        "segsize": Case(LAST, [coll("bcast_segsize", "1k")], "settings"),
        "hierarchy": Case(FIRST, [coll("hierarchy", "node")], "settings"),
        "setup_after": Case(MIDDLE, [coll("setup_after", 3)], "settings"),
        "shared_memory": Case(MIDDLE, [coll("shared_memory", 0)], "settings"),
        "hand_back": Case(MIDDLE, [coll("hand_back", 0)], None),
        "check_plans": Case(MIDDLE, [coll("check_plans", 1)], "settings"),
        "disable": Case(MIDDLE, [coll("disable", "bcast")], "settings"),
        "bad_value": Case(MIDDLE, [coll("window", "wide")], "settings"),
        "bad_value_first": Case(FIRST, [coll("window", "wide")], "settings", messages=both_messages),
        "switched_off": Case(MIDDLE, [coll("priority", -1)], "missing", messages={"switched_off": 1}),
        "excluded": Case(MIDDLE, ["OMPI_MCA_coll=^strata"], "missing", lacking=1),
        "eager_limit": Case(MIDDLE, ["OMPI_MCA_btl_vader_eager_limit=1000"], "settings"),
        "network_content": Case(MIDDLE, [swapped], "settings", parameters=usual),
        "network_missing": Case(MIDDLE, [coll("network", f"file:{scratch}/none.conf")], "settings",
                                parameters=usual),
        "topology_missing": Case(LAST, [coll("topology", f"{scratch}/none.xml")], "settings"),
        "topology_missing_first": Case(FIRST, [coll("topology", f"{scratch}/none.xml")], "settings",
                                       messages=both_messages),
        # As nodes of different kinds: the differing process publishes its view.
        "topology_other": Case(MIDDLE, [coll("topology", "synthetic:package:1 numa:2 core:8")], None),
        # The real machine; one process points hwloc to a missing file, so that hwloc inspects the hardware itself,
        # or to another machine.
        "hwloc_no_file": Case(MIDDLE, [f"HWLOC_XMLFILE={scratch}/none.xml"], None, parameters=real),
        "hwloc_other": Case(MIDDLE, ["HWLOC_SYNTHETIC=package:2 numa:2 core:2 pu:1"], None, parameters=real),
        "rules_content": Case(MIDDLE, [coll("rules", rules("b.json", "forward"))], "settings",
                              parameters={"coll_strata_rules": rules("a.json", "tree")}),
        "rules_missing": Case(MIDDLE, [coll("rules", f"{scratch}/none.json")], "settings",
                              parameters={"coll_strata_rules": rules("a.json", "tree")}),
        "same_rules": Case(MIDDLE, [coll("rules", rules("c.json", "tree"))], None,
                           parameters={"coll_strata_rules": rules("a.json", "tree")}),
        "no_exchange": Case(MIDDLE, [], "missing", messages={"obstacle": 1},
                            parameters={"pmix_base_collect_data": "0"}),
        "on_demand": Case(MIDDLE, [], None, parameters=ON_DEMAND),
        "on_demand_missing": Case(MIDDLE, missing, "missing", lacking=1, parameters=ON_DEMAND),
        "same_everywhere": Case(MIDDLE, [], None),
        "same_network": Case(MIDDLE, [same], None, parameters=usual),
        "other_folder": Case(MIDDLE, [component_path(os.path.join(scratch, "elsewhere"))], None),
        # Switch s0 below "top" by node p0, below "other" by node p2; p1 has p0's variables and ignores them.
        "contradiction": Case("rank=4,5", ["SLURM_TOPOLOGY_ADDR=other.s0.p2"], None,
                              messages={"contradiction": 1}),
        "verbose": Case(MIDDLE, [coll("verbose", 1)], None),
        "can_fail": Case(MIDDLE, [], "missing"),
        "can_fail_start": Case(MIDDLE, [], None),
        "can_fail_sources": Case(MIDDLE, sources, None),
    }


def judge_common(outcome, case, name):
    outcome.expect_success()
    words = " ".join(outcome.output.split())
    for cause in CAUSES.get(name, []):
        outcome.expect(cause in words, f"the message does not name the cause: {cause}")
    outcome.expect_messages(**case.messages)
    if case.messages:
        outcome.expect(socket.gethostname() in outcome.output, "the message does not name the node")
    if case.reason == "version":
        outcome.expect("or built from other sources" in words, "the message does not name other builds")


def judge_probe(outcome, case, name, calls):
    judge_common(outcome, case, name)
    have = RANKS - case.lacking
    outcome.expect(outcome.with_plugin == have,
                   f"{outcome.with_plugin} ranks have the plugin, expected {have}")
    forwarded, tree = outcome.pvar("bcast_forward"), outcome.pvar("bcast_tree")
    if case.reason is None:
        outcome.expect((forwarded, tree) == (0, calls * RANKS),
                       f"{tree} calls by tree, {forwarded} forwarded")
        return
    outcome.expect(tree + outcome.pvar("bcast_levels") == 0, "a broadcast was not forwarded")
    calls += RANKS  # the empty broadcasts, which only the underlying component sends
    # A process whose own parameters disable this collective has no counts.
    least = calls * (have - 1) if have == RANKS else calls * have
    outcome.expect(least <= forwarded <= calls * have,
                   f"{forwarded} calls forwarded, expected {calls * have}")
    because = outcome.pvar("bcast_forward_" + case.reason)
    outcome.expect(because == forwarded, f"{because} of {forwarded} forwarded because of {case.reason}")
    own = outcome.pvar("comm_forward_" + case.reason)
    outcome.expect(own == forwarded, f"{own} of {forwarded} in the variable of MPI_COMM_WORLD")


def test(paths, name):
    with tempfile.TemporaryDirectory() as scratch:
        cases = make_cases(paths, scratch)
        if name not in cases:
            raise Failure(f"unknown case '{name}'; known: {', '.join(cases)}")
        case = cases[name]
        if name == "contradiction":
            os.environ |= {"SLURM_TOPOLOGY_ADDR": "top.s0.p0",
                           "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.switch.node"}
        parameters = synthetic(3, 2) | {"coll_strata_bcast_algorithm": "tree"} | case.parameters
        some = [case.selection, *case.variables]
        arguments = ["--roots", "all", "--empty"]

        def ours():
            return check(run(paths, RANKS, "probe", arguments, parameters, some,
                             wrapper=late_start() if name == "can_fail_start" else ()),
                         lambda outcome: judge_probe(outcome, case, name, 2 * RANKS))

        def plain():
            return check(run(paths, RANKS, "probe", arguments, {"coll": "^strata"}, some=["rank=none"]),
                         lambda outcome: outcome.expect_success())

        told = expect_quick_start(ours, plain) if name in TIMED else ours() is not None
        # Its communicators hold random subsets: those without the differing rank may use the tree, with right
        # results.
        check(run(paths, RANKS, "bcast_roots", ["--large-roots", "1"], parameters, some),
              lambda outcome: judge_common(outcome, case, name))
        if not told:
            sys.exit(SKIPPED)


if __name__ == "__main__":
    conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
