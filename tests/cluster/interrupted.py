#!/usr/bin/env python3
"""Tests faults in the middle of collectives: with the plugin a job ends where it ends without (coll/tuned), in about
the same time; where it goes on its data are right. The engine in question served the calls before the fault, and the
fault took effect.

    interrupted.py PATHS CASE                                       a selection (CASES)
    interrupted.py PATHS matrix [--file TABLE] [--faults A,B ...]   all of it: hours
"""
import argparse
import dataclasses
import signal
import sys

from endings import REFERENCE, cannot_be_done, deviations, remarks
from faults import ENGINES, FAULTS, SLOTS, Job, operations_of, parameters_of, provoke
from links import Claimer
from nodes import SKIPPED, Failure, Nodes

import collective_table
from job import Paths, conclude
from table import Table

RANKS = sum(SLOTS)
LAYOUTS = {"cluster": (SLOTS, 2), "node": ((RANKS,), 1)}

# Name: fault, engine, operations.
CASES = {
    "killed": [("kill inside, returned", "tree", "bcast"), ("kill in the agreement", "levels", "allreduce")],
    "cut_for_good": [("cut for good", "tree", "allreduce")],
    "others_stay": [("kill inside, others stay", "tree", "allreduce")],
    "left": [("exit before", "ring", "allgather"), ("abort after", "auto", "reduce")],
    "stopped": [("stop", "tree", "reduce,allgather"), ("stop in the agreement", "rails", "allreduce")],
    "links": [("cut", "auto", "bcast,allreduce"), ("lossy", "tree", "bcast")],
}
VICTIM = 3  # a node's leader
ROLES = (0, 3, 7, 2)  # victims: a root, a node's leader, a rank that leads nothing, a rank alone on its node

# Faults that the test must detect in jobs of the tree engine: the fault, and its difference from a correct job.
SHORT = dataclasses.replace(FAULTS["stop"], limit=8, each=0, seconds=1)
WRONGS = {
    "data": (SHORT, {"arguments": ("--sabotage", "late")}),
    "end": (SHORT, {"arguments": ("--sabotage", "hang")}),
    "stop": (SHORT, {"arguments": ("--sabotage", "claims")}),
    "kill": (FAULTS["kill inside"], {"arguments": ("--sabotage", "claims")}),
    "cut": (FAULTS["cut"], {"changer": Claimer}),
    "lossy": (FAULTS["lossy"], {"changer": Claimer}),
    "plugin": (SHORT, {"parameters": parameters_of(REFERENCE, ())}),
    "engine": (SHORT, {"parameters": parameters_of("levels", ("bcast",))}),
    # A collective's messages, not those of the agreement.
    "agreement": (dataclasses.replace(FAULTS["kill in the agreement"], at=1), {}),
    # mpirun ends the others.
    "outlived": (dataclasses.replace(FAULTS["kill inside"], outlived=True), {"recovery": False}),
}


def reference_of(nodes, job):
    """Checks that a job ends as without the plugin. If that job is already wrong, or hangs unexpectedly, there is
    nothing to compare."""
    job = dataclasses.replace(job, engine=REFERENCE)
    seen = provoke(nodes, job)
    if why := cannot_be_done(nodes.release, seen):
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    found = deviations(job.fault, job.operations, seen, None)
    if seen.end == "no end" and not job.fault.patience:
        found.append("no end within the limit")
    if found:
        print(seen.output)
        raise Failure(f"without the plugin: {'; '.join(found)}")
    return seen


def selection(paths, case):
    with Nodes(paths, SLOTS) as nodes:
        for name, engine, text in CASES[case]:
            fault = FAULTS[name]
            job = Job(fault, tuple(text.split(",")), engine, VICTIM)
            # Jobs that survive must do so anyway; the comparison without the plugin would only take time.
            reference = None if fault.survivable else reference_of(nodes, job)
            seen = provoke(nodes, job)
            found = deviations(fault, job.operations, seen, reference)
            found += [f"auto leaves {operation} to tuned: choose another" for operation in seen.left]
            noted = "".join(f"; {remark}" for remark in remarks(fault, seen, reference))
            print(f"{name}, {engine}, {text}: {seen.end} {seen.seconds:.1f} s after the fault{noted}")
            if found:
                print(seen.output)
                raise Failure(f"{name}, {engine}, {text}: {'; '.join(found)}")


def can_fail(paths, names):
    """Faults without effect or with another target, wrong data and hangs: the test must detect each."""
    told = []
    with Nodes(paths, SLOTS) as nodes:
        for name in names:
            fault, differs = WRONGS[name]
            job = Job(fault, ("bcast",), "tree", VICTIM, **differs)
            found = deviations(fault, job.operations, provoke(nodes, job), None)
            print(f"{name}: {'; '.join(found) or 'nothing found'}")
            told += [f"{name}: {text}" for text in found]
    if told:
        raise Failure("; ".join(told))


def matrix(paths, options):
    known = collective_table.names()
    operations = tuple(name for name in known if name in (options.collectives or known))
    with Table(options.file) as table:
        for layout in options.layouts:
            slots, sites = LAYOUTS[layout]
            with Nodes(paths, slots, sites) as nodes:
                for number, name in enumerate(options.faults):
                    fault = FAULTS[name]
                    if fault.link and layout == "node":
                        continue  # no messages over its NIC
                    groups = [operations] if fault.survivable else [(operation,) for operation in operations]
                    for turn, group in enumerate(groups):
                        rows(nodes, table, (layout, name), group, options, number + turn)
    table.conclude()


def rows(nodes, table, row, group, options, turn):
    """Runs one fault: without the plugin, then with each engine."""
    fault = FAULTS[row[1]]
    victim, root = ROLES[turn % len(ROLES)], (turn // len(ROLES)) % 2 * (RANKS - 1)
    job = Job(fault, group, REFERENCE, victim, root)
    reference = provoke(nodes, job)
    if why := cannot_be_done(nodes.release, reference):
        table.add(*row, job, None, reference, [], [why])
        return
    hangs = ["hangs without the plugin"] if reference.end == "no end" else []
    table.add(*row, job, None, reference, deviations(fault, group, reference, None), hangs)
    for engine in options.engines:
        job = Job(fault, operations_of(engine, group), engine, victim, root)
        if job.operations:
            seen = provoke(nodes, job)
            table.add(*row, job, reference, seen, deviations(fault, job.operations, seen, reference),
                      remarks(fault, seen, reference))


def words(known):
    def parse(text):
        given = [word.strip() for word in text.split(";" if ";" in text else ",") if word.strip()]
        for word in given:
            if known and word not in known:
                raise argparse.ArgumentTypeError(f"unknown '{word}'; known: {', '.join(known)}")
        return given
    return parse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", type=Paths)
    parser.add_argument("case", choices=[*CASES, "can_fail", "matrix"])
    parser.add_argument("--file", help="file for a copy of the matrix's table")
    parser.add_argument("--wrong", type=words(WRONGS), default=list(WRONGS), help="the fault that can_fail must detect")
    parser.add_argument("--faults", type=words(FAULTS), default=list(FAULTS),
                        help="separated by commas, or by semicolons where a name has a comma")
    parser.add_argument("--engines", type=words(ENGINES), default=list(ENGINES))
    parser.add_argument("--collectives", type=words(()))
    parser.add_argument("--layouts", type=words(LAYOUTS), default=list(LAYOUTS))
    options = parser.parse_args()
    if options.case == "matrix":
        matrix(options.paths, options)
    elif options.case == "can_fail":
        can_fail(options.paths, options.wrong)
    else:
        selection(options.paths, options.case)


signal.signal(signal.SIGTERM, signal.default_int_handler)  # removes the cluster on any end of this script
sys.stdout.reconfigure(line_buffering=True)
conclude(main)
