#!/usr/bin/env python3
"""Tests jobs of an unprivileged user whose parameters name unusable files: another user's, truncated, too long. One
message names each file and the cause, all ranks go on with the plugin and right results, and no file of another user
is written."""
import os
import sys

from job import Failure, Paths, check, conclude, synthetic
from unprivileged import User

RANKS = 4
CALLS = ["--sizes", "8,65536", "--roots", "all", "--on", "both"]
RULES = '{"version": 1, "rules": [{"collective": "bcast", "engine": "levels"}]}\n'
NETWORK = "SwitchName=s0 Nodes=p0\nSwitchName=s1 Nodes=p1\n"
SETS = ' cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"'
MACHINE = (f'<topology version="2.0"><object type="Machine" os_index="0" gp_index="1"{SETS}>'
           f'<object type="NUMANode" os_index="0" gp_index="2"{SETS}/>'
           f'<object type="PU" os_index="0" gp_index="3"{SETS}/></object></topology>\n')
FILES = {"rules": RULES, "network": NETWORK, "topology": MACHINE}
MANY = 65 << 20  # bytes: longer than rules and XML may be
DUMP_FAILED = "coll_strata_dump"


def write(user, name, text):
    path = os.path.join(user.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def refused(user, names, spoil, reason):
    """Tests that each file, after `spoil(path)`, is rejected because of `reason(name)`."""
    paths = {name: write(user, name, FILES[name]) for name in names}
    for path in paths.values():
        spoil(path)
    parameters = {f"coll_strata_{name}": path for name, path in paths.items()}
    if "network" in paths:
        parameters["coll_strata_network"] = f"file:{paths['network']}"

    def judge(outcome):
        outcome.expect_messages(bad_parameters=1)
        for name, path in paths.items():
            told = [line for line in outcome.output.splitlines() if path in line and reason(name) in line]
            outcome.expect(len(told) == 1, f"{len(told)} lines report {path}: {reason(name)}; expected 1")
        outcome.expect(outcome.pvar("bcast_tree") > 0, "the tree engine did nothing")

    return {"coll_strata_placement": "0"} | parameters, judge


def unreadable(user):
    def close(path):
        os.chmod(path, 0o600 if user.is_root else 0)
    return refused(user, FILES, close, lambda name: "cannot be opened: Permission denied")


def truncated(user):
    reasons = {"rules": "rules:1", "network": "network:1: ", "topology": "as an XML topology"}
    return refused(user, FILES, lambda path: os.truncate(path, os.path.getsize(path) * 2 // 5), reasons.get)


def huge(user):
    return refused(user, FILES, lambda path: os.truncate(path, MANY), lambda name: "is longer than")


def dump(user, place, reason):
    """`place(path, secret)` creates at `path` an object that must not be written; `secret` is the user's own file."""
    shared = os.path.join(user.base, "shared")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    secret = write(user, "secret", "secret")
    user.give(secret)
    path = os.path.join(shared, "hierarchy.json")
    place(path, secret)

    def judge(outcome):
        outcome.expect_messages()
        count = outcome.output.count(path)
        outcome.expect(count == 1 and reason in outcome.output, f"{path} is named {count} times; expected: {reason}")
        for file in (secret, path):
            with open(file, encoding="utf-8") as opened:
                outcome.expect(opened.read() == "secret", f"{file} has been written")

    return synthetic(2, 2) | {"coll_strata_dump": path}, judge


def dump_of_another(user):
    def place(path, _):
        with open(path, "w", encoding="utf-8") as file:
            file.write("secret")
        os.chmod(path, 0o644 if user.is_root else 0o444)
    return dump(user, place, "Permission denied")


def dump_by_link(user):
    """Root's link in root's folder is valid, but this one belongs to a third user."""
    def place(path, secret):
        os.symlink(secret, path)
        os.chown(path, 65533, 65533, follow_symlinks=False)
    return dump(user, place, "it is a link of another user")


def own_link(user):
    """Tests that the plugin writes through the user's own link."""
    target = os.path.join(user.folder, "target.json")
    path = os.path.join(user.folder, "link.json")
    os.symlink(target, path)
    user.give(path)

    def judge(outcome):
        outcome.expect_messages()
        outcome.expect(os.path.islink(path) and os.path.getsize(target) > 0, "the link is not followed")

    return synthetic(2, 2) | {"coll_strata_dump": path}, judge


def can_fail(user):
    """Valid files, tested as unreadable ones."""
    parameters, judge = refused(user, FILES, lambda path: os.chmod(path, 0o644), lambda name: "cannot be opened")
    return parameters | {"coll_strata_bcast_algorithm": "tree"}, judge


CASES = {case.__name__: case for case in
         (unreadable, truncated, huge, dump_of_another, dump_by_link, own_link, can_fail)}


def test(paths, case):
    if case not in CASES:
        raise Failure(f"unknown case '{case}'; known: {', '.join(CASES)}")
    with User(paths) as user:
        if case == "dump_by_link" and not user.is_root:
            print("skipped: only root can make links of other users")
            sys.exit(77)
        parameters, judge = CASES[case](user)
        outcome = user.run(RANKS, CALLS, {"coll_strata_bcast_algorithm": "tree"} | parameters)

        def judge_all(outcome):
            outcome.expect_success()
            outcome.expect(outcome.with_plugin == RANKS, f"{outcome.with_plugin} ranks have the plugin")
            judge(outcome)

        check(outcome, judge_all)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
