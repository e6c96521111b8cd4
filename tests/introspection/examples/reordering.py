#!/usr/bin/env python3
"""reordering.py MPIRUN FOLDER CASE: iterative_reordering on two synthetic nodes, with badly placed ranks."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hardware"))

from hardware import PLAIN, Failure, conclude, cores, start  # noqa: E402

RANKS = 8
CYCLIC = ";".join(f"{rank // 2}@p{rank % 2}" for rank in range(RANKS))
MONITORED = ("--mca", "pml", "ob1,monitoring", "--mca", "pml_monitoring_enable", "1")
# Trees with many short edges and few long ones, badly placed: for a Reduce in cyclic order, for a Bcast in block
# order.
TREES = {"bcast": ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_bcast_algorithm", "6"),
         "reduce": ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_reduce_algorithm", "5")}
PLACES = {"bcast": cores(2, 4)}
BAD = {"bad_pattern": (["--pattern", "ring"], "unknown pattern"), "bad_number": (["--bytes", "64,4"], "a number is too small")}
SIZES, COUNTS = (8192, 262144), (1, 3)


def run(mpirun, folder, name, arguments, monitored=MONITORED):
    machine = {"TOPOLOGY": PLAIN, "PLACEMENT": PLACES.get(name, CYCLIC)}
    options = ("--mca", "coll", "^strata", *monitored, *TREES.get(name, ()))
    return start(mpirun, folder, RANKS, ["iterative_reordering", *arguments], machine, options)


def crossing(matrix, nodes, order):
    """Bytes between nodes; `order`: the rank of every process."""
    process = {rank: one for one, rank in enumerate(order)}
    return sum(size for sender, row in enumerate(matrix) for receiver, size in enumerate(row)
               if nodes[process[sender]] != nodes[process[receiver]])


def check_record(name, prefix, told):
    with open(f"{prefix}_sizes.0.prof", encoding="utf-8") as file:
        matrix = [[int(word) for word in line.split()] for line in file]
    with open(f"{prefix}.order", encoding="utf-8") as file:
        order = [int(line) for line in file]
    if sorted(order) != list(range(RANKS)) or [len(row) for row in matrix] != [RANKS] * RANKS:
        raise Failure(f"recorded: {order}, {matrix}")
    if (moved := sum(rank != one for one, rank in enumerate(order))) != told:
        raise Failure(f"{moved} ranks have moved, {told} are reported")
    nodes = [int(place.rpartition("@p")[2]) for place in PLACES.get(name, CYCLIC).split(";")]
    before, after = (crossing(matrix, nodes, one) for one in (range(RANKS), order))
    if not after < before or (name == "groups" and after):
        raise Failure(f"{before} bytes between nodes before, {after} after, by {order} of {matrix}")


def test_pattern(mpirun, folder, name):
    with tempfile.TemporaryDirectory() as place:
        prefix = os.path.join(place, "traffic")
        output, status = run(mpirun, folder, name, ["--pattern", name, "--bytes", ",".join(map(str, SIZES)), "--iterations",
                                                    ",".join(map(str, COUNTS)), "--group", "4", "--record", prefix])
        if status != 0 or "\n0 wrong results" not in output:
            raise Failure(f"exit status {status}\n{output}")
        cells = re.findall(r"^(\d+) bytes, (\d+) iterations: t1 .*, (\d+) of 8 ranks moved", output, re.MULTILINE)
        if [(int(size), int(count)) for size, count, _ in cells] != [(size, count) for size in SIZES for count in COUNTS]:
            raise Failure(f"reports {cells}\n{output}")
        for size in SIZES:
            check_record(name, f"{prefix}-{size}", next(int(moved) for one, _, moved in cells if int(one) == size))


def test(mpirun, folder, name):
    if name in BAD:
        arguments, message = BAD[name]
        output, status = run(mpirun, folder, name, arguments)
        if status in (0, 77) or message not in output:
            raise Failure(f"exit status {status}\n{output}")
    elif name == "not_monitored":
        output, status = run(mpirun, folder, name, [], monitored=())
        if status != 77:
            raise Failure(f"exit status {status}, expected 77\n{output}")
    elif name == "left_out":
        output, status = run(mpirun, folder, name, ["--iterations", "1,1000000000", "--most-seconds", "1"])
        if status != 0 or re.findall(r"(\d+) iterations:", output) != ["1"]:
            raise Failure(f"exit status {status}\n{output}")
    else:
        test_pattern(mpirun, folder, name)


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:4]))
