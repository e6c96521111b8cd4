#!/usr/bin/env python3
"""Tests that the table of Open MPI releases in docs/install.md has the rows of component/base/layout_epochs.h, and that
the messages below it are those of the sources.

--without RELEASE: removes rows with it from the page; --message TEXT: expects one more message; both must fail.
"""
import argparse
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
MESSAGES = {  # pieces that are constant in the source and on the page
    "component/help-mca-coll-strata.txt": ["is built for Open MPI", "runs there:"],
    "component/base/layout_epochs.cc": ["their structures differ", "bytes there instead of"],
    "component/component.cc": ["a release is not in the list, but all sizes match"],
    "component/OpenMpi.cmake": ["The plugin is built for Open MPI 4.1 and 5.0; found"]}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def epochs():
    """Returns (first, last) of the releases with one layout, from the source."""
    found = re.findall(r"\{\{(\d+), (\d+), (\d+)\}, \{(\d+), (\d+), (\d+)\}\}", read("component/base/layout_epochs.h"))
    return [(".".join(numbers[:3]), ".".join(numbers[3:])) for numbers in found]


def rows(page):
    """Returns (first, last) of the rows that begin with releases: "A", "A, B", "A to B"."""
    found = re.findall(r"^\| (\d+\.\d+\.\d+)(?:(?:,| to) (\d+\.\d+\.\d+))? \|", page, re.MULTILINE)
    return [(first, last or first) for first, last in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", default="none")
    parser.add_argument("--message", action="append", default=[])
    asked = parser.parse_args()
    page = read("docs/install.md")
    page = "\n".join(line for line in page.splitlines() if not line.startswith("| " + asked.without))
    source, documented = set(epochs()), set(rows(page))
    wrong = [f"the page lacks the row {first} to {last}" for first, last in sorted(source - documented)]
    wrong += [f"the source lacks the row {first} to {last}" for first, last in sorted(documented - source)]
    for file, texts in MESSAGES.items():
        for text in [*texts, *asked.message]:
            wrong += [f"{place} lacks '{text}'" for place in (file, "docs/install.md")
                      if text not in " ".join(re.sub(r'"\s*"', "", read(place)).replace("%s", "").split())]
    if not source or wrong:
        sys.exit("docs/install.md: " + ("\n".join(wrong) or "component/base/layout_epochs.h has no releases"))
    print(f"{len(source)} rows of releases")


if __name__ == "__main__":
    main()
