#!/usr/bin/env python3
"""Runs the commands of golden files and compares their output, byte for byte.

A golden file has comments ("# ..."), commands ("$ PROGRAM ...") and below each command its output: standard output,
then standard error, then "[exit N]" unless N is 0. Commands run in --folder, by default this one.

golden.py --program build/release/bin/strata-topo golden/*.txt            compares
golden.py --program build/release/bin/strata-topo --update golden/*.txt   rewrites them: read the difference!
"""
import argparse
import difflib
import os
import shlex
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def printed(program, folder, command):
    words = shlex.split(command)
    if words[0] != os.path.basename(program):
        raise SystemExit(f"not a command of {os.path.basename(program)}: {command}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HWLOC_")}
    run = subprocess.run([program] + words[1:], cwd=folder, env=environment, text=True, capture_output=True)
    status = f"[exit {run.returncode}]\n" if run.returncode != 0 else ""
    return run.stdout + run.stderr + status


def replayed(program, folder, lines):
    """The file as it would be if its commands printed it now."""
    result = []
    for line in lines:
        if line.startswith("#"):
            # A comment belongs to the command below it, and is separate from the output above.
            if result and not result[-1].startswith("#") and result[-1] != "\n":
                result.append("\n")
            result.append(line)
        elif line.startswith("$ "):
            if result and not result[-1].startswith("#"):
                result.append("\n")
            result.append(line)
            result += printed(program, folder, line[2:]).splitlines(keepends=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=os.path.abspath)
    parser.add_argument("--folder", default=FOLDER)
    parser.add_argument("--update", action="store_true", help="rewrite the files")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    differences = 0
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            expected = file.readlines()
        found = replayed(options.program, options.folder, expected)
        if not any(line.startswith("$ ") for line in expected):
            raise SystemExit(f"{path}: no command")
        difference = list(difflib.unified_diff(expected, found, path, "printed now"))
        differences += bool(difference)
        sys.stdout.writelines(difference)
        if options.update and difference:
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(found)
    return 1 if differences and not options.update else 0


sys.exit(main())
