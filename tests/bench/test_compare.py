#!/usr/bin/env python3
"""Tests of the command bench/compare, and of runs that competitors share, without cluster or MPI."""

import csv
import json
import os
import shutil
import subprocess
import sys
import unittest

from fakes import ROOT, Folder

from strata_bench.compare import contenders
from strata_bench.measuring.cluster import Run
from strata_bench.measuring.series import Series
from strata_bench.measuring.shared_run import Account, Job, SharedRun


class Scripted:
    """Runs programs that write given texts; `errors` go through mpirun, and to a file per rank."""

    def __init__(self, errors, lines, by_rank=()):
        self._errors, self._lines, self._by_rank = errors, lines, by_rank

    def run(self, _places, _competitor, command, _log, _timeout):
        def option(name):
            return command[command.index(name) + 1]

        with open(option("--json"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in self._lines)
        for rank, errors in enumerate(self._by_rank):
            with open(f"{option('--errors')}.{rank}", "w", encoding="utf-8") as file:
                file.write(errors)
        return Run(0, 0.1, "", self._errors)


class Shared(Folder):
    def test_a_plugin_that_does_other_than_told_is_noticed(self):
        def told(name, plan, source="engine from info key strata_bcast_algorithm"):
            chosen, = contenders.make((name,), "plugins", {})
            errors = (f"[n0:1] coll:base:comm_select: new communicator: X (cid 5)\n"
                      "[n0:1] coll:base:comm_select: selecting strata, priority 5, Enabled\n"
                      f"[n0:1] coll:strata: why: {name} bcast of 8 bytes from rank 0: {plan}, predicted 1 us: "
                      f"{source}\n")
            series = {name: Series()}
            job = Job("bcast", "0", {name: (8,)}, series)
            runner = Scripted(errors, [{"contender": name, "communicator": 5},
                                       {"cell": 0, "contender": name, "size": 8, "bytes": 8, "wrong_bytes": 0,
                                        "left_early": 0, "times": [1.0]}])
            SharedRun(runner, "program", (), (), self.folder).measure([chosen], [job], 1, "x", 10, True)
            return series[name].failure or series[name].absent

        self.assertEqual(told("levels", "levels (node tuned/0)"), "")
        self.assertIn("ignored its settings", told("levels", "levels (node tuned/0)", "set by the user"))
        self.assertEqual(told("ring", "tree (node flat/0)"), "it cannot do that here, and uses tree")
        self.assertEqual(told("strata", "forward"), "")
        self.assertEqual(told("rails", "rails (node flat/0) in 2 rails"), "")
        self.assertEqual(told("nodes", "tree (cluster chain/0, node flat/0)"), "")
        self.assertIn("ignored its settings", told("nodes", "tree (cluster chain/0, switch chain/0, node flat/0)"))
        self.assertEqual(told("flat", "tree (cluster chain/0)"), "")
        self.assertIn("ignored its settings", told("flat", "tree (cluster chain/0, node flat/0)"))


    def test_each_rank_tells_in_a_file_of_its_own(self):
        """The log is read, and becomes part of the run's log."""
        chosen, = contenders.make(("tuned",), "plugins", {})
        line = "[n{}:1] coll:base:comm_select: {}\n"

        def told(*components):
            by_rank = [line.format(rank, "new communicator: X (cid 5)") +
                       line.format(rank, f"selecting {component}, priority 5, Enabled").rstrip("\n")
                       for rank, component in enumerate(components)]
            series = {"tuned": Series()}
            runner = Scripted("mpirun's last words\n", [
                {"contender": "tuned", "communicator": 5},
                {"cell": 0, "contender": "tuned", "size": 8, "bytes": 8, "wrong_bytes": 0, "left_early": 0,
                 "times": [1.0]}], by_rank)
            job = Job("bcast", "0", {"tuned": (8,)}, series)
            SharedRun(runner, "program", (), (), self.folder).measure([chosen], [job], 1, "x", 10, True)
            with open(os.path.join(self.folder, "logs", "x.err"), encoding="utf-8") as file:
                self.assertEqual(file.read().splitlines(), "".join(one + "\n" for one in by_rank).splitlines()
                                 + ["mpirun's last words"])
            self.assertFalse([name for name in os.listdir(os.path.join(self.folder, "logs")) if ".errors" in name])
            return series["tuned"].failure or series["tuned"].absent

        self.assertEqual(told("tuned", "tuned"), "")
        self.assertEqual(told("tuned", "han"), "its communicator is served by han, tuned")
        self.assertEqual(told("han"), "its communicator is served by han")


class Selection(unittest.TestCase):
    """The component that serves a communicator, from logs with missing lines."""

    def serving(self, *by_process):
        return Account("\n".join(f"[n0:{process}] coll:base:comm_select: {line}"
                                 for process, lines in enumerate(by_process) for line in lines)).serving(5)

    NEW = ("new communicator: X (cid 5)", "Checking all available modules")
    BASIC = "selecting      basic, priority  10, Enabled"
    TUNED = "selecting      tuned, priority  30, Enabled"
    WHOLE = (*NEW, BASIC, TUNED)

    def test_the_last_that_is_selected_serves(self):
        self.assertEqual(self.serving(self.WHOLE, self.WHOLE), {"tuned"})
        self.assertEqual(self.serving((*self.NEW, self.TUNED, self.BASIC)), {"basic"})
        self.assertEqual(self.serving((*self.WHOLE, "selecting        sm, priority   0, Disabled")), {"tuned"})
        self.assertEqual(self.serving(self.NEW), set())

    def test_a_missing_line_makes_no_difference(self):
        self.assertEqual(self.serving(self.WHOLE, (*self.NEW, self.BASIC)), {"tuned"})
        self.assertEqual(self.serving((*self.NEW, self.BASIC), self.WHOLE), {"tuned"})
        self.assertEqual(self.serving(self.WHOLE, self.WHOLE[1:]), {"tuned"})

    def test_the_lines_of_a_communicator_whose_name_is_missing_are_not_those_of_the_one_before(self):
        self.assertEqual(self.serving((*self.WHOLE, *self.NEW[1:], self.BASIC)), {"tuned"})

    def test_processes_that_tell_of_others_differ(self):
        without = (*self.NEW, "component not available: tuned", self.BASIC)
        self.assertEqual(self.serving(self.WHOLE, without), {"basic", "tuned"})
        disabled = (*self.NEW, "selecting      tuned, priority  30, Disabled", self.BASIC)
        self.assertEqual(self.serving(disabled, self.WHOLE), {"basic", "tuned"})
        self.assertEqual(self.serving(self.WHOLE, (*self.NEW, self.TUNED, self.BASIC)), {"basic", "tuned"})

    def test_a_number_that_is_used_again_is_that_of_the_last(self):
        self.assertEqual(self.serving((*self.NEW, self.TUNED, *self.NEW, self.BASIC)), {"basic"})


class Command(Folder):
    """The whole command with a launcher that makes artificial times."""

    def setUp(self):
        super().setUp()
        for name in ("bench/collective_latency", "bench/relay", "plugin/mca_coll_strata.so"):
            path = os.path.join(self.folder, "build", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
        self.results = os.path.join(self.folder, "results")

    def compare(self, mode, *options, runs=0, names="tuned,composed"):
        environment = {**os.environ, "STRATA_FAKE": mode, "STRATA_FAKE_RUNS": str(runs),
                       "STRATA_FAKE_COUNT": os.path.join(self.folder, "count")}
        fake = os.path.join(os.path.dirname(os.path.realpath(__file__)), "fake_launcher.py")
        call = [os.path.join(ROOT, "bench", "compare"), "--build", os.path.join(self.folder, "build"),
                "--launcher", f"{sys.executable} {fake}", "--results", self.results, "--rounds", "2",
                "--sizes", "8,1K", "--orders", "block", "--with", names, "--op", "bcast,barrier", *options]
        done = subprocess.run(call, env=environment, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def judged(self, mode, **more):
        return self.compare(mode, "--gate", "--no-plots", **more)

    def test_good_times_pass(self):
        status, output = self.compare("good", "--gate")
        self.assertEqual(status, 0, output)
        self.assertIn("PASSED", output)
        if shutil.which("gnuplot"):
            self.assertIn("bcast.svg", os.listdir(self.results))
        with open(os.path.join(self.results, "table.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["contender"] for row in rows}, {"tuned", "strata", "composed"})
        self.assertEqual({(row["size"], row["median_ms"]) for row in rows
                          if row["contender"] == "strata" and row["operation"] == "barrier"}, {("0", "0.10085")})
        self.assertEqual({row["repetitions"] for row in rows}, {"30", "6"})  # the others are out after a round
        with open(os.path.join(self.results, "measurements.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["verdict"], "passed")

    def test_violations_fail(self):
        for mode, *texts in (("slow", "x tuned"), ("guideline", "x Scatter + Allgather", "x Allreduce of 1 byte"),
                             ("monotony", "x Bcast of 1 KiB")):
            status, output = self.compare(mode, "--gate", "--anew", "--no-plots")
            self.assertEqual(status, 1, output)
            for text in ("VIOLATIONS", *texts):
                self.assertIn(text, output)
        status, output = self.compare("monotony", "--no-plots")
        self.assertEqual(status, 0, f"without --gate nothing is judged: {output}")

    def test_a_violation_that_does_not_repeat_passes(self):
        status, output = self.judged("once", runs=2)  # both cells in two rounds
        self.assertEqual(status, 0, output)
        self.assertIn("Suspected and not confirmed", output)

    def test_noise_passes(self):
        status, output = self.judged("noisy")
        self.assertEqual((status, "Suspected" in output), (0, False), output)

    def test_a_difference_in_one_launch_passes(self):
        status, output = self.judged("one-launch")
        self.assertEqual((status, "Suspected" in output), (0, False), output)

    def test_wrong_data_fails(self):
        status, output = self.compare("broken", "--no-plots")
        self.assertEqual(status, 1, output)
        self.assertIn("wrong bytes", output)
        self.assertNotIn("tuned, Bcast", output)

    def test_who_crashes_is_told_and_the_others_go_on(self):
        status, output = self.judged("crash", names="tuned,han,composed")
        self.assertEqual((status, "PASSED" in output), (3, False), output)
        self.assertIn("Not compared: tuned, ", output)
        self.assertIn("2 not compared with tuned", output)
        self.assertIn("exit status 139", output)
        with open(os.path.join(self.results, "table.csv"), encoding="utf-8") as file:
            found = {(row["contender"], row["operation"]): row["repetitions"] for row in csv.DictReader(file)}
        self.assertEqual({name for (name, _), count in found.items() if count == "0"}, {"tuned"})
        self.assertEqual(found["strata", "bcast"], "30")

    def test_nobody_passes_against_nobody(self):
        for names in ("tuned", "composed"):  # tuned is always one of the gate's
            status, output = self.judged("crash", names=names)
            self.assertEqual((status, "PASSED" in output), (3, False), output)
            shutil.rmtree(self.results)

    def test_who_fails_beside_others_alone_is_the_plugin(self):
        status, output = self.compare("hang", "--no-plots")
        self.assertEqual(status, 1, output)
        self.assertIn("FAILED: strata", output)
        self.assertIn("fails beside others, not alone", output)

    def test_keys_that_are_not_received_are_noticed(self):
        names = "tuned,han,levels,nodes,flat"
        status, output = self.compare("good", "--no-plots", names=names)
        self.assertEqual((status, "ot compared" in output, "FAILED" in output), (0, False, False), output)
        status, output = self.compare("deaf", "--no-plots", "--anew", names=names)
        self.assertEqual(status, 1, output)
        self.assertIn("Not compared: han, 2 cells", output)
        self.assertIn("its communicator is served by tuned", output)
        self.assertIn("FAILED: strata", output)

    def test_a_plugin_where_it_should_not_be_is_noticed(self):
        status, output = self.compare("stray", "--no-plots")
        self.assertEqual(status, 1, output)
        self.assertIn("the plugin serves communicators that are not its own: [99]", output)

    def test_it_goes_on_where_it_was(self):
        self.assertEqual(self.judged("good")[0], 0)
        status, output = self.judged("slow")  # would fail if anything was measured
        self.assertEqual(status, 0, output)
        status, output = self.compare("good", "--gate", "--no-plots", "--reps", "12")
        self.assertEqual(status, 1, output)
        self.assertIn("was measured with reps 30, now wanted is 12", output)

    def test_the_grid_has_clusters_of_its_own(self):
        status, output = self.compare("good", "--grid")
        self.assertEqual(status, 1, output)
        self.assertIn("--grid makes its own clusters", output)

    def test_a_launcher_that_is_not_there(self):
        status, output = self.compare("good", "--launcher", "no-such-mpirun")
        self.assertEqual(status, 1, output)
        self.assertIn("no program 'no-such-mpirun'", output)


if __name__ == "__main__":
    unittest.main()
