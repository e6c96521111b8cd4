#!/usr/bin/env python3
"""Tests that the plugin exports only its component structure: other symbols could clash with the application's. It
looks up symbols that only some builds of Open MPI have at run time, so that the other builds load it too and it can
report why it steps aside there."""
import argparse
import json
import re
import subprocess
import sys

WANTED = ["mca_coll_strata_component"]
OPTIONAL = r"ompi_ftmpi_|ompi_request_is_failed|_revoke"  # fault tolerance

parser = argparse.ArgumentParser()
parser.add_argument("paths")
parser.add_argument("--library", help="check this file instead of the plugin")
parser.add_argument("--optional", default=OPTIONAL, help="regular expression of symbols that only some builds of Open MPI have")
options = parser.parse_args()
with open(options.paths, encoding="utf-8") as file:
    library = options.library or json.load(file)["plugin"]


def symbols(*kind):
    lines = subprocess.run(["nm", "-D", *kind, library], check=True, capture_output=True, text=True).stdout
    return sorted(tuple(line.split()[-2:]) for line in lines.splitlines())


names = [name for _, name in symbols("--defined-only")]
if names != WANTED:
    sys.exit(f"{library} exports {', '.join(names) or 'nothing'} instead of {', '.join(WANTED)}")
needed = [name for kind, name in symbols("--undefined-only") if kind == "U" and re.search(options.optional, name)]
if needed:
    sys.exit(f"{library} needs {', '.join(needed)}, which not every build of Open MPI has")
print(f"{library} exports {', '.join(names)}")
