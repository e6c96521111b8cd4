#!/usr/bin/env python3
"""Tests of all of bench/tune on an artificial cluster. Usage: test_tune.py [RULES_VERDICT]"""

import csv
import json
import os
import subprocess
import sys
import unittest

from fakes import ROOT, Folder

import fake_model
from strata_bench.tune.plans import IN_FORCE

HERE = os.path.dirname(os.path.realpath(__file__))


class Command(Folder):
    """The whole command on the artificial cluster."""

    def setUp(self):
        super().setUp()
        for name in ("bench/collective_latency", "bench/relay", "bench/link_probe", "plugin/mca_coll_strata.so"):
            path = os.path.join(self.folder, "build", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
        os.makedirs(os.path.join(self.folder, "build", "bin"))
        topo = os.path.join(self.folder, "build", "bin", "strata-topo")
        with open(topo, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {sys.executable} -S -E {HERE}/fake_topo.py "$@"\n')
        os.chmod(topo, 0o755)
        self.results = os.path.join(self.folder, "results")
        self.count = os.path.join(self.folder, "count")
        self.rules = os.path.join(self.results, "lab-rules.json")

    def tune(self, *options, mode="good", seed=1, program=(os.path.join(ROOT, "bench", "tune"), "--no-plots"),
             **variables):
        environment = {**os.environ, "STRATA_FAKE": mode, "STRATA_FAKE_SEED": str(seed),
                       "STRATA_FAKE_COUNT": self.count, **variables}
        call = [*program, "--build", os.path.join(self.folder, "build"), "--launcher",
                f"{sys.executable} -S -E {HERE}/fake_tuned_job.py", "--results", self.results, "--site", "lab", "--op",
                "bcast,barrier", "--sizes", "8,64,1K,16K,128K,1M", *options]
        done = subprocess.run(call, env=environment, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def started(self):
        """Returns the number of jobs so far."""
        with open(self.count, encoding="utf-8") as file:
            return file.read().splitlines()

    def in_force(self, size, operation="bcast"):
        return fake_model.chosen(fake_model.load(self.rules), operation, size)

    def check_file(self):
        """Checks by the schema and by the plugin's own parser."""
        if VERDICT:
            done = subprocess.run([VERDICT, self.rules], text=True, capture_output=True, check=True)
            self.assertEqual(done.stdout, "accepted\n")
        try:
            import jsonschema
        except ImportError:
            return
        with open(os.path.join(ROOT, "mca-params", "strata-rules.schema.json"), encoding="utf-8") as file:
            jsonschema.Draft202012Validator(json.load(file)).validate(fake_model.load(self.rules))

    def test_it_finds_what_is_better(self):
        status, output = self.tune()
        self.assertEqual(status, 0, output)
        self.assertEqual([self.in_force(size) for size in (8, 64, 200, 1024, 16384, 131072, 500000, 1 << 20)],
                         ["small", "small", "small", "near", "near", "large", "large", "large"])
        self.assertEqual(self.in_force(0, "barrier"), "small")
        self.assertEqual([self.in_force(size) for size in (4, 2 << 20)], ["near", "near"], "beyond what was measured")
        written = fake_model.load(self.rules)
        self.assertEqual(len(written["rules"]), 3, "neighbouring sizes share a rule")
        skips = [{"level": "numa", "algorithm": "skip"}]
        self.assertEqual([[entry for entry in rule["levels"] if entry["level"] == "numa"] for rule in written["rules"]],
                         [[], skips, []])
        self.assertEqual([entry["level"] for entry in written["links"]], ["cluster", "node"])
        self.check_file()
        self.assertAlmostEqual(written["links"][0]["latency_us"], fake_model.LATENCY_US, delta=2)
        with open(os.path.join(self.results, "lab.conf"), encoding="utf-8") as file:
            self.assertIn(f"\ncoll_strata_rules={self.rules}\n", file.read())
        with open(os.path.join(self.results, "table.csv"), encoding="utf-8") as file:
            chosen = {(row["operation"], row["bytes"]): row["plan"] for row in csv.DictReader(file)
                      if row["chosen"] == "1"}
        self.assertEqual(chosen["bcast", "8"], "tree linear")
        with open(os.path.join(self.results, "report.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("% less time, intervals apart", text)
        self.assertRegex(text, r"cluster \| 1 \| latency_us \| .* \| 77.5 \|")

    def test_a_second_run_is_not_worse(self):
        times = []
        for seed in range(1, 5):
            status, output = self.tune(seed=seed)
            self.assertEqual(status, 0, output)
            times.append([fake_model.true_us(self.in_force(size), size) for size in (8, 64, 1024, 16384, 131072,
                                                                                     1 << 20)])
        for before, after in zip(times, times[1:]):
            self.assertTrue(all(new <= old for old, new in zip(before, after)), times)
        self.assertEqual(sum("link_probe" in line for line in self.started()), 1, "the file tells the links")
        self.assertIn("0 choices changed", output)

    def test_links_that_mislead_the_model_are_left_out(self):
        """Under the measured links small messages take 1.3 times as long, large ones less, for which the
        tuner still finds the gain."""
        status, output = self.tune(mode="misled")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"links the model's choices took \d.\d% more time, in the mean of 7 cells .* left out")
        self.assertEqual(fake_model.load(self.rules)["links"], [])
        self.assertEqual([self.in_force(size) for size in (8, 64, 1024, 16384, 131072, 1 << 20)],
                         ["small", "small", "near", "near", "large", "large"])
        self.check_file()

    def test_links_that_help_are_in_force(self):
        status, output = self.tune("--sizes", "16K,128K,256K,1M", "--op", "bcast", mode="misled")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"choices took \d+.\d% less time, in the mean of 4 cells .* in force")
        self.assertEqual(len(fake_model.load(self.rules)["links"]), 2)
        with open(os.path.join(self.results, "measurements.json"), encoding="utf-8") as file:
            shares = json.load(file)["shares"]
        self.assertLess(shares["before"]["5%"]["count"], shares["after"]["5%"]["count"])

    def test_equals_change_nothing(self):
        """Times differ by 3 % from job to job."""
        for seed in range(1, 5):
            status, output = self.tune(mode="equal", seed=seed)
            self.assertEqual(status, 0, output)
            self.assertIn("\n0 choices changed", output)

    def test_forward_is_no_rule_where_it_hangs_on_the_order(self):
        """The second best is."""
        self.assertEqual(self.tune(mode="forward")[0], 0)
        self.assertEqual((self.in_force(8), self.in_force(1 << 20)), ("forward", "forward"))
        os.unlink(self.rules)
        status, output = self.tune(mode="order")
        self.assertEqual((status, self.in_force(8), self.in_force(1 << 20)), (0, "small", "large"), output)
        with open(os.path.join(self.results, "report.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("; ranks in block order, root 0.", text)
        self.assertIn("forward depends on the order of the ranks: with cyclic order the model expects", text)

    def test_a_choice_that_became_bad_is_replaced(self):
        self.assertEqual(self.tune()[0], 0)
        written = fake_model.load(self.rules)
        for rule in written["rules"]:
            rule["engine"] = "forward"
        written["rules"].append({"collective": "reduce", "engine": "tree", "ranks": {"from": 8, "below": 9}})
        with open(self.rules, "w", encoding="utf-8") as file:
            json.dump(written, file)
        status, output = self.tune(seed=2)
        self.assertEqual((status, self.in_force(8), self.in_force(1 << 20)), (0, "small", "large"), output)
        self.assertEqual(fake_model.load(self.rules)["rules"][-1], written["rules"][-1])

    def test_check(self):
        status, output = self.tune("--check")
        self.assertEqual(status, 1, output)
        self.assertIn("2 of 7 cells", output)
        self.assertFalse(os.path.exists(self.rules))
        self.assertEqual(self.tune("--check", "--cells", "20%")[0], 0)
        self.assertEqual(self.tune("--check", "--within", "60%")[0], 0)
        self.assertEqual(self.tune()[0], 0)
        status, output = self.tune("--check", "--within", "5%", seed=3)
        self.assertEqual(status, 0, output)
        self.assertIn("7 of 7 cells (100%) within 5% of the best", output)
        self.assertEqual(self.tune("--check", "--rules", "none")[0], 1)

    def test_it_goes_on_where_it_was(self):
        status, output = self.tune("--op", "bcast", mode="die")
        self.assertEqual(status, 128 + 15, output)
        interrupted = self.started()
        self.assertEqual(sum("link_probe" in line for line in interrupted), 1)
        status, output = self.tune("--op", "bcast")
        self.assertEqual(status, 0, output)
        self.assertEqual(sum("link_probe" in line for line in self.started()), 1)
        self.assertEqual(self.in_force(8), "small")

    def test_rules_that_do_not_check_out(self):
        """Nothing is written or in force, and nothing is lost."""
        status, output = self.tune(mode="unruly")
        self.assertEqual(status, 1, output)
        self.assertIn("PROBLEM: bcast-8: the rules would choose", output)
        self.assertIn("choices would change, but", output)
        self.assertFalse(os.path.exists(self.rules))
        with open(os.path.join(self.results, "report.md"), encoding="utf-8") as file:
            texts = output, file.read()
        for text in texts:
            self.assertNotIn("After:", text)
            self.assertNotIn("choices changed", text)
        self.assertNotIn(", now ", output)
        with open(os.path.join(self.results, "measurements.json"), encoding="utf-8") as file:
            self.assertEqual(list(json.load(file)["shares"]), ["before"])
        jobs = self.started()
        status, output = self.tune()
        self.assertEqual((status, self.in_force(8)), (0, "small"), output)
        again = self.started()[len(jobs):]
        self.assertEqual(again, ["collective_latency bcast 1 1"], "nothing but the look at the hierarchy")

    def check_it_goes_on(self):
        """After an interruption all files appear, and nothing is measured again."""
        before = self.started()
        status, output = self.tune()
        self.assertEqual((status, self.in_force(8)), (0, "small"), output)
        self.assertIn("5 choices changed", output)
        self.assertEqual(self.started()[len(before):], ["collective_latency bcast 1 1"])
        for name in ("lab.conf", "report.md", "measurements.json"):
            self.assertTrue(os.path.exists(os.path.join(self.results, name)), name)
        self.assertFalse(os.path.exists(os.path.join(self.results, "cells")))

    def test_it_goes_on_where_files_were_written(self):
        gnuplot = os.path.join(self.folder, "gnuplot")
        with open(gnuplot, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nkill -TERM $PPID\nexec sleep 5\n")
        os.chmod(gnuplot, 0o755)
        status, output = self.tune(program=(os.path.join(ROOT, "bench", "tune"),),
                                   PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual((status, os.path.exists(self.rules)), (128 + 15, False), output)
        self.check_it_goes_on()

    def patched(self, change, *options):
        """Runs the same with a piece of Python before."""
        code = ("import os, signal, sys; sys.path.insert(0, sys.argv.pop(1));"
                f"from strata_bench.tune import command_line, race, session; {change};"
                "sys.exit(command_line.main(sys.argv[1:]))")
        return self.tune(*options, program=(sys.executable, "-B", "-c", code, os.path.join(ROOT, "bench"),
                                            "--no-plots"))

    def stopped_in(self, step):
        """Interrupts at the start of a step of the session."""
        status, output = self.patched(f"session.Session.{step} = lambda *_: os.kill(os.getpid(), signal.SIGTERM)")
        self.assertEqual(status, 128 + 15, output)

    def test_it_goes_on_before_the_rules(self):
        self.stopped_in("put_in_force")
        self.assertFalse(os.path.exists(self.rules))
        self.check_it_goes_on()

    def test_what_was_finished_is_not_refused(self):
        """Stopped with all files written, before the measurements were removed: the next run is a new one."""
        self.stopped_in("done")
        self.assertEqual(self.in_force(8), "small")
        status, output = self.tune(seed=2)
        self.assertEqual(status, 0, output)
        self.assertIn("0 choices changed", output)
        self.assertEqual(sum("link_probe" in line for line in self.started()), 1, "the file tells the links")

    def test_other_settings_are_refused_in_between(self):
        self.tune(mode="die")
        status, output = self.tune("--sizes", "8")
        self.assertEqual(status, 1, output)
        self.assertIn("was measured with sizes", output)
        self.assertEqual(self.tune("--sizes", "8", "--anew")[0], 0)

    def test_wrong_data_fails_and_is_not_chosen(self):
        status, output = self.tune(mode="broken")
        self.assertEqual(status, 1, output)
        self.assertIn("FAILED: bcast-8, tree linear: 3 wrong bytes", output)
        self.assertNotEqual(self.in_force(8), "small")
        self.assertEqual(self.in_force(1 << 20), "large")

    def test_who_does_something_else_does_not_count(self):
        status, output = self.tune(mode="other")
        self.assertEqual((status, self.in_force(8), self.in_force(1 << 20)), (0, "near", "large"), output)
        self.assertIn("bcast-8: requested tree linear, the job used tree cluster chain", output)

    def test_what_nobody_tells_does_not_count(self):
        """Uses a launcher that drops the jobs' standard error."""
        status, output = self.tune(mode="silent")
        self.assertEqual(status, 1, output)
        self.assertRegex(output, "FAILED: bcast-8 and 6 more, the job: the plugin reported nothing: .*standard error")
        self.assertIn("0 choices changed", output)
        self.assertEqual(fake_model.load(self.rules)["rules"], [])

    def test_a_crash_is_told(self):
        status, output = self.tune(mode="crash")
        self.assertEqual(status, 1, output)
        self.assertIn("FAILED: bcast-1024, the job: exit status 1", output)
        self.assertEqual((self.in_force(8), self.in_force(1 << 20)), ("small", "large"))

    def test_no_time(self):
        status, output = self.tune("--check", "--budget", "1s", "--within", "100%")
        self.assertIn(status, (0, 1, 3), output)

    def test_a_check_without_time_goes_on(self):
        """Results are not measured again, which leaves time for the others."""
        status, output = self.patched("batch = race.Race._batch;"
                                      "race.Race._batch = lambda self, *what: self._budget.left > 0 and"
                                      " (batch(self, *what), setattr(self._budget, '_start', -1e6))[0]",
                                      "--check", "--within", "100%")
        self.assertEqual(status, 3, output)
        self.assertRegex(output, "[16] of 7 cells measured .*; no time for [16] more.\nThe same command measures these")
        before = self.started()
        self.assertEqual(len(before), 2)  # reading the hierarchy, and one heat
        status, output = self.tune("--check", "--within", "100%")
        self.assertEqual(status, 0, output)
        self.assertIn("7 of 7 cells measured", output)
        self.assertNotIn(before[1], self.started()[2:])
        self.assertFalse(os.path.exists(os.path.join(self.results, "check-cells")))

    def test_a_check_that_measured_nothing_says_nothing(self):
        status, output = self.patched("race.Race._batch = lambda *_: []", "--check")
        self.assertEqual(status, 3, output)


# path of rules_verdict, or "" if it is not built
VERDICT = sys.argv.pop(1) if sys.argv[1:2] == [""] or os.path.sep in "".join(sys.argv[1:2]) else ""
if __name__ == "__main__":
    unittest.main()
