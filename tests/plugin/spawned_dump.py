#!/usr/bin/env python3
"""Tests that a job's dump covers only that job, not the jobs that it starts with MPI_Comm_spawn and that share its
parameters: these run in another folder here and write no dump. With "parents" the job itself runs there, which the
test must detect."""
import json
import os
import sys
import tempfile

from job import Failure, Paths, check, conclude, synthetic, run

PARENTS, CHILDREN = 2, 3
NAME = "job.json"


def test(paths, who):
    with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as other:
        of_parents, of_children = (other, other) if who == "parents" else (own, other)
        outcome = run(paths, PARENTS, "spawn_merge", ["--children", str(CHILDREN), "--folder", of_children],
                      synthetic(2, 2) | {"coll_strata_dump": NAME, "coll_strata_setup_after": "0",
                                         "btl": "self,vader,tcp", "btl_tcp_if_include": "lo"},
                      options=["-wdir", of_parents])
        check(outcome, lambda outcome: outcome.expect_success())
        if os.listdir(other):
            raise Failure(f"the children have written {os.listdir(other)}")
        if os.listdir(own) != [NAME]:
            raise Failure(f"the job has written {os.listdir(own)}, expected {NAME}")
        with open(os.path.join(own, NAME), encoding="utf-8") as file:
            ranks = json.load(file)["ranks"]
        if ranks != PARENTS:
            raise Failure(f"the dump is of a job of {ranks} ranks, expected {PARENTS}")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
