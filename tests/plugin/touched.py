#!/usr/bin/env python3
"""Tests with strace what the plugin changes outside its processes: a job of an unprivileged user opens the same
files for writing, creates, renames and removes the same files, opens the same sockets and requests the same
privileges and programs as without the plugin, except for a requested dump and for the memory that the ranks of a node
share, which they open as a file descriptor of rank 0."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

from job import SKIPPED, Failure, Paths, check, conclude, synthetic
from unprivileged import User

RANKS = 4
CALLS = ["--sizes", "8,65536", "--roots", "all", "--on", "both"]
CHANGES = ("creat mkdir mkdirat mknod mknodat rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat "
           "rmdir truncate chmod fchmod fchmodat chown lchown fchown fchownat setxattr lsetxattr fsetxattr").split()
NETWORK = "socket socketpair connect bind listen".split()
PRIVILEGE = ("setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset ptrace mount "
             "umount2 unshare setns chroot pivot_root execve execveat bpf").split()
OPENS = "open openat openat2".split()
CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|\?)", re.DOTALL)
SHARED_MEMORY = '"/proc/N/fd/N"'  # as normal() writes it
FOR_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE")


def strace(prefix):
    names = ",".join(f"?{name}" for name in [*CHANGES, *NETWORK, *PRIVILEGE, *OPENS])
    return ["strace", "-f", "-ff", "--seccomp-bpf", "-qq", "-s", "256", "-o", prefix, "-e", f"trace={names}",
            "-e", "signal=none"]


def require_strace(user):
    probed = None
    if shutil.which("strace"):
        probed = subprocess.run([*user.prefix, *strace(os.path.join(user.folder, "tmp", "probed")), "true"],
                                cwd=user.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if probed is None or probed.returncode != 0:
        print(f"skipped: {'no strace' if probed is None else 'strace cannot trace here: ' + probed.stdout.strip()}")
        sys.exit(SKIPPED)


def normal(text, user):
    """Removes what differs from run to run: numbers, names with numbers, and the environment of programs."""
    text = text.replace(user.folder, "HERE").replace(user.base, "BASE")
    text = re.sub(r"\[\S+/\* \d+ vars \*/|0x[0-9a-f]+( /\* \d+ vars \*/)?", "ADDRESS", text)
    text = re.sub(r"\b[0-9a-f]*\d[0-9a-f]*\b|(?<=\.)[0-9a-f]{4,}(?=\.)", "N", text)
    return re.sub(r"\d+", "N", text)


def touched(prefix, user):
    """Returns how often each call occurs."""
    found = collections.Counter()
    for path in glob.glob(prefix + ".*"):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        for line in lines:
            call = CALL.match(line)
            if not call:
                continue
            name, arguments, _ = call.groups()
            if name in OPENS and not FOR_WRITING.search(arguments):
                continue
            if name.startswith("execve"):
                arguments = arguments.split(",")[0]
            found[f"{name}({normal(arguments, user)})"] += 1
    return found


def traced(user, name, parameters, program=None):
    prefix = os.path.join(user.folder, f"trace-{name}")
    outcome = user.run(RANKS, CALLS, parameters, strace(prefix), program, timeout=120)

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages()
        wanted = 0 if parameters.get("coll") else RANKS
        outcome.expect(outcome.with_plugin == wanted, f"{outcome.with_plugin} ranks have the plugin")

    check(outcome, judge)
    seen = touched(prefix, user)
    if not any(one.startswith("socket(AF_UNIX") for one in seen) or not any("O_CREAT" in one for one in seen):
        raise Failure(f"strace has not traced mpirun: {seen}")
    return seen


def expect_same(with_plugin, without, but_for=()):
    more = {one for one in with_plugin if one not in without and not any(path in one for path in but_for)}
    if more:
        raise Failure("only with the plugin:\n" + "\n".join(sorted(more)))
    sockets = [sum(count for one, count in seen.items() if one.startswith("socket(") and "AF_UNIX" not in one)
               for seen in (with_plugin, without)]
    if sockets[0] > sockets[1]:
        raise Failure(f"sockets to other machines: {sockets[0]} with the plugin, {sockets[1]} without")


def test(paths, spoiled):
    with User(paths) as user:
        require_strace(user)
        network = os.path.join(user.folder, "topology.conf")
        with open(network, "w", encoding="utf-8") as file:
            file.write("SwitchName=s0 Nodes=p0\nSwitchName=s1 Nodes=p1\nSwitchName=top Switches=s[0-1]\n")
        asked = synthetic(2, 2) | {"coll_strata_rules": "ethernet-cluster", "coll_strata_verbose": "1",
                                   "coll_strata_network": f"file:{network}"}
        without = traced(user, "without", {"coll": "^strata"})
        if spoiled:
            also = [shutil.which("bash"), "-c", ": > elsewhere; : > /dev/udp/127.0.0.1/9; exec \"$0\" \"$@\"", user.probe]
            expect_same(traced(user, "spoiled", asked, also), without)
            return
        plain = traced(user, "plain", {})
        if not any(SHARED_MEMORY in one for one in plain):
            raise Failure("strace has not traced how the ranks open their shared memory")
        expect_same(plain, without, [SHARED_MEMORY])
        expect_same(traced(user, "alone", {"coll_strata_shared_memory": "0"}), without)
        expect_same(traced(user, "asked", asked), without, [SHARED_MEMORY])
        dumped = traced(user, "dump", asked | {"coll_strata_dump": "hierarchy.json"})
        if not any("hierarchy.json" in one for one in dumped):
            raise Failure("strace has not traced the write of the dump")
        expect_same(dumped, without, ["hierarchy.json", SHARED_MEMORY])
        left = sorted(name for name in os.listdir(user.folder) if not name.startswith("trace-"))
        if left != ["hierarchy.json", "tmp", "topology.conf"]:
            raise Failure(f"the job has left {left}")


conclude(lambda: test(Paths(sys.argv[1]), "can_fail" in sys.argv[2:]))
