#!/usr/bin/env python3
"""Tests of bench/compare that need neither cluster nor MPI."""

import csv
import itertools
import json
import math
import os
import random
import shutil
import subprocess
import sys
import unittest

from fakes import ROOT, Folder, Silent

from comparison import contenders, grid, judge, report, setting
from comparison.measure import Record
from comparison.store import Store
from comparison.survey import Outcome, Survey, Verdict
from measuring import intervals, launcher
from measuring.cluster import ClusterError
from measuring.rounds import Series
from measuring.table import Paint


class Intervals(unittest.TestCase):
    def test_places(self):
        # Conover's table of the sign test, two-sided 95 %.
        self.assertEqual([intervals.place(count) for count in (1, 5, 6, 8, 9, 10, 20, 30, 100)],
                         [0, 0, 1, 1, 2, 2, 6, 10, 40])

    def test_values(self):
        found = intervals.interval([9, 1, 8, 2, 7, 3, 6, 4, 5, 10])
        self.assertEqual((found.median, found.low, found.high, found.count), (5.5, 2, 9, 10))
        self.assertEqual(intervals.interval([4] * 7), intervals.Interval(4, 4, 4, 7))
        self.assertIsNone(intervals.interval([]))

    def test_few_values_say_nothing(self):
        found = intervals.interval([1, 2, 3, 4, 5])
        self.assertEqual((found.median, found.low, found.high), (3, -math.inf, math.inf))
        self.assertFalse(intervals.interval([100] * 5).above(intervals.interval([1] * 30)))

    def test_coverage(self):
        """Of a skewed distribution, as times have it, 95 of 100 intervals hold the median, or a few more."""
        chance = random.Random(3)
        held = [found.low <= math.log(2) <= found.high for found in (
            intervals.interval([chance.expovariate(1) for _ in range(30)]) for _ in range(4000))]
        self.assertGreater(sum(held) / len(held), 0.945)
        self.assertLess(sum(held) / len(held), 0.975)


class Grid(unittest.TestCase):
    def test_the_sample_is_fixed(self):
        drawn = [grid.sample(grid.GATED, grid.ORDERS, grid.SIZES, seed) for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertEqual({(cell.operation, cell.order) for cell in drawn[0]},
                         set(itertools.product(grid.GATED, grid.ORDERS)))
        for cell in drawn[0]:
            self.assertEqual(len(cell.sizes), 1 if cell.operation == "barrier" else 4)
            self.assertEqual(cell.root, "0" if cell.operation in ("bcast", "reduce", "gather", "scatter") else None)
        self.assertEqual((grid.SIZES[0], grid.SIZES[-1]), (8, 4 << 20))

    def test_the_full_grid_has_everything_once(self):
        cells = grid.full(("bcast", "barrier"), ("block", "cyclic"), grid.SIZES)
        found = [(cell.operation, cell.order, size) for cell in cells for size in cell.sizes]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(len(found), 2 * (len(grid.SIZES) + 1))
        self.assertEqual(len({cell.name() for cell in cells}), len(cells))

    def test_unequal_nodes(self):
        self.assertEqual(setting.unequal((4, 4, 4, 4)), (4, 3, 2, 4))
        self.assertEqual(setting.unequal((1, 1, 2, 16, 16)), (1, 1, 1, 16, 12))


class Contenders(unittest.TestCase):
    def test_all_are_made_in_order(self):
        made = contenders.make(contenders.NAMES, "plugins", {"network": "none"})
        self.assertEqual(tuple(one.name for one in made), contenders.NAMES)
        for one in made:
            theirs = one.name in ("tuned", "han", "basic", "hierarchical", "lane")
            self.assertEqual((one.is_plugin, "^strata" in " ".join(one.options)), (not theirs, theirs))

    def test_what_each_can(self):
        self.assertFalse(contenders.can("lane", "bcast", "unequal"))
        self.assertFalse(contenders.can("lane", "barrier", "block"))
        self.assertFalse(contenders.can("ring", "bcast", "block"))
        self.assertFalse(contenders.can("composed", "scatter", "block"))
        self.assertTrue(contenders.can("tuned", "scatterv", "unequal"))

    def test_engines_are_told_by_operation(self):
        ring, = contenders.make(("ring",), "plugins", {})
        self.assertIn("coll_strata_allgather_algorithm", contenders.in_operation(ring, "allgather").options)

    def test_the_environment_carries_parameters(self):
        options = ("--mca", "coll", "^strata", "--mca", "coll", "basic")
        self.assertEqual(launcher.as_environment(options), {"OMPI_MCA_coll": "basic"})
        with self.assertRaises(ValueError):
            launcher.as_environment(("--tag-output",))
        with self.assertRaises(ClusterError):
            launcher.Launcher("no-such-program -n 4")


def record(operation="bcast", sizes=(8, 1024), **times):
    """Times in milliseconds by contender: one for all sizes or one for each."""
    cell = grid.cell(operation, "block", sizes)
    series = {}
    for name, value in times.items():
        values = value if isinstance(value, tuple) else (value,) * len(cell.sizes)
        series[name] = Series({size: [one * (1 + place / 1000) for place in range(30)]
                               for size, one in zip(cell.sizes, values)}, is_plugin=name == "strata")
    return Record(cell, series)


class Judge(unittest.TestCase):
    def found(self, *arguments, **times):
        return [(one.size, one.than()) for one in judge.violations(record(*arguments, **times))]

    def test_slower_than_a_contender(self):
        self.assertEqual(self.found(strata=1, tuned=2, han=1), [])
        self.assertEqual(self.found(strata=1.04, tuned=1), [])
        self.assertEqual(self.found(strata=(1.2, 1.2), tuned=(1, 2)), [(8, "tuned")])
        self.assertEqual(self.found(strata=3, tuned=2, han=1), [(8, "han"), (1024, "han"), (8, "tuned"),
                                                                (1024, "tuned")])

    def test_overlapping_intervals_are_none(self):
        one = record(strata=1.2, tuned=1)
        one.series["tuned"].times[8][15:] = [3] * 15
        self.assertEqual([found.size for found in judge.violations(one)], [1024])

    def test_failed_contenders_do_not_count(self):
        one = record(strata=2, tuned=1)
        one.series["tuned"].failure = "crashed"
        self.assertEqual(judge.violations(one), [])

    def test_guidelines(self):
        for operation, guideline in judge.GUIDELINES.items():
            self.assertEqual(self.found(operation, (8,), strata=1.2, composed=1)[0][1], guideline)
        self.assertEqual(set(judge.GUIDELINES), {name for name in grid.GATED
                                                 if contenders.can("composed", name, "block")})

    def test_monotony_and_pieces(self):
        self.assertEqual(self.found(strata=(2, 1)), [(8, "Bcast of 1 KiB")])
        self.assertEqual(self.found(strata=(1, 127)), [])
        self.assertEqual(self.found(strata=(1, 140)), [(1024, "128 x Bcast of 8 B")])
        self.assertEqual(self.found("barrier", strata=1), [])

    def test_a_fresh_run_measures_what_is_needed(self):
        names, sizes = judge.needed(judge.violations(record(strata=(2, 1), tuned=(1, 5))))
        self.assertEqual((names, sizes), ({"strata", "tuned"}, (8, 1024)))


class Stores(Folder):
    def test_a_record_comes_back(self):
        store = Store(self.folder, {"reps": 30})
        one = record(strata=1, tuned=2)
        one.series["strata"].plans = {8: ("tree", "node binary/0")}
        store.save("x", one)
        back = Store(self.folder, {"reps": 30}).load("x", one.cell)
        self.assertEqual(back.times(), one.times())
        self.assertIsNone(store.load("y", one.cell))
        self.assertIsNone(store.load("x", grid.cell("bcast", "block", (8, 2048))))

    def test_other_settings_are_refused(self):
        Store(self.folder, {"reps": 30, "place": ("a",)})
        Store(self.folder, {"reps": 30, "place": ["a"]})
        with self.assertRaisesRegex(ClusterError, "reps 30, now wanted is 6"):
            Store(self.folder, {"reps": 6, "place": ["a"]})


class Surveys(Folder):
    def survey(self, answers, seconds=None, cells=None):
        """`answers`: records of one run after another; each takes a minute."""
        cells = cells or [grid.cell("bcast", "block", (8, 1024))]
        self.seen, now = [], [0]

        def measure(cell, names, name, _show):
            self.seen.append((name, cell.sizes, names))
            now[0] += 60
            return next(answers)

        survey = Survey(cells, measure, Store(self.folder, {}), Silent(), seconds, lambda: now[0])
        return survey.run(gate=True)

    def test_what_repeats_counts(self):
        bad = record(strata=(3, 3), tuned=(1, 5))
        outcome = self.survey(iter([bad, bad]))
        self.assertEqual((outcome.verdict(), len(outcome.confirmed)), (Verdict.FAILED, 1))
        self.assertEqual(self.seen[1][0], "again-bcast-block-8-1024")
        self.assertIn("VIOLATIONS", "\n".join(report.verdict(outcome, Paint(False))))

    def test_what_does_not_repeat_passes(self):
        outcome = self.survey(iter([record(strata=3, tuned=1), record(strata=1, tuned=1)]))
        self.assertEqual((outcome.verdict(), len(outcome.suspected)), (Verdict.PASSED, 2))

    def test_another_violation_is_no_repetition(self):
        outcome = self.survey(iter([record(strata=(3, 3), tuned=(1, 5)), record(strata=(3, 3), tuned=(5, 1))]))
        self.assertEqual(outcome.verdict(), Verdict.PASSED)

    def test_finished_cells_are_not_measured_again(self):
        bad = record(strata=3, tuned=1)
        self.survey(iter([bad, bad]))
        self.assertEqual(self.survey(iter([])).verdict(), Verdict.FAILED)
        self.assertEqual(self.seen, [])

    def test_the_time_is_kept(self):
        cells = [grid.cell("bcast", order, (8, 1024)) for order in grid.ORDERS]
        outcome = self.survey(iter([record(strata=1)] * 4), 150, cells)
        self.assertEqual((len(self.seen), outcome.missing, outcome.verdict()), (2, 2, Verdict.UNFINISHED))
        outcome = self.survey(iter([record(strata=1)] * 4), 150, cells)
        self.assertEqual((len(self.seen), outcome.missing, outcome.verdict()), (2, 0, Verdict.PASSED))

    def test_no_time_for_a_second_look(self):
        outcome = self.survey(iter([record(strata=3, tuned=1)]), 100)
        self.assertEqual((outcome.unclear, outcome.verdict()), (1, Verdict.UNFINISHED))

    def test_a_broken_plugin_fails(self):
        one = record(strata=1, tuned=2)
        one.series["strata"].failure = "3 wrong bytes"
        self.assertEqual(Outcome([one]).verdict(), Verdict.FAILED)
        one.series["strata"].failure, one.series["tuned"].failure = "", "crashed"
        self.assertEqual(Outcome([one]).verdict(), Verdict.PASSED)


class Command(Folder):
    """The whole command with a launcher that makes times up."""

    def setUp(self):
        super().setUp()
        for name in ("bench/collective_latency", "bench/relay", "plugin/mca_coll_strata.so"):
            path = os.path.join(self.folder, "build", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
        self.results = os.path.join(self.folder, "results")

    def compare(self, mode, *options, runs=0):
        environment = {**os.environ, "STRATA_FAKE": mode, "STRATA_FAKE_RUNS": str(runs),
                       "STRATA_FAKE_COUNT": os.path.join(self.folder, "count")}
        fake = os.path.join(os.path.dirname(os.path.realpath(__file__)), "fake_launcher.py")
        call = [os.path.join(ROOT, "bench", "compare"), "--build", os.path.join(self.folder, "build"),
                "--launcher", f"{sys.executable} {fake}", "--results", self.results, "--rounds", "2",
                "--sizes", "8,1K", "--orders", "block", "--with", "tuned,composed", "--op", "bcast,barrier",
                *options]
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
        self.assertEqual({row["repetitions"] for row in rows}, {"30", "6"})  # others are out after a round
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
        status, output = self.judged("once", runs=4)  # two cells in two rounds
        self.assertEqual(status, 0, output)
        self.assertIn("Suspected and not seen again", output)

    def test_noise_passes(self):
        status, output = self.judged("noisy")
        self.assertEqual((status, "Suspected" in output), (0, False), output)

    def test_wrong_data_fails(self):
        status, output = self.compare("broken", "--no-plots")
        self.assertEqual(status, 1, output)
        self.assertIn("wrong bytes", output)

    def test_it_goes_on_where_it_was(self):
        self.assertEqual(self.judged("good")[0], 0)
        status, output = self.judged("slow")  # would fail if anything was measured
        self.assertEqual(status, 0, output)
        status, output = self.compare("good", "--gate", "--no-plots", "--reps", "12")
        self.assertEqual(status, 1, output)
        self.assertIn("was measured with reps 30, now wanted is 12", output)

    def test_a_launcher_that_is_not_there(self):
        status, output = self.compare("good", "--launcher", "no-such-mpirun")
        self.assertEqual(status, 1, output)
        self.assertIn("no program 'no-such-mpirun'", output)


if __name__ == "__main__":
    unittest.main()
