#!/usr/bin/env python3
"""Replaces mpirun and collective_latency with artificial times, by STRATA_FAKE. Every contender takes 250 us,
strata 100; `size` bytes add to it with more data. STRATA_FAKE is one of
  good        nothing else
  slow        strata takes 300
  once        the same, in the first STRATA_FAKE_RUNS runs (counted in the file STRATA_FAKE_COUNT)
  one-launch  the same, but in every second run only
  noisy       the same, but only now and then: the intervals overlap
  guideline   composed takes 50
  monotony    strata takes 1000 below 1 KiB
  broken      strata delivers wrong data
  crash       tuned brings down every run in which it takes part
  hang        runs with several contenders fail, whichever they are
  deaf        no key of an info object is received
  stray       the plugin serves a communicator of no contender"""

import json
import os
import sys

ARGUMENTS, MODE = sys.argv[1:], os.environ["STRATA_FAKE"]


def option(name):
    return ARGUMENTS[ARGUMENTS.index(name) + 1]


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def runs():
    """Returns this run's number, from 1."""
    with open(os.environ["STRATA_FAKE_COUNT"], "a+", encoding="utf-8") as file:
        file.write(".")
        return file.tell()


def middle(name, size):
    if name == "composed" and MODE == "guideline":
        return 50
    if name != "strata":
        return 250
    if MODE == "slow" or (MODE == "once" and RUN <= int(os.environ["STRATA_FAKE_RUNS"])):
        return 300
    if MODE == "one-launch" and RUN % 2 == 0:
        return 300
    if MODE == "monotony" and size < 1024:
        return 1000
    return 100


def times(name, size):
    base = middle(name, size) + size / 1024
    found = [base * (1 + place / 1000) for place in range(int(option("--reps")))]
    if MODE == "noisy" and name == "strata":
        found = [time * (3 if place % 3 else 1) for place, time in enumerate(found)]
    return found


def report_selection(communicator, components):
    print(f"[n0:1] coll:base:comm_select: new communicator: X (cid {communicator})", file=sys.stderr)
    for component in ("libnbc", *components):
        print(f"[n0:1] coll:base:comm_select: selecting {component:>10}, priority  10, Enabled", file=sys.stderr)


def component_of(contender):
    wanted = contender["info"].get("ompi_comm_coll_preference", "")
    return "basic" if wanted.startswith("^") else wanted if wanted and MODE != "deaf" else "tuned"


def report_plan(contender, cell, size):
    info = contender["info"] if MODE != "deaf" else {}
    engine = info.get(f"strata_{cell['op']}_algorithm", "tree")
    levels = {"none": "cluster chain/0", "node": "cluster chain/0, node flat/0"}.get(
        info.get("strata_hierarchy"), "cluster chain/0, switch chain/0, node flat/0")
    key = f"strata_{cell['op']}_algorithm"
    source = f"engine from info key {key}" if key in info else "predicted faster"
    print(f"[n0:1] coll:strata: why: {contender['name']} {cell['op']} of {size} bytes from rank 0: {engine} "
          f"({levels}), predicted 1 us: {source}", file=sys.stderr)


RUN = runs()
CONTENDERS, CELLS = read(option("--contenders")), read(option("--cells"))
NAMES = [one["name"] for one in CONTENDERS]
with open(option("--json"), "w", encoding="utf-8") as out:
    def write(**line):
        json.dump(line, out)
        out.write("\n")

    for number, one in enumerate(CONTENDERS):
        report_selection(number + 5, ["basic", component_of(one)])
        write(contender=one["name"], communicator=number + 5)
    report_selection(99, ["basic", "strata" if MODE == "stray" else "tuned"])
    if (MODE == "crash" and "tuned" in NAMES) or (MODE == "hang" and len(NAMES) > 1):
        out.write('{"cell": 0, "oper')  # half a line
        sys.exit(139)
    for place, cell in enumerate(CELLS):
        for size in [0] if cell["op"] == "barrier" else cell["sizes"]:
            for one in CONTENDERS:
                name = one["name"]
                if size in cell["except"].get(name, ()):
                    continue
                write(cell=place, operation=cell["op"], contender=name, size=size, bytes=size, left_early=0,
                      times=times(name, size), wrong_bytes=3 if MODE == "broken" and name == "strata" else 0)
                if component_of(one) == "strata":
                    report_plan(one, cell, size)
sys.exit(1 if MODE == "broken" else 0)
