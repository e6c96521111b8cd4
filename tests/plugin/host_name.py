#!/usr/bin/env python3
"""Tests that prepare (tests/run and bench/demo begin with it) and strata-report print in one line that the host's own
name does not resolve, and nothing about it if it does. can_fail: expects that localhost does not."""
import os
import subprocess
import sys
import tempfile

from job import Failure, Paths, conclude, environment

COMMANDS = (("prepare", "--for", "demo", "--packages-only", "--no-install"), ("strata-report", "-o", "/dev/stdout"))
NAMES = {"absent.invalid": True, "localhost": False}  # whether the line is expected


def run(paths, name, *command):
    """Returns the output of a command on a host of this name."""
    with tempfile.TemporaryDirectory() as scratch:
        uname = os.path.join(scratch, "uname")
        with open(uname, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n[ "$*" = -n ] && echo {name} && exit\nexec /usr/bin/uname "$@"\n')
        os.chmod(uname, 0o755)
        with open(os.path.join(scratch, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(f"import platform\nplatform.node = lambda: '{name}'\n")
        variables = environment(paths, {})
        variables |= {"PATH": f"{scratch}:{variables['PATH']}", "PYTHONPATH": scratch}
        return subprocess.run([os.path.join(paths["source"], "component", "packaging", command[0]), *command[1:]],
                              env=variables, cwd=scratch, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False).stdout


def test(paths, names):
    for name, expected in names.items():
        for command in COMMANDS:
            output = run(paths, name, *command)
            lines = [line for line in output.splitlines() if f"own name, {name}, does not resolve" in line]
            if len(lines) != expected or not all("10 s" in line and "/etc/hosts" in line for line in lines):
                raise Failure(f"{command[0]} on a host named {name} prints {lines} about its name:\n{output}")
            if lines and command[0] == "prepare" and not output.startswith(lines[0]):
                raise Failure(f"prepare does not begin with this line:\n{output}")


conclude(lambda: test(Paths(sys.argv[1]), {"localhost": True} if sys.argv[2:] == ["can_fail"] else NAMES))
