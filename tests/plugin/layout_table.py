#!/usr/bin/env python3
"""Tests that the layout guard's table has every member of Open MPI's structures that the plugin reads, directly or
through functions of Open MPI's headers. libclang parses the sources with their compile flags."""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

from libclang import BLOCKS, FIELD, FUNCTION, STRUCT, UNION, USES, Clang

SKIPPED = 77
TARGETS = re.compile(r"/(strata_component_\w+|mca_coll_strata)\.dir/")
# Only Open MPI's own structures: the bundled libraries (PMIx, libevent, hwloc) have stable interfaces.
HEADERS = re.compile(r"/(opal|ompi|orte)/(?!mca/(hwloc|event)/[a-z]+[0-9])|/mpi\.h$")


def compiled_units(build):
    """Yields (file, flags) for each file compiled into the plugin."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        words = shlex.split(entry["command"])
        if not TARGETS.search(words[words.index("-o") + 1]):
            continue
        flags = []
        for word, value in zip(words, words[1:] + [""]):
            if word in ("-isystem", "-idirafter"):
                flags += [word, value]
            elif word.startswith(("-I", "-D", "-std=")):
                flags.append(word)
        yield entry["file"], flags


class Members:
    """`used`: (structure, member) → place of the first read. `unknown`: the same for names whose structure is known
    only when a template is instantiated."""

    def __init__(self, clang, source):
        self.clang = clang
        self.own = os.path.join(source, "component") + "/"
        self.used = {}
        self._done = set()
        self._to_do = []

    def add(self, file, flags):
        clang = self.clang
        unit, errors = clang.parse(file, flags)
        if errors:
            sys.exit("\n".join(errors))
        self._done.clear()
        places = (self.own, file)
        cursors = clang.children(clang.root(unit))
        for cursor in cursors:
            if cursor.kind in BLOCKS:
                cursors += clang.children(cursor)
            elif clang.place(cursor)[0].startswith(places):
                clang.walk(cursor, self._see)
        while self._to_do:
            clang.walk(self._to_do.pop(), self._see)
        clang.dispose(unit)

    def _see(self, cursor):
        if cursor.kind not in USES:
            return
        target = self.clang.referenced(cursor)
        if target is None or target.kind not in (FIELD, FUNCTION) or not HEADERS.search(self.clang.place(target)[0]):
            return
        if target.kind == FIELD:
            self.used.setdefault(self._name(target), self.clang.place(cursor))
        else:
            body = self.clang.definition(target)
            if body is not None and self.clang.key(body) not in self._done:
                self._done.add(self.clang.key(body))
                self._to_do.append(body)

    def _name(self, field):
        """Returns the named structure around a field, and the path to the field from there."""
        clang = self.clang
        record, way = clang.parent(field), clang.name(field)
        while clang.is_unnamed(record):
            outer = clang.parent(record)
            if outer.kind not in (STRUCT, UNION):
                break
            for sibling in clang.children(outer):
                if sibling.kind == FIELD and clang.same(clang.record_of(sibling), record):
                    way = f"{clang.name(sibling)}.{way}"
            record = outer
        return clang.type_name(record), way


def listed(source, series):
    with open(os.path.join(source, "component", "openmpi", "releases", f"layout_{series}.def"), encoding="utf-8") as file:
        return set(re.findall(r"^STRATA_MEMBER\((\w+), ([\w.]+),", file.read(), re.MULTILINE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("--only", help="C++ source to parse instead of the plugin's")
    parser.add_argument("--print", action="store_true", help="print all members that are read")
    options = parser.parse_args()
    with open(options.paths, encoding="utf-8") as file:
        paths = json.load(file)
    try:
        clang = Clang()
    except OSError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)
    # The compiler's headers, for a libclang without its own.
    builtin = subprocess.run(["g++", "-print-file-name=include"], check=True, capture_output=True, text=True).stdout.strip()
    members = Members(clang, paths["source"])
    units = list(compiled_units(paths["build"]))
    if options.only:
        units = [(options.only, max((flags for _, flags in units), key=len))]
    for name, flags in units:
        members.add(name, [*flags, "-idirafter", builtin])
    if options.print:
        for (record, way), (file, line) in sorted(members.used.items()):
            print(record, way, f"{os.path.basename(file)}:{line}")
        return
    said = subprocess.run([paths["ompi_info"], "--version"], check=True, capture_output=True, text=True).stdout
    series = re.search(r"(\d+)\.\d+\.\d+", said).group(1)
    table = listed(paths["source"], series)
    lacking = sorted(member for member in members.used if member not in table)
    for record, way in lacking:
        file, line = members.used[record, way]
        print(f"{record}::{way} is read ({file}:{line}) and not in component/openmpi/releases/layout_{series}.def")
    print(f"{len(members.used)} members are read in {len(units)} files, {len(table)} are in the table")
    sys.exit(1 if lacking or not members.used else 0)


if __name__ == "__main__":
    main()
