#!/usr/bin/env python3
"""Tests that the tables of docs/user-guide/parameters.md have exactly the parameters that ompi_info lists, with their
defaults: rows "| `coll_strata_NAME` | `default` |", where OP means each collective and `""` is the empty text.

--without NAME: removes a parameter's row from the page; --default NAME=VALUE: changes the default of one (without
coll_strata_); both must fail.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "plugin"))

import collective_table  # noqa: E402
from job import Paths, environment  # noqa: E402

PAGE = os.path.join(HERE, os.pardir, os.pardir, "docs", "user-guide", "parameters.md")
PREFIX = "coll_strata_"


def rows(text):
    """Returns (name, default) of every row of a table of parameters."""
    found = re.findall(rf"^\| *`{PREFIX}(\w+)` *\|([^|]*)\|", text, re.MULTILINE)
    return [(name, re.sub(r'^"(.*)"$', r"\1", default.strip().strip("`"))) for name, default in found]


def documented(table):
    """Returns the default by parameter, and what is wrong with the table itself."""
    defaults, wrong = {}, []
    for name, default in table:
        names = [name.replace("OP_", op + "_", 1) for op in collective_table.names()] if name.startswith("OP_") else [name]
        for one in names:
            if PREFIX + one in defaults:
                wrong.append(f"parameter {PREFIX}{one} is on the page more than once")
            defaults[PREFIX + one] = default
    return defaults, wrong


def listed(lines):
    """Returns field -> value by parameter, from lines "mca:coll:strata:param:NAME:FIELD:VALUE"."""
    found = {}
    for line in lines:
        fields = line.split(":", 6)
        if fields[:4] == ["mca", "coll", "strata", "param"] and len(fields) == 7 and fields[4].startswith(PREFIX):
            found.setdefault(fields[4], {})[fields[5]] = fields[6].strip('"')
    return found


def complaints(page, existing):
    for name in sorted(existing.keys() - page.keys()):
        yield f"parameter {name} is not on the page"
    for name in sorted(page.keys() - existing.keys()):
        yield f"parameter {name} is on the page, but the plugin has none of this name"
    for name in sorted(page.keys() & existing.keys()):
        value, source = existing[name].get("value", ""), existing[name].get("source", "default")
        if source != "default":
            yield f"{name} does not have its default here, but '{value}' ({source})"
        elif value != page[name]:
            yield f"{name}: default '{value}', '{page[name]}' on the page"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("--without", help="remove this parameter's row from the page")
    parser.add_argument("--default", help="NAME=VALUE: change a default on the page")
    options = parser.parse_args()
    paths = Paths(options.paths)
    with open(PAGE, encoding="utf-8") as file:
        table = [row for row in rows(file.read()) if PREFIX + row[0] != options.without]
    if options.default:
        changed, value = options.default.split("=", 1)
        table = [(name, value if name == changed else default) for name, default in table]
    page, wrong = documented(table)
    output = subprocess.run([paths["ompi_info"], "--param", "coll", "strata", "--level", "9", "--parsable"], check=True,
                            capture_output=True, text=True, env=environment(paths, {})).stdout
    existing = listed(output.splitlines())
    if not existing:
        sys.exit("ompi_info lists no parameter")
    wrong += complaints(page, existing)
    if wrong:
        sys.exit("docs/user-guide/parameters.md: " + "\n".join(wrong))
    print(f"{len(existing)} parameters are on the page, with their defaults")


if __name__ == "__main__":
    main()
