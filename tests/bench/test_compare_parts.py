#!/usr/bin/env python3
"""Tests of bench/compare that need neither cluster nor MPI."""

import dataclasses
import os
import random
import unittest

from fakes import Folder, Silent

from strata_bench.cluster.plan import Plan
from strata_bench.compare import contenders, grid, judge, places, report, setting, summary
from strata_bench.compare.measure import Record
from strata_bench.compare.store import Store
from strata_bench.compare.survey import Clock, Outcome, Survey, Verdict
from strata_bench.measuring import launcher
from strata_bench.measuring.cluster import ClusterError
from strata_bench.measuring.series import Series
from strata_bench.measuring.table import Paint


def record(operation="bcast", sizes=(8, 1024), **times):
    """Times in milliseconds by contender: one for all sizes or one for each."""
    cell = grid.cell(operation, "block", sizes)
    series = {}
    for name, value in times.items():
        values = value if isinstance(value, tuple) else (value,) * len(cell.sizes)
        series[name] = Series({size: [one * (1 + place / 1000) for place in range(30)]
                               for size, one in zip(cell.sizes, values)},
                              {size: [10, 10, 10] for size in cell.sizes}, is_plugin=name == "strata")
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

    def found_by_launch(self, ours, theirs):
        """Launches of 12 repetitions each; the middle of each, with a scatter of 2 %."""
        chance = random.Random(5)

        def series(middles):
            return Series({8: [middle * chance.uniform(0.98, 1.02) for middle in middles for _ in range(12)]},
                          {8: [12] * len(middles)})

        cell = grid.cell("bcast", "block", (8,))
        return judge.violations(Record(cell, {"strata": series(ours), "tuned": series(theirs)}))

    def test_a_difference_in_every_launch_is_found(self):
        self.assertEqual(len(self.found_by_launch((1.1, 1.1, 1.1), (1, 1, 1))), 1)
        # Launches may differ if both contenders differ alike.
        self.assertEqual(len(self.found_by_launch((1.12, 1.1, 1.1), (1.02, 1, 1))), 1)

    def test_a_difference_in_some_launches_is_not(self):
        for ours in ((3, 1, 1), (1, 1.3, 0.9), (1.3, 1.3, 1.3, 0.9)):
            self.assertEqual(self.found_by_launch(ours, (1,) * len(ours)), [], ours)
        # The last one's repetitions together would show it, but the launches decide.
        together = [judge.Sample.of(Series({8: times}), 8) for times in ([1.3] * 36 + [0.9] * 12, [1] * 48)]
        self.assertEqual([one.medians for one in together], [(), ()])
        self.assertTrue(together[0].all.above(together[1].all))
        self.assertTrue(together[0].slower(together[1]))

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

    def test_pieces_cannot_beat_the_links(self):
        """Links that let a first burst through carry 8 bytes for nothing, but not 1 KiB."""
        one = record(strata=(0.01, 10.3))

        def seen(limit):
            return [found.than() for found in judge.violations(one, lambda _cell, size: size == 1024 and limit)]

        self.assertEqual(seen(0), ["128 x Bcast of 8 B"])
        self.assertEqual(seen(9.0), ["128 x Bcast of 8 B"])  # slower than the links, too
        self.assertEqual(seen(10.0), [])
        one.series["tuned"] = record(tuned=(1, 9)).series["tuned"]  # a finished cell leaves no doubt
        self.assertEqual(seen(10.0), ["tuned"])

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
        self.assertEqual(back.series["tuned"], one.series["tuned"])
        self.assertEqual(back.series["strata"].times, one.series["strata"].times)
        self.assertEqual(back.series["strata"].by_launch(8), one.series["strata"].by_launch(8))
        self.assertIsNone(store.load("y", one.cell))
        self.assertIsNone(store.load("x", grid.cell("bcast", "block", (8, 2048))))
        self.assertIsNone(store.load("x", grid.cell("bcast", "block", (8, 1024), "last")))

    def test_other_settings_are_refused(self):
        Store(self.folder, {"reps": 30, "place": ("a",)})
        Store(self.folder, {"reps": 30, "place": ["a"]})
        with self.assertRaisesRegex(ClusterError, "reps 30, now wanted is 6"):
            Store(self.folder, {"reps": 6, "place": ["a"]})


class Failures(Folder):
    MISTAKE = "34486336 wrong bytes; exit status 1, see logs/7.err"

    def failed(self, name):
        one = record(strata=1, han=2)
        one.series[name].failure = self.MISTAKE + "\n[n0:1] coll:strata: a plan\nPrimary job  terminated"
        return one

    def test_one_line_each(self):
        found = report.failures([self.failed("han"), self.failed("strata")], Paint(False))
        self.assertEqual(found, [f"Not compared: han, Bcast, block, root 0: {self.MISTAKE}",
                                 f"FAILED: strata, Bcast, block, root 0: {self.MISTAKE}"])

    def test_the_same_mistake_once(self):
        more = self.failed("han")
        more.series["han"].failure += "\nwith more in its log"
        found = report.failures([self.failed("han"), more], Paint(False))
        self.assertEqual(found, [f"Not compared: han, 2 cells, first Bcast, block, root 0: {self.MISTAKE}"])

    def test_files(self):
        outcome = Outcome([self.failed("han")], [], [], 0, 0)
        table, data = (os.path.join(self.folder, name) for name in ("table.csv", "measurements.json"))
        report.write_csv(outcome.records, table)
        report.write_json({}, outcome, data)
        with open(table, encoding="utf-8") as file:
            self.assertNotIn("Primary job", file.read())
        with open(data, encoding="utf-8") as file:
            self.assertIn("Primary job", file.read())


class Summaries(unittest.TestCase):
    def test_ratios_and_shares(self):
        one = record(sizes=(8, 64 << 10), strata=(1, 4), tuned=(2, 8), han=(4, 6), lane=(1, 1))
        rows = summary.rows("here", [one], lambda _cell, _size: 3)
        found = [(row.size, round(row.ratio, 3), row.best_name, row.share and round(row.share, 2)) for row in rows]
        self.assertEqual(found, [(8, 2, "tuned", None), (64 << 10, 1.5, "han", 0.74)])
        text = "\n".join(summary.means(rows, Paint(False)) + summary.details(rows))
        self.assertIn("2.00 (2.00–2.00)", text)
        self.assertIn("74 % (74–74)", text)

    def test_what_failed_has_no_row(self):
        one = record(strata=1, tuned=2)
        one.series["strata"].failure = "wrong"
        self.assertEqual(summary.rows("", [one], lambda *_: None), [])
        self.assertEqual(summary.means([], Paint(False)), [])

    def test_limits_know_roots_and_orders(self):
        plan = Plan((2, 2), (4, 4, 4, 4), "1gbit", "200mbit", 0, 0, 9000, 1000000)
        cluster = setting.OnCluster(type("Fake", (), {"plan": plan})())
        size = 1 << 20
        uplink_ms, nic_ms = size * 8e3 / 200e6, size * 8e3 / 1e9
        for root in grid.ROOTS:
            self.assertAlmostEqual(cluster.limit_ms(grid.cell("bcast", "unequal", (size,), root), size), uplink_ms)
        gather = grid.cell("gather", "block", (size,), "middle")
        self.assertAlmostEqual(cluster.limit_ms(gather, size), max(uplink_ms / 2, nic_ms * 3 / 4))
        self.assertIsNone(setting.ByLauncher(None).limit_ms(gather, size))


class Grids(unittest.TestCase):
    def test_the_clusters(self):
        found = places.all_of_grid()
        self.assertEqual([one.name for one in found],
                         ["4x4-1gbit", "4x4-200mbit", "4x4-200mbit-2ms", "8x2-1gbit", "8x2-200mbit",
                          "8x2-200mbit-2ms", "one-node"])
        self.assertEqual(len({one.shape for one in found[:-1]}), 6)
        self.assertIn("--oversubscribe -n 16", found[-1].launcher)


class Surveys(Folder):
    def survey(self, answers, seconds=None, cells=None):
        """`answers` are records of one run after another; each takes a minute."""
        cells = cells or [grid.cell("bcast", "block", (8, 1024))]
        self.seen, now = [], [0]

        def measure(cells, names_of, label, _show):
            self.seen.append((label, cells[0].sizes, names_of[cells[0]]))
            now[0] += 60 * len(cells)
            return {cell: next(answers).series for cell in cells}

        clock = Clock(seconds, lambda: now[0])
        survey = Survey(cells, measure, Store(self.folder, {}), Silent(), clock)
        return survey.run(gate=True)

    def forget(self):
        """Returns everything that was measured."""
        for one in os.listdir(self.folder):
            if one.startswith("cell-"):
                os.unlink(os.path.join(self.folder, one))

    def test_what_repeats_counts(self):
        bad = record(strata=(3, 3), tuned=(1, 5))
        outcome = self.survey(iter([bad, bad]))
        self.assertEqual((outcome.verdict(), len(outcome.confirmed)), (Verdict.FAILED, 1))
        self.assertEqual(self.seen[1][0], "again-bcast-block-root-0-8-1024")
        self.assertIn("VIOLATIONS", "\n".join(report.verdict(outcome, Paint(False))))

    def test_what_does_not_repeat_passes(self):
        outcome = self.survey(iter([record(strata=3, tuned=1), record(strata=1, tuned=1)]))
        self.assertEqual((outcome.verdict(), len(outcome.suspected)), (Verdict.PASSED, 2))

    def test_who_fails_in_the_second_look_clears_nothing(self):
        """Neither a rival without times nor ours without them passes; the same command repeats the look."""
        bad = record(strata=3, tuned=1)
        for name, change in (("tuned", {"failure": "exit status 124"}), ("tuned", {"absent": "served by hcoll"}),
                             ("tuned", {"times": {8: [1.0] * 30}}), ("strata", {"absent": "skipped"})):
            with self.subTest(name=name, **change):
                blind = record(strata=1, tuned=1)
                blind.series[name] = dataclasses.replace(blind.series[name], **change)
                outcome = self.survey(iter([bad, blind]))
                self.assertEqual((outcome.unclear, outcome.verdict()), (1, Verdict.UNFINISHED))
                self.assertEqual(len(outcome.blind), 1)
                text = "\n".join(report.verdict(outcome, Paint(False)))
                self.assertNotIn("PASSED", text)
                self.assertIn("1 suspected ones not repeated, or only by runs that failed", text)
                self.assertEqual(self.survey(iter([]), seconds=0).verdict(), Verdict.UNFINISHED)
                self.assertEqual(self.survey(iter([record(strata=1, tuned=1)])).verdict(), Verdict.PASSED)
                self.assertEqual([label for label, _, _ in self.seen], ["again-bcast-block-root-0-8-1024"])
            self.forget()

    def test_what_half_a_second_look_confirms_counts(self):
        blind = record(strata=(3, 3), tuned=(1, 1))
        del blind.series["tuned"].times[1024]
        outcome = self.survey(iter([record(strata=3, tuned=1), blind]))
        self.assertEqual((outcome.verdict(), len(outcome.confirmed)), (Verdict.FAILED, 1))
        self.assertEqual(self.survey(iter([])).verdict(), Verdict.FAILED)  # not measured until it is gone

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
        outcome = self.survey(iter([record(strata=1, tuned=1)] * 4), 150, cells)
        self.assertEqual((len(self.seen), outcome.missing, outcome.verdict()), (2, 2, Verdict.UNFINISHED))
        outcome = self.survey(iter([record(strata=1, tuned=1)] * 4), 150, cells)
        self.assertEqual((len(self.seen), outcome.missing, outcome.verdict()), (2, 0, Verdict.PASSED))

    def test_of_a_run_as_much_is_begun_as_fits(self):
        cells = [grid.cell("reduce", "block", (8, 16)), *(grid.cell(name, "cyclic", (8, 16)) for name in grid.GATED)]
        outcome = self.survey(iter([record(strata=1, tuned=1)] * 8), 60 * 5, cells)
        self.assertEqual((len(outcome.records), outcome.missing), (5, 3))

    def test_no_time_for_a_second_look(self):
        outcome = self.survey(iter([record(strata=3, tuned=1)]), 100)
        self.assertEqual((outcome.unclear, outcome.verdict()), (1, Verdict.UNFINISHED))

    def test_a_broken_plugin_fails(self):
        one = record(strata=1, tuned=2)
        one.series["strata"].failure = "3 wrong bytes"
        self.assertEqual(Outcome([one]).verdict(), Verdict.FAILED)
        self.assertEqual(self.survey(iter([one])).verdict(), Verdict.FAILED)
        one.series["strata"].failure, one.series["tuned"].failure = "", "crashed"
        self.assertEqual(Outcome([one]).broken(), [])
        self.assertEqual(self.survey(iter([])).verdict(), Verdict.FAILED)  # not measured until it passes

    def test_without_a_rival_nothing_passes(self):
        """Whichever contenders remain, the same command measures the cell again."""
        for change in ({"failure": "crashed"}, {"absent": "its communicator is served by hcoll"},
                       {"times": {8: [1.0] * 30}}, None):
            one = record(strata=1, tuned=2, han=2, composed=2)
            series = one.series.pop("tuned")
            if change:
                one.series["tuned"] = dataclasses.replace(series, **change)
            with self.subTest(change=change):
                outcome = self.survey(iter([one]))
                self.assertEqual((outcome.unopposed, outcome.verdict()), (1, Verdict.UNFINISHED))
                text = "\n".join(report.verdict(outcome, Paint(False)))
                self.assertNotIn("PASSED", text)
                self.assertIn("1 not compared with tuned", text)
                again = self.survey(iter([record(strata=1, tuned=2)]))
                self.assertEqual((len(self.seen), again.verdict()), (1, Verdict.PASSED))
            self.forget()

    def test_others_than_the_rival_may_be_absent(self):
        one = record(strata=1, tuned=2, han=2, lane=1, composed=1)
        for name in ("han", "lane", "composed"):
            one.series[name].absent = "nothing to do here"
        self.assertEqual(self.survey(iter([one])).verdict(), Verdict.PASSED)

if __name__ == "__main__":
    unittest.main()
