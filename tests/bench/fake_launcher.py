#!/usr/bin/env python3
"""Stands in for mpirun and collective_latency: makes times up, as STRATA_FAKE says. All take 250 us, strata 100,
but for `size` bytes more with more data. STRATA_FAKE is one of
  good       nothing else
  slow       strata takes 300
  once       the same, in its first STRATA_FAKE_RUNS runs (counted in the file STRATA_FAKE_COUNT)
  noisy      the same, but now and then only: the intervals overlap
  guideline  composed takes 50
  monotony   strata takes 1000 below 1 KiB
  broken     strata delivers wrong data
"""

import json
import os
import sys

ARGUMENTS, MODE = sys.argv[1:], os.environ["STRATA_FAKE"]


def option(name, default=None):
    return ARGUMENTS[ARGUMENTS.index(name) + 1] if name in ARGUMENTS else default


def contender():
    if option("--with"):
        return option("--with")
    return "strata" if "OMPI_MCA_coll" not in os.environ else "other"


def first_runs():
    with open(os.environ["STRATA_FAKE_COUNT"], "a+", encoding="utf-8") as file:
        file.write(".")
        return file.tell() <= int(os.environ["STRATA_FAKE_RUNS"])


def middle(name, size, early):
    if name == "composed" and MODE == "guideline":
        return 50
    if name != "strata":
        return 250
    if MODE == "slow" or early:
        return 300
    if MODE == "monotony" and size < 1024:
        return 1000
    return 100


NAME = contender()
EARLY = NAME == "strata" and MODE == "once" and first_runs()
SIZES = [0] if option("--op") == "barrier" else [int(size) for size in option("--sizes").split(",")]
with open(option("--json"), "w", encoding="utf-8") as out:
    for one in SIZES:
        base = middle(NAME, one, EARLY) + one / 1024
        times = [base * (1 + place / 1000) for place in range(int(option("--reps")))]
        if MODE == "noisy" and NAME == "strata":
            times = [time * (3 if place % 3 else 1) for place, time in enumerate(times)]
        json.dump({"size": one, "bytes": one, "left_early": 0, "times": times,
                   "wrong_bytes": 3 if MODE == "broken" and NAME == "strata" else 0}, out)
        out.write("\n")
        if NAME == "strata":
            print(f"[n0:1] coll:strata: ordered {option('--op')} of {one} bytes from rank 0: tree (node "
                  "binary/3840), predicted 1 us", file=sys.stderr)
