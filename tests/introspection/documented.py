#!/usr/bin/env python3
"""documented.py SOURCES TEXT...: each text must name every environment variable that the library reads."""
import glob
import os
import re
import sys


def main(sources, *texts):
    asked = set()
    for path in glob.glob(os.path.join(sources, "*.cc")):
        with open(path, encoding="utf-8") as file:
            asked |= set(re.findall(r'\bvariable\("([A-Z]+)"', file.read()))
    if not asked:
        sys.exit(f"{sources} read no variable")
    failures = []
    for path in texts:
        with open(path, encoding="utf-8") as file:
            told = set(re.findall(r"\bSTRATA_([A-Z]+)\b", file.read()))
        failures += [f"{path} lacks STRATA_{name}" for name in sorted(asked - told)]
    sys.exit("\n".join(failures) or 0)


main(*sys.argv[1:])
