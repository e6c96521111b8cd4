#!/usr/bin/env python3
"""reordering.py MPIRUN FOLDER CASE.RANKS: new orders of ranks on synthetic nodes: errors by a table, and results."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "hardware"))

from hardware import PLAIN, Failure, conclude, cores, start  # noqa: E402

HEADER = os.path.join(HERE, "..", "..", "..", "introspection", "include", "MPIX_Reorder.h")


def table(name="errors.table"):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.split() for line in file if line.strip() and not line.startswith("#")]


def machine(ranks):
    """Consecutive ranks on nodes of four cores, or one node per rank."""
    return (1, 1) if ranks == 1 else (2, ranks // 2)


def run(mpirun, folder, ranks, arguments):
    output, status = start(mpirun, folder, ranks, arguments, {"TOPOLOGY": PLAIN, "PLACEMENT": cores(*machine(ranks))})
    if status != 0:
        raise Failure(f"exit status {status}\n{output}")
    return output


def check_errors(mpirun, folder, ranks, name="errors.table"):
    output = run(mpirun, folder, ranks, ["reorder_errors", os.path.join(HERE, name)])
    wanted = sum(int(line[3]) <= ranks for line in table(name))
    for rank in range(ranks):
        if f"reorder_errors: rank {rank}: {wanted} lines hold" not in output:
            raise Failure(f"rank {rank} did not check {wanted} lines\n{output}")


def check_results(mpirun, folder, ranks, *options):
    output = run(mpirun, folder, ranks, ["reorder_results", str(machine(ranks)[0]), *options])
    if "reorder_results: 0 failures" not in output:
        raise Failure(output)


def check_table(_mpirun, _folder, _ranks, name="errors.table"):
    """Tests that the table has exactly the errors that the header names for a function."""
    with open(HEADER, encoding="utf-8") as file:
        header = file.read()
    for function in ("reorder", "reorder_matrix", "redistribute"):
        contract = re.search(rf"Errors of (?i:\w*_{function}):(.*?)\*/", header, re.DOTALL)
        named = set(re.findall(r"MPI_ERR_([A-Z_]+)", contract.group(1) if contract else ""))
        reached = {line[4] for line in table(name) if line[0] == function} - {"SUCCESS"}
        if named - reached:
            raise Failure(f"{function}: the table lacks {sorted(named - reached)}")
        if reached - named:
            raise Failure(f"{function}: the header lacks {sorted(reached - named)}")


CASES = {"errors": check_errors, "results": check_results, "table": check_table,
         "can_fail_errors": lambda *job: check_errors(*job, "errors_wrong.table"),
         "can_fail_results": lambda *job: check_results(*job, "--sabotage"),
         "can_fail_table": lambda *job: check_table(*job, "errors_wrong.table")}


def test(mpirun, folder, case):
    name, _, ranks = case.partition(".")
    CASES[name](mpirun, folder, int(ranks or 1))


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:4]))
