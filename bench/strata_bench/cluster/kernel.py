"""Linux calls that Python 3.11 lacks, with errors as OSError, and data of /proc about processes."""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import time

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
NODE_NAMESPACES = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET

MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

_CAP_NET_ADMIN = 12
_CAP_SYS_ADMIN = 21

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36

_SIOCETHTOOL = 0x8946
_ETHTOOL_OFFLOADS = (0x1F, 0x24, 0x2C)  # set TSO, set GSO, set GRO

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    if getattr(_libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def may_make_namespaces():
    """Returns whether the caller may make namespaces without a user namespace around them."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        effective = next(int(line.split()[1], 16) for line in file if line.startswith("CapEff:"))
    return all(effective >> capability & 1 for capability in (_CAP_NET_ADMIN, _CAP_SYS_ADMIN))


def unshare(flags):
    _call("unshare", ctypes.c_int(flags))


def enter_user_namespace():
    """Moves into a new user namespace in which the caller is root."""
    user, group = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def join(pid, flags):
    """Joins namespaces of a process; keeps the working directory if the new mounts have it."""
    directory = os.getcwd()
    descriptor = os.pidfd_open(pid)
    try:
        _call("setns", ctypes.c_int(descriptor), ctypes.c_int(flags))
    finally:
        os.close(descriptor)
    with contextlib.suppress(OSError):
        os.chdir(directory)


def mount(source, target, kind=None, flags=0, data=None):
    def text(value):
        return None if value is None else os.fsencode(value)

    _call("mount", text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data))


def unmount(target):
    _call("umount2", os.fsencode(target), ctypes.c_int(MNT_DETACH))


def die_with_parent(signal_number):
    _call("prctl", ctypes.c_int(_PR_SET_PDEATHSIG), ctypes.c_ulong(signal_number), 0, 0, 0)


def adopt_orphans():
    """Makes orphaned descendants children of the caller instead of the namespace's first process."""
    _call("prctl", ctypes.c_int(_PR_SET_CHILD_SUBREAPER), ctypes.c_ulong(1), 0, 0, 0)


def set_process_name(name):
    _call("prctl", ctypes.c_int(_PR_SET_NAME), os.fsencode(name), 0, 0, 0)


def offloads_off(interface):
    """Does the same as `ethtool -K interface tso off gso off gro off`; ignores offloads that the link
    lacks."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in _ETHTOOL_OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
            with contextlib.suppress(OSError):
                fcntl.ioctl(control, _SIOCETHTOOL, request)


def _stat_fields(pid):
    """Returns the fields of /proc/<pid>/stat from the state (field 3) on, or None if there is no such
    process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def start_time(pid):
    """Returns a process's start time in the kernel's ticks, which with the pid identifies it for good.
    None: dead."""
    fields = _stat_fields(pid)
    return None if fields is None or fields[0] in "ZX" else int(fields[19])


def processes():
    """Returns the parent of every process in the caller's process namespace."""
    parents = {}
    for entry in os.listdir("/proc"):
        fields = _stat_fields(entry) if entry.isdigit() else None
        if fields is not None:
            parents[int(entry)] = int(fields[1])
    return parents


def session_members(leader):
    """Returns the living processes of a session. Its leader's pid identifies it while there are any."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(PermissionError):  # some systems hide other users' processes
            fields = _stat_fields(entry)
            if fields is not None and fields[0] not in "ZX" and int(fields[3]) == leader:
                found.append(int(entry))
    return found


def descendants(ancestor):
    """Returns every descendant of a process, itself excluded."""
    children = {}
    for pid, parent in processes().items():
        children.setdefault(parent, []).append(pid)
    found, pending = [], list(children.get(ancestor, ()))
    while pending:
        pid = pending.pop()
        found.append(pid)
        pending.extend(children.get(pid, ()))
    return found


def wait_until(condition, seconds):
    """Polls until the condition holds; returns False if it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
