#!/usr/bin/env python3
"""monitored.py MPIRUN FOLDER CASE: tests that several_collectives separates collectives, message by message. Where
no messages are counted (another MPI) it must report that."""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hardware"))

from hardware import PLAIN, Failure, conclude, cores, start  # noqa: E402

BYTES, CALLS = 1000, 2
UNWATCHED = 77


# Messages of the textbook algorithms: from, to, blocks of BYTES; the root is rank 0.
def linear(ranks):
    return ((0, rank, 1) for rank in range(1, ranks))


def linear_reduce(ranks):
    return ((rank, 0, 1) for rank in range(1, ranks))


def binomial(ranks):
    return ((rank - (1 << rank.bit_length() - 1), rank, 1) for rank in range(1, ranks))


def binomial_reduce(ranks):
    return ((rank, rank & rank - 1, 1) for rank in range(1, ranks))


def distances(ranks):
    return [1 << i for i in range((ranks - 1).bit_length())]


def recursive_doubling(ranks):
    return ((rank, rank ^ distance, distance) for rank in range(ranks) for distance in distances(ranks))


def ring(ranks):
    return ((rank, (rank + 1) % ranks, 1) for rank in range(ranks) for _ in range(ranks - 1))


def pairwise(ranks):
    return ((a, b, 1) for a in range(ranks) for b in range(ranks) if a != b)


def bruck(ranks):
    return ((rank, (rank + distance) % ranks, sum(block & distance != 0 for block in range(ranks)))
            for rank in range(ranks) for distance in distances(ranks))


def dissemination(ranks):
    return ((rank, (rank + distance) % ranks, 0) for rank in range(ranks) for distance in distances(ranks))


def double_ring(ranks):
    return ((rank, (rank + 1) % ranks, 0) for rank in range(ranks) for _ in range(2))


# Collective -> its algorithm, and coll/tuned's number for it.
TREES = {"bcast": (binomial, 6), "reduce": (binomial_reduce, 5), "allgather": (ring, 4), "alltoall": (pairwise, 2),
         "barrier": (dissemination, 4)}
OTHERS = {"bcast": (linear, 1), "reduce": (linear_reduce, 1), "allgather": (recursive_doubling, 3), "alltoall": (bruck, 3),
          "barrier": (double_ring, 2)}
# Session -> the collectives that it watches; the second broadcast is from the last rank.
SESSIONS = {"first_bcast": ["bcast"], "last_bcast": ["last"], "reduce": ["reduce"], "allgather": ["allgather"],
            "alltoall": ["alltoall"], "barrier": ["barrier"], "with_a_root": ["bcast", "last", "reduce"],
            "with_data": ["last", "reduce", "allgather", "alltoall"],
            "all": ["bcast", "last", "reduce", "allgather", "alltoall", "barrier"]}


def matrices(algorithms, ranks, session):
    """Counts and sizes of all calls that a session watches."""
    counts, sizes = ([[0] * ranks for _ in range(ranks)] for _ in range(2))
    for collective in SESSIONS[session]:
        messages, _ = algorithms["bcast" if collective == "last" else collective]
        root = ranks - 1 if collective == "last" else 0
        for sender, receiver, blocks in messages(ranks):
            sender, receiver = (sender + root) % ranks, (receiver + root) % ranks
            counts[sender][receiver] += CALLS
            sizes[sender][receiver] += CALLS * blocks * BYTES
    return counts, sizes


def level(a, b):
    """Returns the level that joins two ranks on two nodes with two packages of two cores each."""
    return "System – Cluster" if a // 4 != b // 4 else "Machine" if a // 2 != b // 2 else "Package"


def told(counts, sizes):
    """Returns a session's printed values after its name: total, and by level."""
    messages, amounts = collections.Counter(), collections.Counter()
    for sender, row in enumerate(counts):
        for receiver, count in enumerate(row):
            messages[level(sender, receiver)] += count
            amounts[level(sender, receiver)] += sizes[sender][receiver]
    names = [name for name in ("System – Cluster", "Machine", "Package") if messages[name] > 0]
    return [f"{sum(messages.values())} messages, {sum(amounts.values())} bytes"] + [
        f"    {name}: {messages[name]} messages, {amounts[name]} bytes" for name in names]


def read_matrix(path):
    with open(path, encoding="utf-8") as file:
        return [[int(word) for word in line.split()] for line in file]


def counts_messages(mpirun):
    told = subprocess.run([mpirun, "--version"], text=True, capture_output=True, check=False).stdout
    return "Open MPI" in told or "OpenRTE" in told


def run(mpirun, folder, ranks, arguments, placement, parameters=()):
    """Returns the output; nothing if messages are not counted and the program reports that."""
    settings = {"pml_monitoring_enable": "1"} | dict(parameters)
    watched = counts_messages(mpirun)
    options = [word for name, value in settings.items() for word in ("--mca", name, value)] if watched else []
    output, status = start(mpirun, folder, ranks, arguments, {"TOPOLOGY": PLAIN, "PLACEMENT": placement}, options)
    if not watched:
        if status != UNWATCHED or "does not count messages; Open MPI does" not in output:
            raise Failure(f"exit status {status}\n{output}")
        return None
    if status != 0:
        raise Failure(f"{ranks} ranks: exit status {status}\n{output}")
    return output


def check_collectives(mpirun, folder, algorithms, jobs, expected=None):
    rules = {f"coll_tuned_{name}_algorithm": str(number) for name, (_, number) in algorithms.items()}
    rules |= {"coll": "self,basic,libnbc,tuned,monitoring", "coll_tuned_use_dynamic_rules": "1"}
    for ranks in jobs:
        with tempfile.TemporaryDirectory() as scratch:
            arguments = ["several_collectives", "--bytes", str(BYTES), "--calls", str(CALLS), "--flush", f"{scratch}/of"]
            output = run(mpirun, folder, ranks, arguments, cores(2, 4), rules)
            if output is None:
                return
            wanted_lines = []
            for session in SESSIONS:
                counts, sizes = matrices(expected or algorithms, ranks, session)
                for what, wanted in (("counts", counts), ("sizes", sizes)):
                    found = read_matrix(f"{scratch}/of.{session}_{what}.0.prof")
                    if found != wanted:
                        raise Failure(f"{ranks} ranks, {session}, {what}: got {found}, expected {wanted}")
                first, *levels = told(counts, sizes)
                wanted_lines += [f"{session}: {first}", *levels]
        if output.splitlines() != [*wanted_lines, "0 wrong sums"]:
            raise Failure(f"{ranks} ranks: expected {wanted_lines}, got\n{output}")


CASES = {"collectives": lambda mpirun, folder: check_collectives(mpirun, folder, TREES, (1, 2, 7, 8)),
         "other_collectives": lambda mpirun, folder: check_collectives(mpirun, folder, OTHERS, (2, 8)),
         "can_fail": lambda mpirun, folder: check_collectives(mpirun, folder, TREES, (8,), TREES | {"reduce": OTHERS["reduce"]})}

if __name__ == "__main__":
    conclude(lambda: CASES[sys.argv[3]](*sys.argv[1:3]))
