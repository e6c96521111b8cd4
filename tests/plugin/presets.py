#!/usr/bin/env python3
"""Tests jobs with the plugin's presets, by name and as parameter files: rank 0 logs the preset lines of its values.
Wrong names, broken presets and differing presets are reported.

--as NAME: expects the lines of another preset; must fail.
"""
import argparse
import os
import shutil
import tempfile

from job import Failure, Paths, check, component_path, conclude, synthetic, run

FOLDER = "strata-presets"
# Three sites of one node: the only links between nodes are wide-area links.
SITES = synthetic(3, 2) | {"coll_strata_network": "hosts:p0=all.a;p1=all.b;p2=all.c"}
# Two leaf switches of two nodes.
LEAVES = synthetic(4, 2) | {"coll_strata_network": "hosts:p[0-1]=top.a;p[2-3]=top.b"}
# Two packages of two NUMA domains, one rank per core.
FAT = {"coll_strata_topology": "synthetic:package:2 numa:2 core:12",
       "coll_strata_placement": ";".join(map(str, range(48)))}


def line_of(preset, part):
    """Returns the first line of the first entry of the preset's text with `part`."""
    lines = preset.splitlines()
    number = next(i for i, line in enumerate(lines) if part in line)
    while lines[number].strip() != "{":
        number -= 1
    return number + 1


class Case:
    """A job with a preset, the levels whose links it sets, and other expected output."""

    def __init__(self, ranks, parameters, levels, arguments=("--sizes", "8"), judge=None):
        self.ranks = ranks
        self.parameters = parameters
        self.levels = levels
        self.arguments = arguments
        self.judge = judge or (lambda outcome, text, path: None)


def between_sites(outcome, _text, _path):
    crossed = outcome.pvar("messages_switch")
    outcome.expect(crossed == 2, f"not one message to each of the other two sites, but {crossed} in all")
    outcome.expect("tree (switch1 linear" in outcome.output, "the sites are not reached at once")


def long_reduction(outcome, _text, _path):
    outcome.expect("reduce of 8192 bytes to rank 0: tree" in outcome.output, "a long one uses no tree in the node")


CASES = {
    "ethernet-cluster": Case(8, LEAVES, {"switch1": '"switch"', "switch0": '"switch0"'}),
    "infiniband-cluster": Case(8, LEAVES, {"switch1": '"switch"', "switch0": '"switch0"'}),
    "wan-grid": Case(6, SITES, {"switch1": '"switch"'}, judge=between_sites),
    "fat-numa-node": Case(48, FAT, {"node": '"node"', "package": '"package"'},
                          ("--op", "reduce", "--sizes", "8192"), long_reduction),
}


def start(paths, case, parameters, folder=None, options=(), some=None):
    return run(paths, case.ranks, "probe", case.arguments,
               {"coll_strata_verbose": "2", "coll_strata_setup_after": "0"} | case.parameters | parameters,
               folder=folder, options=options, some=some, timeout=100)


def applied(paths, name, expected):
    """Runs each preset by name and as a parameter file."""
    case = CASES[name]
    path = os.path.join(paths.folder(), FOLDER, f"{expected}.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        for level, part in case.levels.items():
            where = f"{level} from {path}:{line_of(text, f'{chr(34)}level{chr(34)}: {part}')}"
            outcome.expect(where in outcome.output, f"rank 0 does not log: {where}")
        case.judge(outcome, text, path)

    check(start(paths, case, {"coll_strata_rules": name}), judge)
    parameters = os.path.join(paths.folder(), FOLDER, f"{name}.conf")
    check(start(paths, case, {}, options=["--tune", parameters, "--bind-to", "none"]), judge)


def unbound(paths, _scratch):
    """Runs more ranks than the cores of the preset's node, with the options of its parameter file."""
    case = Case(64, FAT | {"coll_strata_placement": "all"}, {}, ("--op", "reduce", "--sizes", "65536"))
    parameters = os.path.join(paths.folder(), FOLDER, "fat-numa-node.conf")

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        forwarded = outcome.pvar("reduce_forward_no_hierarchy")
        outcome.expect(forwarded == case.ranks, f"{forwarded} of {case.ranks} calls are passed through")

    check(start(paths, case, {}, options=["--tune", parameters, "--bind-to", "none"]), judge)


def told(text):
    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages(bad_parameters=1)
        outcome.expect(text in outcome.output, f"the message lacks: {text}")
        outcome.expect(" links of " not in outcome.output, "values of a preset are used")
    return judge


def copied(paths, scratch):
    """A copy of the plugin's folder, for changes."""
    return shutil.copytree(paths.folder(), os.path.join(scratch, "plugin"))


def wrong_name(paths, _scratch):
    known = ", ".join(sorted(CASES))
    check(start(paths, CASES["wan-grid"], {"coll_strata_rules": "wan"}),
          told(f"coll_strata_rules: no such preset: 'wan'; known: {known} (a file"))


def no_presets(paths, scratch):
    folder = copied(paths, scratch)
    shutil.rmtree(os.path.join(folder, FOLDER))
    check(start(paths, CASES["wan-grid"], {"coll_strata_rules": "wan-grid"}, folder),
          told(f"no such preset: 'wan-grid'; there are none in {folder}/{FOLDER} (a file"))


def change(folder, old, new):
    path = os.path.join(folder, FOLDER, "wan-grid.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    return path, text


def broken(paths, scratch):
    folder = copied(paths, scratch)
    path, text = change(folder, "latency_us", "latency")
    number = text[:text.index("latency_us")].count("\n") + 1
    check(start(paths, CASES["wan-grid"], {"coll_strata_rules": "wan-grid"}, folder),
          told(f"coll_strata_rules: {path}:{number}: unknown key 'latency'"))


def other_content(paths, scratch):
    """Tests a node with another preset of the same name: a message names it; the job goes on without the plugin."""
    folder = copied(paths, scratch)
    change(folder, "5000", "6000")
    outcome = start(paths, CASES["wan-grid"], {"coll_strata_rules": "wan-grid"},
                    some=["rank=3", component_path(folder)])

    def judge(result):
        result.expect_success()
        result.expect_messages(settings=1)
    check(outcome, judge)


def test(arguments):
    paths = Paths(arguments.paths)
    others = {"unbound": unbound, "wrong_name": wrong_name, "no_presets": no_presets, "broken": broken,
              "other_content": other_content}
    if arguments.case in CASES:
        applied(paths, arguments.case, arguments.expected or arguments.case)
    elif arguments.case in others:
        with tempfile.TemporaryDirectory() as scratch:
            others[arguments.case](paths, scratch)
    else:
        raise Failure(f"unknown case '{arguments.case}'; known: {', '.join([*CASES, *others])}")


parser = argparse.ArgumentParser()
parser.add_argument("paths")
parser.add_argument("case")
parser.add_argument("--as", dest="expected")
conclude(lambda: test(parser.parse_args()))
