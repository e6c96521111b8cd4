#!/usr/bin/env python3
"""Tests the log (coll_strata_verbose): with 1 rank 0 writes one line per choice and one per value without effect; 2
adds reasons, the engines' predicted times, the agreement and the sources of link costs."""
import re
import sys

from job import Failure, Paths, check, conclude, run, synthetic

RANKS = 4
LONGEST = 120  # characters of a choice's line for MPI_COMM_WORLD, without Open MPI's prefix
TIMES = r"predicted [\d.]+, fallback [\d.]+ us"
BCAST = rf"bcast 64-80 KiB, MPI_COMM_WORLD, 4 ranks: tree \(linear on all levels\), {TIMES}"
UNSIZED = "gatherv, scatterv, MPI_COMM_WORLD, 4 ranks: passed through: not every rank knows the sizes"
WORDS = "coll_strata_bcast_level_algorithms"


class Case:
    """A job, and patterns: each matches one whole line of the log, and with `only` no other line occurs."""

    def __init__(self, patterns, parameters=None, op="bcast", nodes=2, only=True, verbose="1", sizes="65536"):
        self.patterns = patterns
        self.parameters = (parameters or {}) | {"coll_strata_verbose": verbose}
        self.arguments = ["--sizes", sizes, "--op", op]
        self.machine = synthetic(nodes, RANKS // nodes)
        self.only = only


CASES = {
    "choices": Case([BCAST, UNSIZED]),
    "without_root": Case([rf"allreduce 64-80 KiB, MPI_COMM_WORLD, 4 ranks: tree \(.*\), {TIMES}"],
                         {"coll_strata_allreduce_algorithm": "tree"}, op="allreduce", only=False),
    "reasons": Case([BCAST, UNSIZED,
                     r"why: MPI_COMM_WORLD bcast of 65536 bytes from rank 0: tree \(cluster linear/\d+, numa "
                     r"linear/\d+, core linear/\d+\), predicted [\d.]+ us, fallback [\d.]+ us: predicted faster .*",
                     r"candidates for bcast 64-80 KiB, MPI_COMM_WORLD, 4 ranks: tree [\d.]+ us, .*fallback [\d.]+ us",
                     r"agreement, MPI_COMM_WORLD, 4 ranks: plugin, .*; "
                     r"levels: cluster \(1 group\), numa \(2 groups\).*"],
                    verbose="2"),
    "links": Case([r"links of MPI_COMM_WORLD: cluster from .*/ethernet-cluster.json:\d+"],
                  {"coll_strata_rules": "ethernet-cluster"}, only=False, verbose="2"),
    "passed": Case(["bcast, MPI_COMM_WORLD, 4 ranks: passed through: a parameter, a rule or an info key requests it"],
                   {"coll_strata_bcast_algorithm": "forward"}, only=False),
    "absent_level": Case([rf"no effect, MPI_COMM_WORLD, 4 ranks: {WORDS} for node, switch0: the levels here are "
                          "cluster, numa, core"], {WORDS: "node=binomial,switch=chain"}, only=False),
    "disabled": Case(["no effect: coll_strata_bcast_algorithm, because coll_strata_disable names the collective"],
                     {"coll_strata_bcast_algorithm": "tree", "coll_strata_disable": "bcast"}, only=False),
    # Two sizes: the line of the value without effect occurs once.
    "no_gain": Case([*(rf"reduce {size} KiB, MPI_COMM_WORLD, 4 ranks: passed through to \w+, predicted [\d.]+ us"
                       for size in ("64-80", "128-160")),
                     "no effect, MPI_COMM_WORLD, 4 ranks: coll_strata_reduce_level_algorithms: no gain known inside a "
                     "node without link parameters; reduce_algorithm tree or levels enforces it"],
                    {"coll_strata_reduce_level_algorithms": "numa=binomial"}, op="reduce", nodes=1, only=False,
                    sizes="65536,131072"),
    "no_boards": Case(["no effect, MPI_COMM_WORLD, 4 ranks: coll_strata_bcast_algorithm node: the ranks are on several "
                       "nodes"],
                      {"coll_strata_bcast_algorithm": "node"}, only=False),
    "no_levels": Case(["no effect, MPI_COMM_WORLD, 4 ranks: coll_strata_bcast_level_algorithms: the node engine has no "
                       "levels",
                       "no effect, MPI_COMM_WORLD, 4 ranks: coll_strata_bcast_segsize: the node engine has no segments"],
                      {"coll_strata_bcast_algorithm": "node", WORDS: "numa=binomial",
                       "coll_strata_bcast_segsize": "8192"}, nodes=1, only=False),
    "can_fail": Case([BCAST], {"coll_strata_bcast_algorithm": "tree"}, only=True),
}


def test(paths, name):
    if name not in CASES:
        raise Failure(f"unknown case '{name}'; known: {', '.join(CASES)}")
    case = CASES[name]

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        lines = re.findall(r"^.*?coll:strata: (.*)$", outcome.output, re.MULTILINE)
        for pattern in case.patterns:
            found = [line for line in lines if re.fullmatch(pattern, line)]
            outcome.expect(len(found) == 1, f"{len(found)} lines match '{pattern}':\n" + "\n".join(lines))
        outcome.expect(not case.only or len(lines) == len(case.patterns), "more lines:\n" + "\n".join(lines))
        for line in lines:
            is_choice = case.parameters["coll_strata_verbose"] == "1" and "predicted" in line
            outcome.expect(not is_choice or len(line) <= LONGEST, f"more than {LONGEST} characters: {line}")

    check(run(paths, RANKS, "probe", case.arguments, case.machine | case.parameters), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
