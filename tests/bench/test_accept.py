#!/usr/bin/env python3
"""Tests of bench/accept with artificial jobs."""

import contextlib
import io
import json
import os
import subprocess
import unittest
from types import SimpleNamespace
from unittest import mock

from fakes import Folder

from strata_bench.accept import checks, command_line, page
from strata_bench.accept.checks import Check, Result
from strata_bench.measuring import competitors
from strata_bench.measuring.cluster import ClusterError

PLUGIN = competitors.strata("plugins", {})
BUILT = SimpleNamespace(program="collective_latency", tool=lambda name: name, plugin_folder="plugins")


class Jobs:
    """Runs nothing. `picture` is the job's dump; None: there is none."""

    kept = False

    def __init__(self, picture=None, fails=""):
        self.picture, self.fails, self.count = picture, fails, 0

    def run(self, _places, contender, program, log, timeout):
        self.count += 1
        words = dict(zip(contender.options[1::3], contender.options[2::3]))
        if self.picture is not None and "coll_strata_dump" in words:
            with open(words["coll_strata_dump"], "w", encoding="utf-8") as file:
                file.write(self.picture)

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
        self.assertIn("no harm; one on several nodes", self.on(picture=picture("forward")).lines[-1])

    def test_not_on(self):
        for jobs in ({}, {"picture": '{"communicators": []}'}, {"picture": "no JSON"}, {"fails": "it crashed"}):
            self.assertEqual(self.on(**jobs).result, Result.FAILED, jobs)

    def test_messages_about_the_plugin_fail(self):
        class Complaining(Jobs):
            def run(self, places, contender, program, log, timeout):
                with open(log + ".err", "w", encoding="utf-8") as file:
                    label = "[a-node@1,0]<stderr>: "
                    for line in (74 * "-", f"coll/strata does not understand {self.about}", 74 * "-"):
                        file.write(label + line.replace("coll/strata", self.who) + "\n")
                return super().run(places, contender, program, log, timeout)
            about, who = "these parameters", "coll/strata"
        jobs = Complaining(picture=picture("tree"))
        found = checks.on(jobs, PLUGIN, BUILT, self.folder)
        self.assertEqual(found.result, Result.FAILED)
        self.assertIn("does not understand these parameters", found.lines[0])
        jobs.who = "btl/tcp"
        self.assertEqual(checks.on(jobs, PLUGIN, BUILT, self.folder).result, Result.PASSED)

    def start(self, seconds, **jobs):
        """`seconds` are those of jobs with the plugin; others take none."""
        jobs = Jobs(**jobs)
        clock = {"now": 0.0}
        run = jobs.run

        def timed(places, contender, program, log, timeout):
            clock["now"] += seconds[sum(jobs.plugins)] if contender.is_plugin else 0
            jobs.plugins.append(contender.is_plugin)
            return run(places, contender, program, log, timeout)
        jobs.plugins, jobs.run = [], timed
        with mock.patch.object(checks.time, "monotonic", lambda: clock["now"]):
            return checks.start(jobs, PLUGIN, BUILT, self.folder, 3, lambda _: None), jobs

    def test_start(self):
        found, jobs = self.start([0.9, 5, 0.9])
        self.assertEqual((found.result, jobs.count, jobs.plugins[:4]), (Result.PASSED, 6, [False, True, True, False]))
        found, jobs = self.start([2, 2, 2, 0.5, 0.5, 0.5, 0.5])  # looks slower at first
        self.assertEqual((found.result, jobs.count), (Result.FAILED, 12))
        found, jobs = self.start([2, 2, 0.2, 0.5, 0.5, 0.5, 0.5])
        self.assertEqual((found.result, jobs.count), (Result.PASSED, 12))
        lines = self.start([0] * 9, fails="no slots")[0].lines
        self.assertEqual(lines[0], "a job without the plugin: no slots")
        self.assertRegex(lines[1], r"^output of the job: .*/logs/start-without-0\.err$")


class Command(Folder):
    def accept(self, verdict, jobs=None, arguments=()):
        """Returns the status, the arguments of the comparison, and the page."""
        asked = []

        def compare(words):
            asked.append(words)
            own = words[words.index("--results") + 1]
            os.makedirs(own, exist_ok=True)
            for name, text in (("summary.txt", "2.00 times as fast\n"), ("table.txt", "1 < 2\n")):
                with open(os.path.join(own, name), "w", encoding="utf-8") as file:
                    file.write(text)
            if verdict:
                with open(os.path.join(own, "measurements.json"), "w", encoding="utf-8") as file:
                    json.dump({"verdict": verdict}, file)
            return 1
        results = os.path.join(self.folder, "results")
        runner = mock.MagicMock()
        runner.__enter__.return_value = jobs or Jobs(picture=picture("tree"))
        with mock.patch.multiple(command_line.command, build_folder=lambda *_: "build", Built=lambda _: BUILT), \
                mock.patch.multiple(command_line.place, of=lambda *_: runner, build_digest=lambda _: "digest"), \
                mock.patch.object(command_line.compare, "main", compare), contextlib.redirect_stdout(io.StringIO()):
            status = command_line.main(["--results", results, "--launcher", "srun -n 4", *arguments])
        with open(os.path.join(results, "acceptance.html"), encoding="utf-8") as file:
            return status, asked, file.read()

    def test_verdicts(self):
        for verdict, status in (("passed", 0), ("failed", 1), ("unfinished", 3), ("", 3)):
            found, asked, text = self.accept(verdict)
            self.assertEqual((found, len(asked)), (status, 1), verdict)
            self.assertIn(f"<h1>coll/strata: {('accepted', 'NOT ACCEPTED', '', 'undecided')[status]}</h1>", text)
            self.assertIn("--launcher &#x27;srun -n 4&#x27;", text)

    def test_not_on(self):
        status, asked, text = self.accept("passed", Jobs())
        self.assertEqual((status, asked), (1, []))
        self.assertIn("the job did not use the plugin", text)

    def test_without_a_build_it_is_undecided(self):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            status = command_line.main(["--launcher", "srun", "--build", self.folder, "--results", self.folder + "/results"])
        self.assertEqual(status, 3)
        self.assertIn("collective_latency is missing", printed.getvalue())

    def test_the_comparison_gets_the_options_and_goes_on_with_its_own_folder_only(self):
        words = ["--minutes", "7", "--op", "bcast", "--sizes", "8,64K", "--parameter", "window=5"]
        first = self.accept("unfinished", arguments=words)[1][0]
        for name, value in (("--minutes", "7"), ("--op", "bcast"), ("--sizes", "8,65536"), ("--orders", "block,shuffle"),
                            ("--parameter", "window=5"), ("--launcher", "srun -n 4"), ("--build", "build"),
                            ("--with", "tuned,han")):
            self.assertEqual(first[first.index(name) + 1], value)
        again = self.accept("passed", arguments=[*words[2:], "--minutes", "9"])[1][0]
        other = self.accept("passed", arguments=[*words, "--parameter", "nic=none"])[1][0]
        folders = [words[words.index("--results") + 1] for words in (first, again, other)]
        self.assertEqual(folders[0], folders[1])
        self.assertNotEqual(folders[0], folders[2])


class Page(unittest.TestCase):
    def test_the_worst_result_decides(self):
        passed, failed, undecided = (Check("speed", result, ("<found>\nmore",)) for result in
                                     (Result.PASSED, Result.FAILED, Result.UNDECIDED))
        self.assertEqual(page.text([passed], (), "")[0], "coll/strata: accepted")
        self.assertEqual(page.text([passed, undecided], (), "")[0], "coll/strata: undecided")
        self.assertEqual(page.text([undecided, failed, passed], (), "")[0], "coll/strata: NOT ACCEPTED")
        self.assertIn(" " * 22 + "more", page.text([passed], (), ""))
        text = page.as_html([failed], (("command", "a 'b'"),), "/etc", {"Times": ["1 < 2"]})
        for part in ("<h1>coll/strata: NOT ACCEPTED</h1>", "&lt;found&gt;", "<pre>1 &lt; 2</pre>", "coll = ^strata"):
            self.assertIn(part, text)
        self.assertNotRegex(text, r"(src|href)=")  # no other files

    def test_tables_stand_once_in_html(self):
        check = Check("speed", Result.PASSED, ("nowhere slower",), ("Bcast   1.00",))
        self.assertIn(" " * 22 + "Bcast   1.00", page.text([check], (), "/etc"))
        self.assertEqual(page.as_html([check], (), "/etc", {"Summary": check.table}).count("Bcast   1.00"), 1)


class Back(Folder):
    def test_the_printed_command_works_on_a_file_without_a_last_newline(self):
        file = os.path.join(self.folder, "openmpi-mca-params.conf")
        with open(file, "w", encoding="utf-8") as parameters:
            parameters.write("osc = ^ucx,pt2pt")  # as on Debian 12
        line = next(line for line in page.back(self.folder) if line.startswith("all users"))
        subprocess.run(line.removeprefix("all users").strip(), shell=True, check=True)
        with open(file, encoding="utf-8") as parameters:
            self.assertEqual(parameters.read().split("\n"), ["osc = ^ucx,pt2pt", "coll = ^strata", ""])


if __name__ == "__main__":
    unittest.main()
