#!/usr/bin/env python3
"""Tests of bench/accept with artificial jobs."""

import json
import os
import time
import unittest
from types import SimpleNamespace
from unittest import mock

from fakes import Folder

from strata_bench.accept import checks, command_line, page
from strata_bench.accept.checks import Check, Result
from strata_bench.measuring import competitors
from strata_bench.measuring.cluster import ClusterError

PLUGIN = competitors.strata("plugins", {})
BUILT = SimpleNamespace(program="collective_latency", tool=lambda name: name)


class Jobs:
    """Runs nothing. `picture` is what the job draws, None: nothing; `slower` are seconds more with the plugin."""

    def __init__(self, picture=None, slower=0.0, fails=""):
        self.picture, self.slower, self.fails, self.count = picture, slower, fails, 0

    def run(self, _places, contender, program, log, timeout):
        self.count += 1
        words = dict(zip(contender.options[1::3], contender.options[2::3]))
        if self.picture is not None and "coll_strata_dump" in words:
            with open(words["coll_strata_dump"], "w", encoding="utf-8") as file:
                file.write(self.picture)
        if contender.is_plugin and program[0].endswith("start_cost"):
            time.sleep(self.slower)

        def require_success():
            if self.fails:
                raise ClusterError(self.fails)
        return SimpleNamespace(require_success=require_success)


def picture(*paths):
    calls = [{"path": path, "calls": 3, "why": f"why of {path}"} for path in paths]
    return json.dumps({"ranks": 4, "levels": [{"kind": "node", "groups": [1, 2]}],
                       "communicators": [{"name": "MPI_COMM_WORLD", "calls": calls}]})


class Checks(Folder):
    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.folder, "logs"), exist_ok=True)

    def on(self, **jobs):
        return checks.on(Jobs(**jobs), PLUGIN, BUILT, self.folder)

    def test_on(self):
        found = self.on(picture=picture("tree", "forward"))
        self.assertEqual(found.result, Result.PASSED)
        self.assertEqual(found.lines, ("4 processes; levels: 2 node", "3 of 6 calls of Allreduce served",
                                       "passed through: why of forward"))

    def test_not_on(self):
        for jobs in ({}, {"picture": '{"communicators": []}'}, {"picture": "no JSON"}, {"fails": "it crashed"}):
            self.assertEqual(self.on(**jobs).result, Result.FAILED, jobs)

    def test_start(self):
        with mock.patch.object(checks, "MORE_SECONDS", 0.05):
            for slower, result in ((0, Result.PASSED), (0.2, Result.FAILED)):
                jobs = Jobs(slower=slower)
                found = checks.start(jobs, PLUGIN, BUILT, self.folder, 2, lambda _: None)
                self.assertEqual((found.result, jobs.count), (result, 4))
        self.assertEqual(checks.start(Jobs(fails="no slots"), PLUGIN, BUILT, self.folder, 2, lambda _: None).lines,
                         ("a job without the plugin: no slots",))

    def test_the_speed_is_what_compare_judges(self):
        options = command_line.make_parser().parse_args(["--launcher", "srun -n 4", "--minutes", "7", "--op", "bcast",
                                                         "--sizes", "8,64K", "--parameter", "window=5"])
        for status, result in ((0, Result.PASSED), (1, Result.FAILED), (3, Result.UNFINISHED), (130, Result.FAILED)):
            with mock.patch.object(command_line.compare, "main", return_value=status) as compare:
                found, tables = command_line._speed(options, "build", self.folder)
            self.assertEqual((found.result, tables), (result, {}))
            arguments = compare.call_args[0][0]
            self.assertEqual(arguments[:7], ["--gate", "--minutes", "7", "--op", "bcast", "--sizes", "8,65536"])
            self.assertEqual(arguments[-4:], ["--launcher", "srun -n 4", "--parameter", "window=5"])


class Page(unittest.TestCase):
    def test_the_worst_result_decides(self):
        passed, failed, unfinished = (Check("speed", result, ("<found>",)) for result in
                                      (Result.PASSED, Result.FAILED, Result.UNFINISHED))
        self.assertEqual(page.text([passed])[0], "coll/strata: accepted")
        self.assertEqual(page.text([passed, unfinished])[0], "coll/strata: not finished: the same command goes on")
        self.assertEqual(page.text([unfinished, failed, passed])[0], "coll/strata: NOT ACCEPTED")
        text = page.as_html([failed], "bench/accept --launcher 'a b'", {"Times": ["1 < 2"]})
        for part in ("<h1>coll/strata: NOT ACCEPTED</h1>", "&lt;found&gt;", "<pre>1 &lt; 2</pre>", "coll = ^strata"):
            self.assertIn(part, text)
        self.assertNotRegex(text, r"(src|href)=")  # no other files


if __name__ == "__main__":
    unittest.main()
