#!/usr/bin/env python3
"""Tests that pages list exactly the collectives of algorithms/base/collectives.def, and docs/user-guide/parameters.md
exactly the algorithms of algorithms/base/algorithm.cc.

--collective NAME, --algorithm NAME: expects one more; both must fail.
"""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, os.pardir, os.pardir)
sys.path.insert(0, os.path.join(HERE, os.pardir, "plugin"))

import collective_table  # noqa: E402

TABLE = r"^\| operation \|.*?\n\n"
COLLECTIVES = {  # where each page lists them
    "README.md": TABLE, "docs/user-guide/engines.md": TABLE, "docs/user-guide/parameters.md": r"^OP is one of (.*?)\.",
    "docs/user-guide/mpi_t.md": r"^\| OP \| (.*?) \|", "docs/design/call-path.md": r"takes the slots of (.*?) in a"}
PARAMETERS = "docs/user-guide/parameters.md"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def collectives_in(page):
    found = re.search(COLLECTIVES[page], read(page), re.MULTILINE | re.DOTALL)
    text = found[found.re.groups] if found else ""
    if text.startswith("| operation"):
        text = " ".join(re.findall(r"^\|([^|]*)\|", text, re.MULTILINE)[2:])
    return set(re.findall(r"[a-z]+", re.sub(r"(\w+)\(v\)", r"\1 \1v", text.lower()))) - {"and"}


def words_in(page):
    """Returns the words of the table of level algorithms, without those of components in its last row."""
    table = re.search(r"^\| word \|.*?\n\n", read(page), re.MULTILINE | re.DOTALL)[0].splitlines()[2:-1]
    return {word for row in table[:-1] for word in re.findall(r"`(\w+)[^`]*`", row.split("|")[1])}


def differences(page, what, found, expected):
    for name in sorted(found ^ expected):
        yield f"{page} {'lacks the' if name in expected else 'has an unknown'} {what} '{name}'"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--collective", action="append", default=[])
    parser.add_argument("--algorithm", action="append", default=[])
    asked = parser.parse_args()
    collectives = {*collective_table.names(), *asked.collective}
    algorithms = {*re.findall(r'\{Algorithm::\w+,\s*"(\w+)"', read("algorithms/base/algorithm.cc")), *asked.algorithm}
    algorithms.discard("component")
    wrong = []
    for page in COLLECTIVES:
        wrong += differences(page, "collective", collectives_in(page), collectives)
    wrong += differences(PARAMETERS, "algorithm", words_in(PARAMETERS), algorithms)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(collectives)} collectives, {len(algorithms)} algorithms")


if __name__ == "__main__":
    main()
