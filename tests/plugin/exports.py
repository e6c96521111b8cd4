#!/usr/bin/env python3
"""The plugin exports its component structure and nothing else: other symbols could clash with the
application's."""
import argparse
import json
import subprocess
import sys

WANTED = ["mca_coll_strata_component"]

parser = argparse.ArgumentParser()
parser.add_argument("paths")
parser.add_argument("--library", help="look at this file instead of the plugin")
options = parser.parse_args()
with open(options.paths, encoding="utf-8") as file:
    library = options.library or json.load(file)["plugin"]
lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                       text=True).stdout
names = sorted(line.split()[-1] for line in lines.splitlines())
if names != WANTED:
    sys.exit(f"{library} exports {', '.join(names) or 'nothing'} instead of {', '.join(WANTED)}")
print(f"{library} exports {', '.join(names)}")
