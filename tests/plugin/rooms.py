#!/usr/bin/env python3
"""Tests the direction of the rooms' dependencies: which room may include which header, checked in the text and by
the compiler."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

from job import Failure, Paths, conclude

MPI = re.compile(r"^(mpi\w*\.h|(ompi|opal|orte|oshmem|pmix)(/.*|\w*\.h))$")
INTERNALS = re.compile(r"^((ompi|opal|orte|oshmem)/.*|ompi_config\.h)$")
OTHER_THAN_PUBLIC_MPI = re.compile(r"^((ompi|opal|orte|oshmem|pmix)(/.*|\w*\.h)|mpi(ch)?/.*)$")
HWLOC = re.compile(r"^hwloc(/.*|\.h)$")
JSON = re.compile(r"^nlohmann/")
STREAMS = re.compile(r"^(s|o|i)?stream$")  # write numbers in the program's locale; number_text() does not
COMPONENT = re.compile(r"^component/")
ALGORITHMS = re.compile(r"^algorithms/")

# Room -> headers that it must not include, and the excepted files.
RULES = {
    "topology": [(MPI, ()), (COMPONENT, ()), (ALGORITHMS, ()), (JSON, ()), (STREAMS, ())],
    "algorithms": [(MPI, ()), (HWLOC, ()), (COMPONENT, ()), (JSON, ("json_lines.cc",)), (STREAMS, ())],
    "tool": [(MPI, ()), (HWLOC, ()), (COMPONENT, ()), (JSON, ())],
    "introspection": [(OTHER_THAN_PUBLIC_MPI, ()), (COMPONENT, ()), (ALGORITHMS, ("input.cc",)), (JSON, ())],
    "component": [(INTERNALS, ("ompi_compat.h",)), (re.compile(r"^mpi\.h$"), ()), (JSON, ()), (STREAMS, ())],
}
# Rooms of algorithms/ and component/ -> the rooms that they may include.
SEEN = {f"algorithms/{room}": {f"algorithms/{other}" for other in seen.split()} for room, seen in {
    "base": "", "config": "base", "patterns": "base", "node": "base", "engines": "base patterns node",
    "cost": "base patterns",
    "openmpi_cost": "base patterns cost", "planning": "base config patterns cost openmpi_cost",
    "report": "base config planning"}.items()}
COMPONENT_ROOMS = [f"component/{room}" for room in (
    "base", "settings", "segments", "openmpi", "report", "agreement", "levels", "communicator", "module", "collectives")]
for place, own_room in enumerate(COMPONENT_ROOMS):
    before = COMPONENT_ROOMS[place - 1]
    SEEN[own_room] = SEEN[before] | {before} if place > 0 else set(SEEN) - {"algorithms/cost"}
SOURCES = (".h", ".hpp", ".cc", ".cpp", ".c")


def violations(root):
    for room, rules in RULES.items():
        for folder, _, files in os.walk(os.path.join(root, room)):
            if "shim" in folder.split(os.sep):
                continue  # replaces a header of Open MPI
            for name in sorted(files):
                if name.endswith(SOURCES):
                    yield from file_violations(os.path.join(folder, name), rules)


def file_violations(path, rules):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            included = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            for forbidden, excepted in rules if included else ():
                if forbidden.match(included.group(1)) and os.path.basename(path) not in excepted:
                    yield f"{path}:{number}: must not include {included.group(1)}"


def check_the_check():
    with tempfile.TemporaryDirectory() as planted:
        bad = {"topology/a.cc": "#include <mpi.h>",
               "algorithms/base/b.h": '#  include "hwloc/bitmap.h"',
               "component/c.cc": '#include "opal/util/output.h"', "topology/d.h": "#include <ompi/op/op.h>",
               "algorithms/e.cc": '#include "component/openmpi/ompi_compat.h"',
               "algorithms/g.cc": "#include <nlohmann/json.hpp>", "component/k.cc": "#include <sstream>", "tool/h.cc": "#include <hwloc.h>",
               "introspection/i.cc": "#include <ompi/communicator/communicator.h>"}
        good = {"component/openmpi/ompi_compat.h": '#include "ompi/op/op.h"', "introspection/j.cc": "#include <mpi.h>",
                "topology/f.cc": "#include <hwloc.h>"}
        for name, text in (bad | good).items():
            os.makedirs(os.path.dirname(os.path.join(planted, name)), exist_ok=True)
            with open(os.path.join(planted, name), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        found = {os.path.relpath(line.split(":")[0], planted) for line in violations(planted)}
        if found != set(bad):
            raise Failure(f"the check itself is wrong: found {sorted(found)} of {sorted(bad)}")


def check_the_text(root):
    wrong = list(violations(root))
    if wrong:
        raise Failure("\n".join(wrong))


def compiler_of(paths, room):
    """Returns the command that compiles the room's sources, without its input and output."""
    target = "/strata_" + room.replace("/", "_") + ".dir/"
    with open(os.path.join(paths["build"], "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            words = shlex.split(entry["command"])
            output = words.index("-o")
            if target in words[output + 1]:
                del words[output:output + 2]
                return [word for word in words if word not in ("-c", entry["file"])], entry["directory"]
    raise Failure(f"no source of {room}/ is compiled")


def compiled(paths, room, text):
    command, folder = compiler_of(paths, room)
    return subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=text, text=True, cwd=folder,
                          capture_output=True, check=False)


def check_the_compiler(paths, also):
    found = {"topology": ["hwloc.h", "vector"]} | also
    missed = {"topology": ["algorithms/base/plan.h"]}
    for room, seen in SEEN.items():
        found[room] = ["vector", "topology/level.h"]
        missed[room] = []
        for other in SEEN:
            header = min(name for name in os.listdir(f"{paths['source']}/{other}") if name.endswith(".h"))
            (found if other in seen | {room} else missed)[room].append(f"{other}/{header}")
    for room, headers in found.items():
        text = "".join(f'#if !__has_include("{name}")\n#error {name} is not found in {room}/\n#endif\n' for name in headers)
        text += "".join(f'#if __has_include("{name}")\n#error {name} is found in {room}/\n#endif\n' for name in missed[room])
        done = compiled(paths, room, text)
        if done.returncode != 0:
            raise Failure(done.stderr)
        outside = {"topology": ["mpi.h"]}.get(room, [] if room.startswith("component") else ["mpi.h", "hwloc.h"])
        for header in outside:
            if "out of bounds" not in compiled(paths, room, f"#include <{header}>\n").stderr:
                raise Failure(f"#include <{header}> in {room}/ does not end with the reason")


def check_the_arithmetic(paths):
    command, folder = compiler_of(paths, "algorithms/cost")
    for flag in ("-ffast-math", "-ffinite-math-only"):
        done = subprocess.run([*command, flag, "-fsyntax-only", "-x", "c++", "-"], text=True, cwd=folder,
                              input='#include "topology/default_arithmetic.h"\n', capture_output=True, check=False)
        if done.returncode == 0 or "different decisions" not in done.stderr:
            raise Failure(f"algorithms/cost/ compiles with {flag}")


def test(paths, case):
    check_the_check()
    if case == "can_fail_text":
        RULES["topology"].append((HWLOC, ()))
    check_the_text(paths["source"])
    check_the_arithmetic(paths)
    check_the_compiler(paths, {"topology": ["component/module/module.h"]} if case == "can_fail_compiler" else {})


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None))
