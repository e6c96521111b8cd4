#!/usr/bin/env python3
"""Replaces strata-topo --plans on the artificial cluster of fake_model. With STRATA_FAKE=unruly, new rules
have no effect in their check; with order, forward is slow with ranks in cyclic order."""

import json
import os
import sys

import fake_model

ARGUMENTS = sys.argv[1:]


def option(name):
    return ARGUMENTS[ARGUMENTS.index(name) + 1] if name in ARGUMENTS else None


def forward_us(size):
    return fake_model.predicted_us("forward", size) * (6 if IS_OTHER_ORDER and MODE == "order" else 1)


def plan(name, operation, size):
    if name == "forward":
        return {"engine": "forward", "levels": [], "predicted_us": 0, "forward_us": forward_us(size)}
    way = fake_model.WAYS[name]
    parameters = {f"{operation}_algorithm": way["engine"],
                  f"{operation}_level_algorithms": ",".join(
                      [f"{one['level']}={one['algorithm']}" for one in way["levels"]]
                      + [f"{one['level']}=skip" for one in way.get("skipped", ())]),
                  f"{operation}_segsize": ",".join(f"{one['level']}={one['segment']}" for one in way["levels"])}
    return {**way, "predicted_us": fake_model.predicted_us(name, size),
            "forward_us": forward_us(size), "parameters": parameters, "reason": "made up"}


MODE = os.environ.get("STRATA_FAKE")
UNRULY = MODE == "unruly" and (option("--rules") or "").endswith(".checked")
RULES = None if UNRULY else fake_model.load(option("--rules"))
CLOSE = 1 + float(option("--candidates").rstrip("%")) / 100
IS_OTHER_ORDER = fake_model.load(option("--from-dump")) != fake_model.PICTURE
assert not IS_OTHER_ORDER or option("--from-dump").endswith("cyclic.json")
found = []
for op in option("--op").split(","):
    for size in [0] if op == "barrier" else map(int, option("--sizes").split(",")):
        least = min(fake_model.predicted_us(name, size) for name in fake_model.WAYS)
        found.append({"collective": op, "bytes": size, "ranks": fake_model.RANKS, "root": 0,
                      "chosen": plan(fake_model.chosen(RULES, op, size), op, size),
                      "candidates": [plan(name, op, size) for name in fake_model.WAYS
                                     if fake_model.predicted_us(name, size) <= CLOSE * least]})
json.dump(found, sys.stdout)
