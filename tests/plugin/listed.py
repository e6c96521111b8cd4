#!/usr/bin/env python3
"""Tests that ompi_info lists every parameter and every performance variable, each with a help text.

The names are repeated here on purpose: a renamed parameter breaks users' files.
"""
import argparse
import os
import re
import subprocess
import sys

import collective_table
from job import Paths, environment

GENERAL = ["priority", "verbose", "window", "hierarchy", "network", "nic", "rules", "reproducible", "setup_after",
           "shared_memory", "hand_back", "check_plans", "stall_report", "topology", "placement", "disable", "dump"]
PER_COLLECTIVE = ["algorithm", "level_algorithms", "segsize"]
ENGINES = ["tree", "levels", "forward"]
SPECIAL_ENGINES = {"ring": ["allgather", "allgatherv", "allreduce"],
                   "rails": ["bcast", "allgather", "allgatherv", "allreduce"],
                   "node": ["bcast", "reduce", "allreduce", "allgather", "allgatherv", "gather", "scatter",
                            "barrier"]}
REASONS = ["missing", "version", "settings", "several_jobs", "no_hierarchy", "model", "chosen",
           "order", "failure", "plans", "early"]
PER_LEVEL = ["messages", "bytes", "delegated"]
LEVELS = ["cluster", "switch", "node", "package", "die", "group", "numa", "l3", "l2", "l1", "core", "pu",
          "custom"]


def expected(names):
    parameters = {f"coll_strata_{name}" for name in GENERAL}
    parameters |= {f"coll_strata_{op}_{name}" for op in names for name in PER_COLLECTIVE}
    variables = {"coll_strata_communicators", "coll_strata_setup_us", "coll_strata_plans_made",
                 "coll_strata_plans_shared", "coll_strata_plans_by_structure", "coll_strata_plans_searched",
                 "coll_strata_planning_us", "coll_strata_init_ns", "coll_strata_init_processor_ns",
                 "coll_strata_scratch_memory"}
    variables |= {f"coll_strata_{op}_{engine}" for op in names for engine in ENGINES}
    variables |= {f"coll_strata_{op}_{engine}" for engine, ops in SPECIAL_ENGINES.items() for op in ops}
    variables |= {f"coll_strata_{op}_forward_{reason}" for op in names for reason in REASONS}
    variables |= {f"coll_strata_{what}_{level}" for what in PER_LEVEL for level in LEVELS}
    variables |= {f"coll_strata_{op}_handed_back" for op in names}
    # Variables of one communicator.
    variables |= {f"coll_strata_comm_{what}" for what in (*ENGINES, *SPECIAL_ENGINES, "setup_us", "memory", "handed_back")}
    variables |= {f"coll_strata_comm_forward_{reason}" for reason in REASONS}
    variables |= {f"coll_strata_comm_{what}_{level}" for what in ("messages", "bytes") for level in LEVELS}
    return parameters, variables


def listed(lines, kind):
    """Returns name -> help text of every "mca:coll:strata:KIND:NAME:help:TEXT"; "" if there is none."""
    helps = {}
    for line in lines:
        fields = line.split(":", 6)
        if fields[:4] == ["mca", "coll", "strata", kind] and fields[4].startswith("coll_strata_"):
            helps.setdefault(fields[4], "")
            if fields[5] == "help":
                helps[fields[4]] = fields[6]
    return helps


# Parameters that a communicator can have as info keys.
OF_COMMUNICATORS = ["window", "verbose", "hierarchy", "reproducible", "disable", "rules"]


def when_read(name, names):
    """Returns the end of a parameter's help text."""
    short = name.removeprefix("coll_strata_")
    own = short in OF_COMMUNICATORS or any(short == f"{op}_{which}" for op in names for which in PER_COLLECTIVE)
    of_communicator = f"; for one communicator by its info key strata_{short}, when that is made" if own else ""
    return ". Read once, while MPI_Init opens the component" + of_communicator


def complaints(found, wanted, what):
    for name in sorted(wanted - found.keys()):
        yield f"{what} {name} is not listed"
    for name in sorted(found.keys() - wanted):
        yield f"{what} {name} is listed but unknown to this test"
    for name, text in sorted(found.items()):
        if len(text) < 10:
            yield f"{what} {name} has no help text: '{text}'"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("--also", action="append", default=[], help="expect this parameter too")
    parser.add_argument("--unread", help="do not expect when this parameter is read")
    options = parser.parse_args()
    paths = Paths(options.paths)
    command = [paths["ompi_info"], "--param", "coll", "strata", "--level", "9", "--parsable"]
    output = subprocess.run(command, check=True, capture_output=True, text=True,
                            env=environment(paths, {})).stdout
    parameters, variables = expected(collective_table.names())
    lines = output.splitlines()
    found, counters = listed(lines, "param"), listed(lines, "pvar")
    wrong = list(complaints(found, parameters | set(options.also), "parameter"))
    wrong += complaints(counters, variables, "performance variable")
    for name, text in sorted(found.items()):
        ending = "" if name == options.unread else when_read(name, collective_table.names())
        if ending != (text[text.index(". Read "):] if ". Read " in text else ""):
            wrong.append(f"parameter {name}: its help text does not end in '{ending}': '{text}'")
    presets = [file.removesuffix(".json") for file in os.listdir(os.path.join(paths.folder(), "strata-presets"))
               if file.endswith(".json")]
    for word in ("A word of a-z, 0-9 and '-' names a preset", *presets):  # names_preset()
        if word not in found["coll_strata_rules"]:
            wrong.append(f"parameter coll_strata_rules: its help text lacks '{word}'")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(found)} parameters and {len(counters)} performance variables are listed, with help texts")


if __name__ == "__main__":
    main()
