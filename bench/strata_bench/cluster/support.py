"""Checks whether clusters can be made here; provides the relay program."""

import os
import re
import subprocess

from . import kernel, network
from .plan import UserError

NOT_SUPPORTED = 77

_PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux"}


def require_programs():
    for program, package in _PACKAGES.items():
        if network.find_program(program) is None:
            raise UserError(f"the program '{program}' is missing; it is in the Debian package {package}")


def release_of(mpirun):
    """Returns the major release of a mpirun's Open MPI: 4 or 5."""
    program = network.find_program(mpirun)
    if program is None:
        raise UserError(f"'{mpirun}' is missing; mpirun.openmpi is in the Debian package openmpi-bin")
    release, printed = reported_release(program)
    if release not in (4, 5):
        raise UserError(f"'{mpirun}' is not of Open MPI 4 or 5; --version prints '{printed.strip()}'")
    return release


def reported_release(program):
    """Returns the major release of Open MPI that a program reports, None if it reports none, and its
    output."""
    printed = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                             check=False).stdout
    found = re.search(r"\((?:OpenRTE|Open MPI)\) (\d+)\.", printed)  # 4's words, 5's words
    return int(found[1]) if found else None, printed


def relay_program(state, given):
    """Returns the path of the relay: the given one, or one compiled into the state directory."""
    if given:
        if not os.access(given, os.X_OK):
            raise UserError(f"relay program '{given}' cannot be executed")
        return os.path.abspath(given)
    if network.find_program("g++") is None:
        raise UserError("the relay must be compiled and 'g++' is missing; it is in the Debian package g++. "
                        "--relay PATH takes a compiled one")
    source = os.path.join(os.path.dirname(os.path.realpath(__file__)), "relay.cc")
    target = state.path("relay")
    done = subprocess.run(["g++", "-std=c++20", "-O2", source, "-o", target], text=True, capture_output=True,
                          check=False)
    if done.returncode:
        raise UserError(f"the relay does not compile:\n{done.stderr}")
    return target


def obstacle():
    """Returns why no cluster can be made here, or None. Tries every kind of step in a child process."""
    try:
        require_programs()
    except UserError as error:
        return str(error)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            _try_everything()
        except (OSError, UserError) as error:
            os.write(writer, (str(error) or "unknown cause").encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8", errors="replace") as answer:
        reason = answer.read()
    os.waitpid(child, 0)
    return " ".join(reason.split()) or None


def _try_everything():
    """Makes namespaces, mounts, links and rate limits like a cluster's. They vanish with the process."""
    try:
        if not kernel.may_make_namespaces():
            kernel.enter_user_namespace()
        kernel.unshare(kernel.NODE_NAMESPACES)
    except OSError as error:
        raise UserError(f"namespaces are not allowed here ({error})") from error
    kernel.mount(None, "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", "/dev/shm", "tmpfs")
    network.batch("ip", ["link add b0 type bridge", "link add v0 type veth peer name v1",
                         "link set v0 master b0"])
    network.batch("tc", ["qdisc add dev v0 root handle 1: htb default 10",
                         "class add dev v0 parent 1: classid 1:10 htb rate 1mbit",
                         "qdisc add dev v0 parent 1:10 handle 10: bfifo limit 1000000"])
    kernel.unshare(kernel.CLONE_NEWPID)
    inner = os.fork()
    if inner == 0:  # the first process of the new process namespace; its end is the namespace's end
        try:
            kernel.mount("proc", "/proc", "proc")
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(inner, 0)[1]:
        raise UserError("a process namespace's /proc cannot be mounted here")
