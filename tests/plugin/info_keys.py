#!/usr/bin/env python3
"""Tests settings by info keys: they hold only for their communicator, override parameters and rules, and errors in
them are reported; when processes give different keys, the communicator's calls are passed through."""
import os
import sys
import tempfile

from job import Failure, Paths, check, conclude, synthetic, run

RANKS = 4
SIZES = (8, 70000)
RULES = '{{"version": 1, "rules": [\n{{"collective": "bcast", "engine": "{}"}}]}}'


class Case:
    """`info`: key of every process; `there`: "RANK:" and the key of that rank instead. `engine`: of the broadcasts
    on the communicator; None: passed through for `reason`. `says`: texts of the output; `absent`: absent texts."""

    def __init__(self, info, engine="tree", reason="chosen", there="", messages=None, says=(), absent=(),
                 parameters=None, made_by="dup"):
        self.info = info
        self.engine = engine
        self.reason = reason
        self.there = there
        self.messages = messages or {}
        self.says = says
        self.absent = absent
        self.parameters = parameters or {}
        self.made_by = made_by


def make_cases(scratch):
    def rules(name, engine):
        path = os.path.join(scratch, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(RULES.format(engine))
        return path

    ours, forward = rules("tree.json", "tree"), rules("forward.json", "forward")
    tree = "strata_bcast_algorithm=tree"
    by_parameter = {"coll_strata_bcast_algorithm": "forward"}
    differ = {"engine": None, "reason": "settings", "messages": {"info_keys": 1}}
    wrong = {"bad_info_keys": 1}
    return {
        "none": Case("", None, parameters=by_parameter),
        "engine": Case(tree, says=["engine from info key strata_bcast_algorithm"], parameters=by_parameter),
        "levels": Case("strata_bcast_level_algorithms=cluster=tuned,numa=basic", "levels",
                       says=["algorithm of numa from info key strata_bcast_level_algorithms"]),
        "segsize": Case(tree + ";strata_bcast_segsize=cluster=2k", parameters={"coll_strata_bcast_segsize": "1k"},
                        says=["segment of cluster from info key strata_bcast_segsize", "/2048", "/1024",
                              "segment of numa from coll_strata_bcast_segsize"]),
        "window": Case(tree + ";strata_window=9"),
        "disable": Case("strata_disable=bcast", None, parameters={"coll_strata_bcast_algorithm": "tree"}),
        "reproducible": Case(tree + ";strata_reproducible=1"),
        "hierarchy": Case(tree + ";strata_hierarchy=none", says=["tree (cluster "], absent=["numa"]),
        "rules": Case(f"strata_rules={ours}", says=[f"engine from {ours}:2"],
                      parameters={"coll_strata_rules": forward}),
        "long_form": Case(tree + ";ompi_comm_coll_strata_bcast_segsize=3k", says=["/3072"]),
        "outranks": Case(tree, parameters={"coll_strata_rules": forward}),
        "merges": Case("strata_bcast_level_algorithms=cluster=chain:1",
                       says=["cluster chain:1", "numa chain:2",
                             "algorithm of cluster from info key strata_bcast_level_algorithms",
                             "algorithm of numa from coll_strata_bcast_level_algorithms"],
                       parameters={"coll_strata_bcast_algorithm": "tree",
                                   "coll_strata_bcast_level_algorithms": "numa=chain:2,cluster=linear"}),
        "auto_again": Case("strata_bcast_algorithm=auto", parameters=by_parameter,
                           absent=["engine from coll_strata"]),
        "verbose": Case(tree, there="2:" + tree + ";strata_verbose=0"),
        "contradiction": Case("strata_bcast_algorithm=tree;strata_bcast_level_algorithms=numa=sm",
                              messages=wrong, says=["strata_bcast_level_algorithms = 'numa=sm': 'numa=sm' needs"]),
        "bad_value": Case(tree + ";strata_window=wide", messages=wrong,
                          says=["strata_window = 'wide': must be a whole number from 1 to 1024"]),
        "bad_engine": Case("strata_bcast_algorithm=twig", messages=wrong,
                           says=["strata_bcast_algorithm = 'twig': unknown engine; known: auto, tree"],
                           parameters={"coll_strata_bcast_algorithm": "tree"}),
        "unknown_key": Case(tree + ";strata_foo=1", messages=wrong,
                            says=["strata_foo = '1': unknown key; known: strata_disable",
                                  "strata_OP_level_algorithms", "allgatherv"]),
        "of_the_job": Case(tree + ";strata_priority=90", messages=wrong,
                           says=["strata_priority = '90': holds for a whole job"]),
        "split_type": Case(tree, parameters=by_parameter, made_by="split_type"),
        "dup_of_dup": Case(tree, None, parameters=by_parameter, made_by="dup_of_dup"),
        "one_other": Case(tree, there="2:strata_bcast_algorithm=levels", **differ,
                          says=["rank 2 (node", "bcast_algorithm=levels", "bcast_algorithm=tree"]),
        "one_none": Case(tree, there="3:", **differ, says=["rank 3 (node", "(none)"]),
        "one_alone": Case("", there="1:" + tree, **differ, says=["rank 1 (node", "(none)"]),
        "one_wrong": Case(tree, there="1:strata_bcast_algorithm=twig", **differ,
                          says=["rank 1 (node", "bcast_algorithm=twig"]),
        "one_wrong_first": Case(tree, None, "settings", "0:strata_bcast_algorithm=twig",
                                {"info_keys": 1, "bad_info_keys": 1}, says=["(node", "bcast_algorithm=twig"]),
        "one_disabled": Case(tree, there="2:strata_disable=bcast", **differ,
                             says=["rank 2 (node", "disable=bcast"]),
        "same_rules": Case(f"strata_rules={ours}", there=f"2:strata_rules={rules('copy.json', 'tree')}"),
        "plain": Case("", "tree", says=["engine from coll_strata_bcast_algorithm"],
                      parameters={"coll_strata_bcast_algorithm": "tree"}),
        "can_fail": Case("", "tree", parameters=by_parameter),
    }


def judge(outcome, case):
    outcome.expect_success()
    outcome.expect_messages(**case.messages)
    calls = len(SIZES) * RANKS * RANKS
    found = {engine: outcome.pvar(f"bcast_{engine}") for engine in ("tree", "levels", "forward")}
    empty = RANKS * RANKS if case.engine is None and case.reason in ("settings", "chosen") else 0
    for engine, count in found.items():
        if engine == (case.engine or "forward"):
            least = calls if case.engine else 1
            outcome.expect(least <= count <= calls + 2 * empty, f"{count} calls by {engine}, expected {calls}")
        else:
            outcome.expect(count == 0, f"{count} calls by {engine}, expected none")
    if case.engine is None:
        outcome.expect(outcome.pvar("bcast_forward_" + case.reason) == found["forward"],
                       f"not all calls are forwarded for {case.reason}")
    for text in case.says:
        outcome.expect(text in outcome.output, f"the output lacks: {text}")
    for text in case.absent:
        outcome.expect(text not in outcome.output, f"the output has: {text}")


def test(paths, name):
    with tempfile.TemporaryDirectory() as scratch:
        cases = make_cases(scratch)
        if name not in cases:
            raise Failure(f"unknown case '{name}'; known: {', '.join(cases)}")
        case = cases[name]
        arguments = ["--on", "dup", "--sizes", ",".join(map(str, SIZES)), "--roots", "all", "--empty",
                     "--made-by", case.made_by, "--info", case.info, "--info-there", case.there]
        parameters = synthetic(2, 2) | {"coll_strata_verbose": "2", "coll_strata_setup_after": "0"} | case.parameters
        check(run(paths, RANKS, "probe", arguments, parameters), lambda outcome: judge(outcome, case))


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
