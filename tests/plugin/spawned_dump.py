#!/usr/bin/env python3
"""A job's dump tells of that job, not of those that it starts with MPI_Comm_spawn and that have its parameters."""
import json
import os
import sys
import tempfile

from job import Failure, Paths, check, conclude, pretended, run

PARENTS, CHILDREN = 2, 3


def test(paths, expected):
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "job.json")
        outcome = run(paths, PARENTS, "spawn_merge", ["--children", str(CHILDREN)],
                      pretended(2, 2) | {"coll_strata_dump": dump, "btl": "self,vader,tcp", "btl_tcp_if_include": "lo"})
        check(outcome, lambda outcome: outcome.expect_success())
        with open(dump, encoding="utf-8") as file:
            ranks = json.load(file)["ranks"]
        if ranks != expected:
            raise Failure(f"the dump is of a job of {ranks} ranks, expected {expected}")
        if os.listdir(folder) != ["job.json"]:
            raise Failure(f"beside the dump there are {os.listdir(folder)}")


conclude(lambda: test(Paths(sys.argv[1]), int(sys.argv[2])))
