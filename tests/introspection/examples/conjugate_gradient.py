#!/usr/bin/env python3
"""conjugate_gradient.py MPIRUN FOLDER CASE: tests that conjugate_gradient finds the published eigenvalues, in any order
of ranks, and only with the right matrix."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hardware"))

from hardware import PLAIN, Failure, conclude, start  # noqa: E402

MONITORED = ("--mca", "coll", "^strata", "--mca", "pml", "ob1,monitoring", "--mca", "pml_monitoring_enable", "1")
LINE = re.compile(r"^class (\w), (\d+) ranks: execution [0-9.]+ communication ([0-9.]+) mean ([0-9.]+) rank 0 "
                  r"([0-9.]+) reordering ([0-9.]+) data ([0-9.]+), (\d+) of \2 ranks moved, residual ([0-9.e+-]+) "
                  r"zeta ([0-9.]+), verified (yes|no)$", re.MULTILINE)
ZETA = {"S": 8.5971775078648, "W": 10.362595087124}
BAD = {"bad_class": (4, ["--class", "E"], "unknown class; known are S, W, A, B, C and D"),
       "bad_ranks": (3, [], "a power of two of processes is needed"),
       "bad_number": (2, ["--repeat", "0"], "--repeat expects a number from 1"),
       "bad_option": (2, ["--size", "5"], "options are --class")}


def cyclic(ranks):
    """Two nodes, ranks in turn: neighbours in a row of the grid are on different nodes."""
    return {"TOPOLOGY": PLAIN, "PLACEMENT": ";".join(f"{rank // 2}@p{rank % 2}" for rank in range(ranks))}


def run(mpirun, folder, ranks, arguments, options=()):
    return start(mpirun, folder, ranks, ["conjugate_gradient", *arguments], cyclic(ranks), options)


def results(mpirun, folder, ranks, arguments, options=(), count=1):
    """Returns the lines of a run that must be right, as matches."""
    output, status = run(mpirun, folder, ranks, arguments, options)
    found = list(LINE.finditer(output))
    if status != 0 or len(found) != count:
        raise Failure(f"{ranks} ranks: exit status {status}\n{output}")
    for one in found:
        slowest, mean, first = map(float, one.group(3, 4, 5))
        if int(one[2]) != ranks or not (first <= slowest and mean <= slowest + 1e-6) or (slowest > 0) != (ranks > 1):
            raise Failure(f"{ranks} ranks: reports\n{one[0]}")
        if abs(float(one[10]) / ZETA[one[1]] - 1) > 1e-10 or float(one[9]) > 1e-12 or one[11] != "yes":
            raise Failure(f"{ranks} ranks: wrong\n{one[0]}")
    return found


def test_class(mpirun, folder, letter, jobs, options=()):
    for ranks in jobs:
        for one in results(mpirun, folder, ranks, ["--class", letter, *options]):
            if one.group(1, 6, 7, 8) != (letter, "0.000000", "0.000000", "0"):
                raise Failure(f"reorders without being asked to\n{one[0]}")


def test_reordered(mpirun, folder, ranks):
    """The new order must bring the same bits, in each repetition."""
    before, = results(mpirun, folder, ranks, [])
    for after in results(mpirun, folder, ranks, ["--reorder", "--repeat", "2"], MONITORED, count=2):
        if after.group(9, 10) != before.group(9, 10):
            raise Failure(f"another result\n{before[0]}\n{after[0]}")
        if int(after[8]) == 0 or not (float(after[6]) > 0 and float(after[7]) > 0):
            raise Failure(f"no rank has moved\n{after[0]}")


def test_refused(mpirun, folder, name):
    ranks, arguments, message = BAD[name]
    for _ in range(3):  # MPICH's launcher may end before it has forwarded the output before MPI_Abort
        output, status = run(mpirun, folder, ranks, arguments)
        if status == 0 or message in output:
            break
    if status in (0, 1, 77) or message not in output:
        raise Failure(f"exit status {status}\n{output}")


def test_not_monitored(mpirun, folder):
    output, status = run(mpirun, folder, 2, ["--reorder"])
    if status != 77:
        raise Failure(f"exit status {status}, expected 77\n{output}")


def test(mpirun, folder, name):
    if name in BAD:
        test_refused(mpirun, folder, name)
    elif name == "not_monitored":
        test_not_monitored(mpirun, folder)
    elif name == "reordered":
        test_reordered(mpirun, folder, 4)
        test_reordered(mpirun, folder, 8)
    elif name == "wrong_shift":
        test_class(mpirun, folder, "S", (4,), ["--shift", "20"])
    else:
        test_class(mpirun, folder, *{"class_s": ("S", (1, 2, 4, 8)), "class_w": ("W", (4,))}[name])


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:4]))
