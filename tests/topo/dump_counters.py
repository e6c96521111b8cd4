#!/usr/bin/env python3
"""Tests that a job's dump reports the same about every communicator as MPI_T did right before: calls by engine,
messages and bytes per level, set-up time, memory; in JSON, and as text. With more communicators than the dump
reports, it gives the number of the others."""
import json
import os
import re
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "plugin"))
from job import Failure, Paths, check, conclude, synthetic, run  # noqa: E402

RANKS = 4
MOST = 64  # communicators that a dump reports
ENGINES = ("tree", "levels", "ring", "rails", "forward")
VARIABLE = re.compile(r"counter ([^:\n]+): coll_strata_comm_(\w+) (\d+)")
TITLE = re.compile(r"^(.+), (\d+) ranks, set up in (\d+) us, (\d+) B of memory\n(?:  sent by this rank: (.*)\n)?"
                   r"  calls .*\n((?:  .*\n)+)", re.MULTILINE)


class Counters:
    """Those of one communicator."""

    def __init__(self, setup_us, memory, levels, calls):
        self.setup_us, self.memory = setup_us, memory
        self.levels = {level: sent for level, sent in levels.items() if sent != (0, 0)}
        self.calls = {engine: count for engine, count in calls.items() if count}

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __str__(self):
        return str(vars(self))


def by_variables(output):
    values = {}
    for name, variable, value in VARIABLE.findall(output):
        values.setdefault(name, {})[variable] = int(value)
    return {name: Counters(own["setup_us"], own["memory"],
                           {level.removeprefix("bytes_"): (own[f"messages_{level.removeprefix('bytes_')}"], count)
                            for level, count in own.items() if level.startswith("bytes_")},
                           {engine: own[engine] for engine in ENGINES}) for name, own in values.items()}


def by_json(path):
    with open(path, encoding="utf-8") as file:
        dump = json.load(file)
    found = {}
    for use in dump["communicators"]:
        calls = {engine: sum(call["calls"] for call in use["calls"] if call["path"] == engine) for engine in ENGINES}
        levels = {level["level"]: (level["messages"], level["bytes"]) for level in use["levels"]}
        found[use["name"]] = Counters(use["setup_us"], use["memory"], levels, calls)
    return found, dump["other_communicators"]


def by_text(path):
    with open(path, encoding="utf-8") as file:
        text = file.read().partition("calls of the job, as process 0 recorded them\n\n")[2]
    found = {}
    for name, _, setup_us, memory, sent, table in TITLE.findall(text):
        levels = {level: (int(messages), int(count))
                  for level, messages, count in re.findall(r"(\w+) (\d+) messages, (\d+) B", sent)}
        calls = dict.fromkeys(ENGINES, 0)
        for count, engine in re.findall(r"^  (\d+) +(\w+) ", table, re.MULTILINE):
            calls[engine] += int(count)
        found[name] = Counters(int(setup_us), int(memory), levels, calls)
    more = re.search(r"^(\d+) more communicators$", text, re.MULTILINE)
    return found, int(more.group(1)) if more else 0


def test(paths, case, communicators):
    with tempfile.TemporaryDirectory() as scratch:
        for form, reader in (("json", by_json), ("txt", by_text)):
            dump = os.path.join(scratch, f"job.{form}")
            settings = synthetic(2, 2) | {"coll_strata_dump": dump} | {
                f"coll_strata_{op}_algorithm": "tree" for op in ("bcast", "allreduce")}
            outcome = run(paths, RANKS, "reported_counters", ["--communicators", str(communicators)], settings)
            check(outcome, lambda job: (job.expect_success(), job.expect_messages()))
            wanted = by_variables(outcome.output)
            if len(wanted) != communicators + 1:
                raise Failure(f"{len(wanted)} communicators in MPI_T:\n{outcome.output}")
            if case == "can_fail":
                wanted["number 1"].levels["cluster"] = (1, 1)
            found, others = reader(dump)
            listed = min(len(wanted), MOST + (1 if case == "can_fail_others" else 0))
            if (len(found), others) != (listed, len(wanted) - listed):
                raise Failure(f"{form}: {len(found)} communicators and {others} more, expected {listed} and "
                              f"{len(wanted) - listed}")
            for name, one in found.items():
                if one != wanted[name]:
                    raise Failure(f"{form}: the dump of {name} has {one}, MPI_T has {wanted[name]}")
            if not any("forward" in one.calls and "tree" in one.calls and one.levels for one in found.values()):
                raise Failure(f"{form}: no communicator with calls of both kinds")
            print(f"{form}: {len(found)} communicators as MPI_T has them, {others} more")


def main():
    counts = {"few": 5, "many": MOST + 6, "can_fail": 5, "can_fail_others": MOST + 6}
    if sys.argv[2] not in counts:
        raise Failure(f"unknown case; known: {' '.join(counts)}")
    test(Paths(sys.argv[1]), sys.argv[2], counts[sys.argv[2]])


conclude(main)
