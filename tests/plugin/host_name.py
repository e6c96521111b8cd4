#!/usr/bin/env python3
"""Tests that prepare (tests/run and bench/demo begin with it) and strata-report print in one line that the host's own
name does not resolve, and nothing about it if it does. Independent of the site's resolver, which may answer any name.
can_fail: expects that localhost does not resolve."""
import os
import shutil
import subprocess
import sys
import tempfile

from job import Failure, Paths, conclude, environment

COMMANDS = (("prepare", "--for", "demo", "--packages-only", "--no-install"), ("strata-report", "-o", "/dev/stdout"))
ABSENT = "absent.invalid"
NAMES = {ABSENT: True, "localhost": False}  # whether the line is expected

PROGRAMS = {  # in PATH before the system's
    "uname": '[ "$*" = -n ] && echo {name} && exit\nexec {system} "$@"\n',
    "getent": f'[ "$2" = {ABSENT} ] && exit 2\nexec {{system}} "$@"\n',
}
SITE = f"""\
import platform, socket
platform.node = lambda: "{{name}}"
system = socket.getaddrinfo
def getaddrinfo(host, *rest, **named):
    if host == "{ABSENT}":
        raise socket.gaierror(socket.EAI_NONAME, "no such name")
    return system(host, *rest, **named)
socket.getaddrinfo = getaddrinfo
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def packaging(paths, scratch, command):
    """Returns the folder of a command; of prepare a copy, which writes its log beside itself."""
    folder = os.path.join(paths["source"], "component", "packaging")
    if command != "prepare":
        return folder
    own = os.path.join(scratch, "component", "packaging")
    os.makedirs(own)
    for name in ("prepare", "debian-packages"):
        shutil.copy(os.path.join(folder, name), own)
    return own


def run(paths, name, *command):
    """Returns the output of a command on a host of this name."""
    with tempfile.TemporaryDirectory() as scratch:
        for program, text in PROGRAMS.items():
            write(os.path.join(scratch, program), "#!/bin/sh\n" + text.format(name=name, system=shutil.which(program)))
        write(os.path.join(scratch, "sitecustomize.py"), SITE.format(name=name))
        variables = environment(paths, {})
        variables |= {"PATH": f"{scratch}:{variables['PATH']}", "PYTHONPATH": scratch}
        return subprocess.run([os.path.join(packaging(paths, scratch, command[0]), command[0]), *command[1:]],
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
