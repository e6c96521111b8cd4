#!/usr/bin/env python3
"""Tests an Open MPI with support for GPU buffers: the plugin would copy blocks with the processor, so it passes
their collectives through and serves the rest. When only some processes have this support, it passes all calls
through, with one message. A preloaded library emulates such an Open MPI."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
from strata_bench.cluster.support import release_of  # noqa: E402
from job import SKIPPED, Failure, Paths, check, conclude, synthetic, run  # noqa: E402

RANKS = 4
SERVED = ("bcast", "reduce", "allreduce", "barrier")
LEFT = ("allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv")


def job(paths, collectives, ranks):
    parameters = synthetic(2, 2) | {f"coll_strata_{op}_algorithm": "tree" for op in (*SERVED, *LEFT)}
    some = [f"rank={ranks}", f"LD_PRELOAD={paths['accelerator']}"] if ranks else None
    return run(paths, RANKS, "selected", ["--op", ",".join(collectives), "--expect", "tree", "--bytes", "20000"], parameters,
               some)


def on_all(paths, ranks):
    check(job(paths, SERVED, ranks), lambda outcome: (outcome.expect_success(), outcome.expect_messages()))
    for collective in LEFT:
        outcome = job(paths, [collective], ranks)
        if f"coll_strata_{collective}_tree grew by 0 instead of" not in outcome.output:
            raise Failure(f"the plugin serves {collective}:\n{outcome.output}")


def on_one(paths):
    def judge(outcome):
        outcome.expect_messages(settings=1)
        outcome.expect("coll_strata_bcast_tree grew by 0 instead of" in outcome.output, "the plugin serves some")

    check(job(paths, SERVED, "2"), judge)


CASES = {"all": lambda paths: on_all(paths, "0,1,2,3"), "one": on_one, "can_fail": lambda paths: on_all(paths, None)}


def test(paths, case):
    if case not in CASES:
        raise Failure(f"unknown case; known: {' '.join(CASES)}")
    if release_of(paths["mpirun"]) < 5 and case != "can_fail":
        print("skipped: a 4.1 without GPU support crashes when the library emulates it")
        sys.exit(SKIPPED)
    CASES[case](paths)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
