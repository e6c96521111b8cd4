#!/usr/bin/env python3
"""Tests of bench/tune's choices: races, decisions, and their picture."""

import dataclasses
import json
import random
import shutil
import statistics
import unittest

from fakes import Folder, Silent

from strata_bench.measuring.intervals import Interval
from strata_bench.tune.cells import FINAL_JOBS, Cell
from strata_bench.tune.decide import broken, decide, links_given, settle, share
from strata_bench.tune.plans import IN_FORCE, Contender, Plans
from strata_bench.tune.race import FINAL_REPETITIONS, HEATS, SEMIFINAL, Budget, Job, Race

NOTHING = float("-inf"), float("inf")


def cell(size=64, operation="bcast", **predicted):
    contenders = [Contender(IN_FORCE, (), predicted.pop("ours", 100))]
    contenders += [Contender(name, ((name, ""),), us) for name, us in predicted.items()]
    return Cell(Plans(operation, size, Contender("tree", (("x", ""),)), tuple(contenders)))


def in_jobs(times):
    """Returns the times by contender, distributed over the jobs of a final."""
    return [{name: its[number::FINAL_JOBS] for name, its in times.items()} for number in range(FINAL_JOBS)]


class Decisions(unittest.TestCase):
    def of(self, **times):
        one = cell(**dict.fromkeys((name for name in times if name != "ours"), 100))
        one.times = {IN_FORCE if name == "ours" else name: list(values) for name, values in times.items()}
        one.finals = in_jobs(one.times), in_jobs(one.times)
        return decide(one)

    def test_clearly_better_ones_only(self):
        spread = [place / 100 for place in range(10)]
        self.assertEqual(self.of(ours=[10 + x for x in spread], a=[9 + x for x in spread]).name, "a")
        self.assertEqual(self.of(ours=[10 + x for x in spread], a=[9.9 + x for x in spread]).name, IN_FORCE,
                         "a percent is not worth it")
        self.assertEqual(self.of(ours=[10 + 20 * x for x in spread], a=[9 + 20 * x for x in spread]).name, IN_FORCE,
                         "the intervals overlap")
        self.assertEqual(self.of(ours=[10.0] * 5, a=[1.0] * 5).name, IN_FORCE, "too few")
        self.assertEqual(self.of(ours=[10.0] * 9, a=[7.0] * 9, b=[6.0] * 9).name, "b")

    def test_wrong_data_is_never_chosen(self):
        one = cell(a=100)
        one.times, one.failed = {IN_FORCE: [10.0] * 9, "a": [1.0] * 9}, {"a": "3 wrong bytes"}
        one.finals = in_jobs(one.times), in_jobs(one.times)
        found = decide(one)
        self.assertEqual((found.name, found.ratio, broken([one])), (IN_FORCE, 1.0, [(one, "a", "3 wrong bytes")]))
        one.failure = "crashed"
        self.assertEqual((decide(one).name, decide(one).ratio), (IN_FORCE, None))

    def test_shares(self):
        found = [self.of(ours=[10.0] * 9, a=[one] * 9) for one in (9.9, 9.3, 9.2, 5)] + [self.of(ours=(), a=())]
        self.assertEqual([str(share(found, 0.05)), share(found, 0.10).count, share(found, 0.05, True).count],
                         ["1 of 4 cells (25%) within 5% of the best", 3, 4])

    @staticmethod
    def under_links(now, then, **others):
        """A cell in which the measured links changed the model's choice."""
        one = cell(before=100, **dict.fromkeys(others, 100))
        one.plans = dataclasses.replace(one.plans, before="before")
        one.times = {name: [us] * 9 for name, us in {IN_FORCE: now, "before": then, **others}.items()}
        one.finals = in_jobs(one.times), in_jobs(one.times)
        return one

    def test_links_hold_if_their_choices_do(self):
        good, bad = self.under_links(10.0, 10.4), self.under_links(10.0, 9.5)
        for cells, holds, names, changes in (([good, bad], False, [IN_FORCE, "before"], [True, False]),
                                             ([good, good, bad], True, [IN_FORCE, IN_FORCE, "before"],
                                              [False, False, True])):
            settle(cells)
            found = [decide(one) for one in cells]
            self.assertEqual((links_given(cells).cells, links_given(cells).holds), (len(cells), holds))
            self.assertEqual([one.name for one in found], names)
            self.assertEqual([one.changes for one in found], changes)
        self.assertEqual([one.ratio_after for one in found], [1.0, 1.0, 1.0])
        self.assertIsNone(links_given([cell(a=100)]))

    def test_what_is_better_than_what_was_before(self):
        one = self.under_links(11.0, 10.0, a=9.0)
        settle([one])
        self.assertEqual((one.base, one.takes_part(1), decide(one).name, decide(one).changes),
                         ("before", ["before", "a"], "a", True))
        broken_before = self.under_links(11.0, 10.0)
        settle([broken_before])
        broken_before.failed["before"] = "3 wrong bytes"
        found = decide(broken_before)
        self.assertEqual((found.name, found.changes), (IN_FORCE, True), "by a rule")

    def test_what_was_before_stays_unmeasured(self):
        """Without the links the model chooses it."""
        bad, unmeasured, half = self.under_links(10.0, 9.5), self.under_links(1, 1), self.under_links(10.0, 9.9)
        unmeasured.times = {name: [] for name in unmeasured.times}
        half.times["before"] = []
        for one in (unmeasured, half):
            one.finals = [], []
        settle([bad, unmeasured, half])
        for one in (unmeasured, half):
            found = decide(one)
            self.assertEqual((found.name, found.changes, found.ratio_after), ("before", False, None))

    @staticmethod
    def second_run(chance, middles, choose):
        """Returns the contender in force after a run."""
        one = cell(**{str(number): 100 for number in range(len(middles) - 1)})
        one.times = {name: [middle * chance.lognormvariate(0, 0.05) for _ in range(60)]
                     for name, middle in zip(one.times, middles)}
        one.finals = tuple([{name: [middle * chance.lognormvariate(0, 0.05) for _ in range(FINAL_REPETITIONS)]
                             for name, middle in zip(one.times, middles)} for _ in range(FINAL_JOBS)]
                           for _ in range(2))
        return list(one.times).index(choose(one))

    def worsened(self, choose, runs=300):
        """Returns how many successive runs made the choice worse; the first one is the model's choice."""
        chance, worse = random.Random(11), 0
        for _ in range(runs):
            middles = [100 * chance.uniform(0.97, 1.03) for _ in range(8)]
            for _ in range(2):
                chosen = self.second_run(chance, middles, choose)
                worse += middles[chosen] > middles[0] * 1.001
                middles[0], middles[chosen] = middles[chosen], middles[0]
        return worse / (2 * runs)

    def test_a_second_run_is_not_worse(self):
        self.assertLess(self.worsened(lambda one: decide(one).name), 0.005)

    @staticmethod
    def changes(looks, jobs, effect, gain=0.0, runs=600):
        """Returns the share of decisions for an alternative that takes less time by `gain`. Times differ by
        `effect` from job to job, and by 2 % within."""
        chance, changed = random.Random(17), 0

        def job(number):
            return {name: [middle * chance.lognormvariate(0, 0.02) for _ in range(number)]
                    for name, middle in ((IN_FORCE, 100 * chance.lognormvariate(0, effect)),
                                         ("a", (1 - gain) * 100 * chance.lognormvariate(0, effect)))}

        for _ in range(runs):
            one = cell(a=100)
            one.times = job(20)
            one.finals = tuple([job(FINAL_REPETITIONS) for _ in range(FINAL_JOBS)] for _ in range(2))
            if jobs == 1:  # as if these were one job's repetitions
                one.finals = ([{name: its[number::FINAL_JOBS] for name, its in whole.items()}
                               for number in range(FINAL_JOBS)] for whole in (job(20),) * 2)
                one.finals = tuple(one.finals)
            changed += bool(one.better(0)) if looks == 1 else decide(one).changes
        return changed / runs

    def test_what_differs_from_job_to_job_is_no_reason(self):
        """With equal contenders: hardly ever; with one job, often."""
        for effect in (0.01, 0.03, 0.05):
            self.assertLess(self.changes(2, FINAL_JOBS, effect), 0.01, effect)
            self.assertLess(self.changes(1, FINAL_JOBS, effect), 0.1, effect)
        self.assertGreater(self.changes(1, 1, 0.03), 0.2)

    def test_a_gain_is_found_all_the_same(self):
        self.assertGreater(self.changes(2, FINAL_JOBS, 0.01, gain=0.05), 0.9)
        self.assertGreater(self.changes(2, FINAL_JOBS, 0.03, gain=0.15), 0.9)

    def test_without_intervals_it_would_be(self):
        self.assertGreater(self.worsened(lambda one: one.best()), 0.05)


class Races(unittest.TestCase):
    STARTUP, AROUND = 1.0, 0.001

    def race(self, cells, seconds, times, wrong=(), failing=(), spent=0, heats=HEATS, unreported=(), effect=0.0,
             seed=1):
        """`times(contender, size)` in microseconds differ by `effect` from job to job; the plugin reports
        no plans of the contenders `unreported`."""
        self.now, self.jobs, self.saved = 0.0, [], []
        chance = random.Random(seed)

        def launch(operation, work, repetitions):
            self.jobs.append((operation, [(one.size, sorted(names)) for one, names in work], repetitions))
            job = Job(self.STARTUP, {})
            for one, names in work:
                for name in names:
                    here = chance.lognormvariate(0, effect) if effect else 1.0
                    its = [times(name, one.size) * here * chance.uniform(0.99, 1.01) for _ in range(repetitions)]
                    job.times[one.size, name] = its
                    if name not in unreported:
                        job.plans[one.size, name] = "tree", ""
                    job.seconds += sum(its) / 1e6 + repetitions * self.AROUND
                    if (one.size, name) in wrong:
                        job.wrong[one.size, name] = "3 wrong bytes"
            if any(one.size in failing for one, _ in work):
                job.failure, job.times = "a crash", {}
            self.now += job.seconds
            return job

        budget = Budget(seconds, spent, lambda: self.now)
        Race(cells, launch, budget, Silent(), self.saved.append, self.STARTUP, heats).run()
        return budget

    def test_the_slow_are_out_early(self):
        one = cell(fast=100, close=100, slow=100, hopeless=100)
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "fast": 90, "close": 90.1, "slow": 110,
                                               "hopeless": 300}[name])
        counts = {name: len(times) for name, times in one.times.items()}
        self.assertEqual(counts, {IN_FORCE: 6, "fast": 60, "close": 60, "slow": 6, "hopeless": 2})
        self.assertEqual([repetitions for _, _, repetitions in self.jobs], [2, 4, 9, 15, 30, *[FINAL_REPETITIONS] * 6])
        self.assertIn(decide(one).name, ("fast", "close"))
        self.assertTrue(all(len(job) == 2 for look in one.finals for job in look))

    def test_sizes_share_a_job(self):
        cells = [cell(size, operation, a=100) for operation in ("bcast", "reduce") for size in (8, 64, 512)]
        self.race(cells, 600, lambda *_: 100)
        self.assertEqual(len(self.jobs), 2 * (len(HEATS) + FINAL_JOBS))  # and nothing to confirm
        self.assertEqual(set(map(id, self.saved)), set(map(id, cells)))

    def test_nothing_to_choose_takes_no_time(self):
        self.race([cell()], 100, None)
        self.assertEqual(self.jobs, [])

    def test_the_budget(self):
        """With predictions that are wrong by up to a factor of 20, at most one job is too long; cheap cells
        come first."""
        for seed in range(30):
            chance = random.Random(seed)
            cells = [cell(8 << power, operation, ours=50 << power, a=(60 << power) * chance.uniform(0.05, 1))
                     for operation in ("bcast", "reduce") for power in range(14)]
            seconds = chance.choice((5, 20, 60))
            budget = self.race(cells, seconds, lambda _, size: size * 12)
            longest = max(len(names) * (repetitions * (size * 12.1e-6 + self.AROUND)) + self.STARTUP
                          for _, work, repetitions in self.jobs for size, names in work)
            self.assertLess(budget.spent, seconds + max(longest, seconds / 20))
            # In 5 seconds the jobs of a final, each with a start of a second, do not fit.
            self.assertGreater(budget.spent, seconds / (2 if seconds > 5 else 3))
            self.assertTrue(all(one.times[IN_FORCE] for one in cells if one.size == 8))
            if seconds == 5:
                self.assertFalse(all(one.times[IN_FORCE] for one in cells))

    def test_time_spent_before_counts(self):
        self.race([cell(a=100)], 100, lambda *_: 100, spent=99.5)
        self.assertEqual(self.jobs, [])

    def test_first_where_most_is_at_stake(self):
        cells = [cell(8, "bcast", a=100), cell(64, "reduce", a=100), cell(64, "gather", a=100)]
        self.race(cells, 600, lambda name, size: 1000 if size == 64 else 100)
        cells[1].times[IN_FORCE] = [1500.0] * 6
        cells[2].times[IN_FORCE] = [1100.0] * 6
        self.assertGreater(cells[1].stake(), cells[2].stake())
        self.assertGreater(cells[2].stake(), cells[0].stake())

    def test_wrong_data(self):
        one = cell(a=100, b=100)
        self.race([one], 100, lambda *_: 100, wrong={(64, "a")})
        self.assertEqual((one.failed, len(one.times["a"]), len(one.times["b"])), ({"a": "3 wrong bytes"}, 2, 60))

    def test_who_does_not_tell_what_it_did(self):
        """It is out; if it is in force as well, no contender counts as better."""
        one = cell(a=100, b=100)
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "a": 10, "b": 50}[name], unreported={"a"})
        self.assertEqual((list(one.failed), decide(one).name, one.failure), (["a"], "b", ""))
        one = cell(a=100, b=100)
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "a": 10, "b": 50}[name], unreported={IN_FORCE})
        self.assertEqual((list(one.failed), decide(one).name, one.failure), ([IN_FORCE], IN_FORCE, ""))
        one = cell(a=100)
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "a": 10}[name], unreported={IN_FORCE, "a"})
        self.assertEqual((decide(one).name, len(self.jobs)), (IN_FORCE, 1))
        self.assertIn("reported nothing", one.failure)

    def test_forward_by_parameter_is_not_told(self):
        ways = (Contender(IN_FORCE), Contender("a", (("bcast_algorithm", "forward"),)))
        one = Cell(Plans("bcast", 64, Contender("tree", (("x", ""),)), ways))
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "a": 10}[name], unreported={"a"})
        self.assertEqual((one.failed, decide(one).name), ({}, "a"))

    def test_a_crash_concerns_its_cell_alone(self):
        cells = [cell(size, a=100) for size in (8, 64, 512)]
        self.race(cells, 600, lambda *_: 100, failing={64})
        self.assertEqual([one.failure for one in cells], ["", "a crash", ""])
        self.assertEqual([len(one.times["a"]) for one in cells], [60, 0, 60])

    def test_a_cell_comes_back(self):
        one, other, changed = cell(a=100), cell(a=100), cell(b=100)
        one.times["a"], one.finals, one.failed = [1.0, 2.0], ([{"a": [3.0]}], []), {"a": "why"}
        for two in (other, changed):
            two.restore(json.loads(json.dumps(one.to_json())))
        self.assertEqual((other.times, other.finals, other.failed), (one.times, one.finals, one.failed))
        self.assertEqual((changed.finals, changed.failed), (([], []), {}))

    def test_finalists(self):
        one = cell(a=100, b=100, c=100)
        self.assertEqual(one.finalists(), [])
        one.times = {IN_FORCE: [10.0] * 9, "a": [9.0] * 9, "b": [8.0] * 9, "c": [11.0] * 9}
        self.assertEqual(one.finalists(), [IN_FORCE, "b"])
        self.assertFalse(one.hasty())
        one.times["b"] = [8.0] * 5
        self.assertTrue(one.hasty())
        one.times["b"] = [8.0] * 9
        one.plans = dataclasses.replace(one.plans, before="a")
        self.assertEqual(one.finalists(), [IN_FORCE, "a", "b"])
        times = {IN_FORCE: [10.0] * 9, "a": [9.5] * 9, "b": [9.0] * 9}
        one.finals = in_jobs(times), []
        del one.finals[0][2]["b"]
        self.assertEqual((decide(one).name, one.had_final(), decide(one).why()),
                         (IN_FORCE, False, "no time for a final"))
        one.finals = in_jobs(times), []
        self.assertEqual((decide(one).name, one.had_final(), decide(one).why()),
                         (IN_FORCE, True, "b is better, but there was no time to confirm it"))
        self.assertEqual(one.takes_part(1), [IN_FORCE, "b"])
        one.finals = in_jobs(times), in_jobs(times)
        self.assertEqual((decide(one).name, decide(one).theirs.median), ("b", 9.0))
        one.finals[1][1]["b"] = [10.1] * 3
        self.assertEqual((decide(one).name, decide(one).why()), (IN_FORCE, "b is better, but this was not confirmed"))
        one.failed = {"b": "3 wrong bytes"}
        self.assertEqual(decide(one).best, "a")

    def test_a_final_takes_all_its_jobs_or_none(self):
        """The time of a final that was cut short cannot be predicted. A job takes a second to start."""
        for seconds, wanted, name in ((12, [3, 3], "a"), (6.5, [3, 0], IN_FORCE), (4.4, [0, 0], IN_FORCE)):
            one = cell(a=100)
            budget = self.race([one], seconds, lambda name, _: {IN_FORCE: 100, "a": 80}[name], heats=(12,))
            self.assertLess(budget.spent, seconds)
            self.assertEqual((list(map(len, one.finals)), decide(one).name), (wanted, name), seconds)

    def test_finals_are_first_where_a_choice_seems_wrong(self):
        """Three cells, with time for one final."""
        us = {8: (100, 99), 64: (3000, 2100), 512: (100, 95)}
        cells = [cell(size=size, operation=name, a=100) for size, name in zip(us, ("bcast", "reduce", "gather"))]
        self.race(cells, 9.5, lambda name, size: us[size][name != IN_FORCE], heats=(12,))
        self.assertEqual([len(one.finals[0]) for one in cells], [0, 3, 0])

    def test_equals_change_nothing(self):
        """Times differ by 3 % from job to job."""
        for number in range(40):
            one = cell(a=100, b=100, c=100)
            self.race([one], 100, lambda *_: 100, effect=0.03, seed=number)
            self.assertEqual(decide(one).name, IN_FORCE)

    def test_a_final_goes_on_where_it_was(self):
        one = cell(a=100)
        one.times = {IN_FORCE: [100.0] * 60, "a": [80.0] * 60}
        one.finals[0].append({IN_FORCE: [100.0] * 7, "a": [80.0] * 7})
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "a": 80}[name])
        self.assertEqual((len(self.jobs), list(map(len, one.finals)), decide(one).name), (5, [3, 3], "a"))

    def test_who_is_barred_takes_no_place(self):
        one = cell(a=100, b=100, c=100)
        times = {IN_FORCE: [10.0] * 9, "a": [8.0] * 9, "b": [7.0] * 9, "c": [9.0] * 9}
        one.times, one.finals = times, (in_jobs(times), in_jobs(times))
        one.barred = {"b": "depends on the order"}
        self.assertEqual((one.finalists(), decide(one).name, decide(one).best), ([IN_FORCE, "b", "a"], "a", "b"))
        one.barred["a"] = "hangs on something else"
        self.assertEqual((one.finalists(), decide(one).name), ([IN_FORCE, "b", "a", "c"], "c"))
        one.barred["c"] = "too"
        self.assertEqual((decide(one).name, decide(one).why()), (IN_FORCE, "b depends on the order"))

    def alike(self, heats):
        """How far the choice in force seems to be from the best of twenty equal ones, with and without a
        final."""
        chance, with_final, without = random.Random(5), [], []
        for _ in range(40):
            one = cell(**{str(number): 100 for number in range(20)})
            self.race([one], 100, lambda *_: 100 * chance.lognormvariate(0, 0.3), heats=heats)
            with_final.append(decide(one).ratio)
            one.finals = [], []
            without.append(decide(one).ratio)
        return statistics.fmean(with_final), statistics.fmean(without)

    def test_the_best_by_luck_is_found_out(self):
        with_final, without = self.alike((6,))
        self.assertLess(with_final, 1.08)
        self.assertGreater(without, 1.15)

    def test_favourites_get_their_repetitions(self):
        """Ten equal ones: the heats end after two repetitions, the semifinal measures the five best."""
        one = cell(**{str(number): 100 for number in range(9)})
        chance = random.Random(6)
        self.race([one], 100, lambda *_: 100 * chance.lognormvariate(0, 0.05), heats=(2,))
        self.assertEqual(sorted(map(len, one.times.values())), [2] * 5 + [SEMIFINAL] * 5)
        self.assertFalse(one.hasty())
        self.assertEqual([sorted(map(len, job.values())) for job in one.finals[0]], [[FINAL_REPETITIONS] * 2] * 3)


class Plots(Folder):
    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_plots(self):
        from strata_bench.tune import plot
        ones = [decide(one) for one in (cell(8, a=1), cell(64, a=1))]
        ones = [one.__class__(one.cell, IN_FORCE, Interval(3, *NOTHING, 1), None, Interval(2, *NOTHING, 1), "a",
                              Interval(2, *NOTHING, 1))
                for one in ones]
        paths, complaint = plot.draw(ones, self.folder)
        self.assertEqual((len(paths), complaint), (2, ""))


if __name__ == "__main__":
    unittest.main()
