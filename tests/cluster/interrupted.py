#!/usr/bin/env python3
"""Faults in the middle of collectives: with the plugin a job ends where it ends without (coll/tuned), in about the
time; where it goes on its data are right.

    interrupted.py PATHS CASE                                       a selection (CASES)
    interrupted.py PATHS matrix [--file TABLE] [--faults A,B ...]   all of it: hours
"""
import argparse
import contextlib
import dataclasses
import signal
import sys

from faults import (ENGINES, FAULTS, REFERENCE, SLOTS, deviations, impatient, operations_of, provoke)
from nodes import Failure, Nodes

from job import Paths, conclude
from table import Table, collectives_of

RANKS = sum(SLOTS)
LAYOUTS = {"cluster": (SLOTS, 2), "node": ((RANKS,), 1)}

# Name: fault, engine, operations.
CASES = {
    "killed": [("kill inside, returned", "tree", "bcast"), ("kill inside the first", "levels", "allreduce")],
    "left": [("exit before", "ring", "allgather"), ("abort after", "auto", "reduce")],
    "stopped": [("stop", "tree", "reduce,allgather"), ("stop the first", "lanes", "allreduce")],
    "links": [("cut", "auto", "bcast,allreduce"), ("lossy", "tree", "bcast")],
}
ROLES = (0, 3, 7, 2)  # victims: a root, a node's leader, one who leads nothing, one alone on its node


def reference_of(nodes, fault, operations, victim):
    """As it ends without the plugin. Nothing can be learnt where that is wrong already."""
    seen = provoke(nodes, REFERENCE, operations, fault, victim)
    found = deviations(fault, operations, seen, None)
    if found:
        print(seen.output)
        raise Failure(f"without the plugin: {'; '.join(found)}")
    return seen


def selection(paths, case):
    victim = 3
    with Nodes(paths, SLOTS) as nodes:
        for name, engine, text in CASES[case]:
            operations, fault = text.split(","), FAULTS[name]
            # What survives must do so anyway; without the plugin it would only take time.
            reference = None if fault.survivable else reference_of(nodes, fault, operations, victim)
            seen = provoke(nodes, engine, operations, fault, victim)
            found = deviations(fault, operations, seen, reference)
            print(f"{name}, {engine}, {text}: {seen.end} {seen.seconds:.1f} s after the fault")
            if found:
                print(seen.output)
                raise Failure(f"{name}, {engine}, {text}: {'; '.join(found)}")


def can_fail(paths, sabotage):
    """A job whose data are spoilt after a stop, or that hangs, has to be found."""
    fault = dataclasses.replace(FAULTS["stop"], limit=8, each=0, seconds=1)
    with Nodes(paths, SLOTS) as nodes:
        seen = provoke(nodes, "tree", ["bcast"], fault, 3, 0, ["--sabotage", sabotage])
        found = deviations(fault, ["bcast"], seen, None)
        if found:
            raise Failure("; ".join(found))


def matrix(paths, options):
    operations = [name for name in collectives_of(paths) if name in (options.collectives or collectives_of(paths))]
    with Table(options.file) as table:
        for layout in options.layouts:
            slots, sites = LAYOUTS[layout]
            with Nodes(paths, slots, sites) as nodes:
                for number, name in enumerate(options.faults):
                    fault = FAULTS[name]
                    if fault.link and layout == "node":
                        continue  # no messages over its card
                    groups = [operations] if fault.survivable else [[operation] for operation in operations]
                    for turn, group in enumerate(groups):
                        rows(nodes, table, (layout, name), group, options, number + turn)
    table.conclude()


def rows(nodes, table, row, group, options, turn):
    """Of one fault: without the plugin, then with each engine."""
    layout, name = row
    fault = FAULTS[name]
    victim, root = ROLES[turn % len(ROLES)], (turn // len(ROLES)) % 2 * (RANKS - 1)

    def run(engine, operations):
        with impatient(nodes) if fault.link and fault.seconds is None else contextlib.nullcontext():
            seen = provoke(nodes, engine, operations, fault, victim, root)
            if seen.end == "no end" and (fault.survivable or not seen.struck):  # where others keep the machine busy
                longer = dataclasses.replace(fault, limit=3 * fault.limit, each=3 * fault.each)
                seen = provoke(nodes, engine, operations, longer, victim, root)
        return seen

    reference = run(REFERENCE, group)
    table.add(layout, name, group, victim, root, REFERENCE, None, reference,
              deviations(fault, group, reference, None))
    for engine in options.engines:
        operations = operations_of(engine, group)
        if operations:
            seen = run(engine, operations)
            table.add(layout, name, operations, victim, root, engine, reference, seen,
                      deviations(fault, operations, seen, reference))


def words(known):
    def parse(text):
        given = [word.strip() for word in text.split(";" if ";" in text else ",")]
        for word in given:
            if known and word not in known:
                raise argparse.ArgumentTypeError(f"unknown '{word}'; known: {', '.join(known)}")
        return given
    return parse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", type=Paths)
    parser.add_argument("case", choices=[*CASES, "can_fail_data", "can_fail_end", "matrix"])
    parser.add_argument("--file", help="where the table of the matrix goes, too")
    parser.add_argument("--faults", type=words(FAULTS), default=list(FAULTS),
                        help="separated by commas, or by semicolons where a name has a comma")
    parser.add_argument("--engines", type=words(ENGINES), default=list(ENGINES))
    parser.add_argument("--collectives", type=words(()))
    parser.add_argument("--layouts", type=words(LAYOUTS), default=list(LAYOUTS))
    options = parser.parse_args()
    if options.case == "matrix":
        matrix(options.paths, options)
    elif options.case.startswith("can_fail"):
        can_fail(options.paths, "late" if options.case == "can_fail_data" else "hang")
    else:
        selection(options.paths, options.case)


signal.signal(signal.SIGTERM, signal.default_int_handler)  # the cluster goes, whoever ends this
sys.stdout.reconfigure(line_buffering=True)
conclude(main)
