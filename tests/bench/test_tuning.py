#!/usr/bin/env python3
"""Tests of bench/tune that need neither cluster nor MPI: its parts, and the whole of it on a made-up cluster."""

import csv
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

from fakes import ROOT, Folder, Silent

import fake_model
from measuring import units
from measuring.cluster import ClusterError
from measuring.intervals import Interval
from tuning import hierarchy, links, plans, rules
from tuning.cells import Cell
from tuning.decide import broken, decide, share
from tuning.plans import FORWARD, IN_FORCE, Contender, Plans
from tuning.race import HEATS, Budget, Job, Race

HERE = os.path.dirname(os.path.realpath(__file__))
SHAPE = rules.Shape(8, "8 ranks: cluster 2, node 4", (("cluster", 2), ("node", 4)))
NOTHING = float("-inf"), float("inf")


def picture(*levels):
    """levels: (kind, lists of members); the greatest rank leads."""
    return {"ranks": 1 + max(rank for _, groups in levels for group in groups for rank in group),
            "levels": [{"kind": kind, "groups": [{"leader": max(group), "members": group} for group in groups]}
                       for kind, groups in levels]}


class Hierarchies(unittest.TestCase):
    DEEP = picture(("cluster", [[0, 1, 2, 3, 4, 5, 6]]), ("node", [[0, 1, 2, 3], [4, 5]]), ("numa", [[1, 2]]),
                   ("core", [[1], [2]]))

    def test_parts(self):
        found = hierarchy.levels_of(self.DEEP)
        self.assertEqual([(level.kind, level.participants) for level in found],
                         [("cluster", 3), ("node", 3), ("numa", 2)])
        self.assertEqual([part.members for part in found[0].groups[0]], [(3, 0, 1, 2), (5, 4), (6,)])
        self.assertEqual([part.members for part in found[1].groups[0]], [(0,), (2, 1), (3,)])
        self.assertEqual(hierarchy.shape_text(self.DEEP), "7 ranks: cluster 3, node 3, numa 2")

    def test_pairs_meet_on_their_level_and_no_deeper(self):
        for whole in (self.DEEP, fake_model.PICTURE):
            for level in hierarchy.levels_of(whole):
                for pair in {*level.pairs(), *(pair for pairs in level.at_once() for pair in pairs)}:
                    deepest = [other["kind"] for other in whole["levels"] for group in other["groups"]
                               if set(pair) <= set(group["members"])][-1]
                    self.assertEqual(deepest, level.kind)

    def test_streams_side_by_side(self):
        cluster = hierarchy.levels_of(self.DEEP)[0]
        self.assertEqual(cluster.at_once(), [((3, 5),), ((3, 5), (0, 6)), ((3, 5), (0, 6), (1, 4))])
        self.assertEqual(hierarchy.levels_of(picture(("node", [[0, 1]])))[0].at_once(), [])
        alone = hierarchy.levels_of(picture(("node", [[0, 1, 2, 3, 4]])))[0]
        self.assertEqual(alone.at_once()[-1], ((0, 1), (0, 2), (0, 3), (0, 4)))

    def test_many_groups(self):
        many = hierarchy.levels_of(picture(("node", [[rank, rank + 1] for rank in range(0, 80, 2)])))[0]
        self.assertEqual(len(many.pairs()), 4)

    def test_custom_levels_have_no_links(self):
        custom = hierarchy.levels_of(picture(("custom0", [[0, 1]])))
        self.assertEqual(links.measure(custom, None, "", "", 1), [])


class Links(unittest.TestCase):
    def evaluate(self, spoil=lambda times: times, at_once=lambda count: 1.0):
        """Of links with a latency of 20, an overhead of 2, 1000 bytes per microsecond. `at_once`: times the rate."""
        wanted = links.experiments(hierarchy.levels_of(fake_model.PICTURE))
        records = []
        for _, _, line in wanted:
            kind, size, count, *pairs = line.split()
            size, count = int(size), int(count) or 100
            time = 2 * count * 24 if kind == "pingpong" else (
                48 + (count - 1) * 2 if size == 8 else count * size * len(pairs) / 1000 / at_once(len(pairs)))
            records.append({"count": count, "bytes": size, "pairs": [[0, 1]] * len(pairs), "times": spoil([time] * 9)})
        return links.evaluate(wanted, records)

    def check(self, found):
        self.assertEqual([one.level for one in found], ["cluster", "node"])
        for one in found:
            self.assertEqual(one.entry(), {"level": one.level, "latency_us": 20, "overhead_us": 2,
                                           "mbytes_per_s": 1000, "parallel": 1, "comment": one.entry()["comment"]})

    def test_values(self):
        self.check(self.evaluate())

    def test_outliers_do_not_count(self):
        self.check(self.evaluate(lambda times: [*times[:6], *(50 * time for time in times[6:])]))
        with self.assertRaises(AssertionError):
            self.check(self.evaluate(lambda times: [*times[:4], *(50 * time for time in times[4:])]))

    def test_streams_that_share(self):
        found = self.evaluate(at_once=lambda count: min(count, 3))
        self.assertEqual([one.entry()["parallel"] for one in found], [3, 3])
        found = self.evaluate(at_once=lambda count: 1.05 if count > 1 else 1)  # noise
        self.assertEqual(found[0].entry()["parallel"], 1)

    def test_a_gap_longer_than_half_the_way(self):
        """One way takes 24: more than 12 at each end cannot be."""
        wanted = [("node", "round trip", ""), ("node", "gap", ""), ("node", "rate", "")]
        records = [{"count": 1, "bytes": 8, "pairs": [[0, 1]], "times": [48] * 6},
                   {"count": 101, "bytes": 8, "pairs": [[0, 1]], "times": [48 + 100 * 30] * 6},
                   {"count": 1, "bytes": 1000, "pairs": [[0, 1]], "times": [1] * 6}]
        entry = links.evaluate(wanted, records)[0].entry()
        self.assertEqual((entry["latency_us"], entry["overhead_us"]), (0, 12))

    def test_what_a_file_tells_is_not_measured(self):
        levels = hierarchy.levels_of(fake_model.PICTURE)
        entries = [one.entry() for one in self.evaluate()]
        self.assertEqual(links.unknown(levels, entries), [])
        self.assertEqual([one.kind for one in links.unknown(levels, entries[1:])], ["cluster"])
        self.assertEqual([one.kind for one in links.unknown(levels, [{"level": "node", "latency_us": 1}])],
                         ["cluster", "node"])

    def test_what_a_person_wrote_holds(self):
        found = self.evaluate()
        people = {"level": "switch", "latency_us": 9, "comment": "the vendor says so"}
        old = [{"level": "cluster", "latency_us": 1, "comment": "measured between 2 pairs"},
               {"level": "numa", "latency_us": 1, "comment": "measured between 2 pairs"}, people]
        self.assertEqual(links.merged(old, found), [people, *(one.entry() for one in found), old[1]])

    def test_they_come_back(self):
        for one in self.evaluate():
            self.assertEqual(links.Link.from_json(json.loads(json.dumps(one.to_json()))), one)


class PlansOfTheModel(unittest.TestCase):
    def test_forward_is_always_there(self):
        tree = fake_model.WAYS["near"]
        record = {"collective": "bcast", "bytes": 8, "chosen": tree, "candidates": [tree, fake_model.WAYS["small"]]}
        found = plans._plans(record)
        self.assertEqual(len(found.contenders), 3)
        self.assertEqual((found.contenders[0].name, found.contenders[0].parameters, found.contenders[-1].name),
                         (IN_FORCE, (), FORWARD))
        self.assertEqual(found.chosen.name, "tree cluster chain, node binomial")
        self.assertEqual(plans.info_keys(found.contenders[1].parameters),
                         {"strata_bcast_algorithm": "tree",
                          "strata_bcast_level_algorithms": "cluster=linear,node=linear",
                          "strata_bcast_segsize": "cluster=0,node=0"})
        record["chosen"] = {"engine": "forward", "levels": [], "forward_us": 7}
        self.assertEqual([one.name for one in plans._plans(record).contenders][0], IN_FORCE)
        self.assertNotIn(FORWARD, [one.name for one in plans._plans(record).contenders])
        record["chosen"] |= {"composed": True, "parameters": {"bcast_algorithm": "auto"}}
        self.assertEqual(plans._plans(record).chosen.name, "forward as reduce and bcast")
        self.assertIn(FORWARD, [one.name for one in plans._plans(record).contenders])

    def test_a_segment_that_holds_all(self):
        self.assertEqual([plans._whole(text, 8192) for text in ("switch=61440,node=4096", "8k", "0", "node=8191")],
                         ["switch=0,node=4096", "0", "0", "node=8191"])

    def test_whether_it_was_done(self):
        told = (("bcast_algorithm", "tree"), ("bcast_level_algorithms", "switch=chain,node=knomial:4"))
        for engine, levels, good in (("tree", "switch chain/0, node knomial:4/61440", True), ("ring", "", False),
                                     ("tree", "switch chain/0, node knomial:2/0", False), ("forward", "", False)):
            self.assertEqual(plans.asks_for(told, "bcast", engine, levels), good)
        self.assertTrue(plans.asks_for((("bcast_algorithm", "forward"),), "bcast", "forward", ""))
        self.assertTrue(plans.asks_for((("bcast_algorithm", "auto"),), "bcast", "forward", ""))

    def test_whether_it_was_skipped(self):
        told = (("bcast_algorithm", "tree"), ("bcast_level_algorithms", "node=binomial,numa=skip,core=skip"))
        for levels, good in (("node binomial/0; skips numa, core", True), ("node binomial/0; skips numa", True),
                             ("node binomial/0, numa linear/0; skips core", False),
                             ("node linear/0; skips numa, core", False)):
            self.assertEqual(plans.asks_for(told, "bcast", "tree", levels), good, levels)
        kept = (("bcast_level_algorithms", "node=binomial,numa=linear"),)
        self.assertFalse(plans.asks_for(kept, "bcast", "tree", "node binomial/0; skips numa"))

    def test_levels_that_are_skipped_have_names(self):
        large = fake_model.WAYS["large"]
        found = plans._plans({"collective": "bcast", "bytes": 1 << 20, "chosen": large, "candidates": []})
        self.assertEqual(found.chosen.name, "tree cluster knomial:4/60K, node binomial/8K without numa")
        self.assertEqual(dict(found.chosen.parameters)["bcast_level_algorithms"],
                         "cluster=knomial:4,node=binomial,numa=skip")

    def test_what_was_before(self):
        near, small = (plans._plans({"collective": "bcast", "bytes": 8, "chosen": fake_model.WAYS[name],
                                     "candidates": [fake_model.WAYS["small"]]}) for name in ("near", "small"))
        self.assertEqual(plans.with_before(near, near), near)
        self.assertEqual(plans.with_before(near, small).before, "tree linear")
        both = plans.with_before(small, near)
        self.assertEqual((both.before, len(both.contenders)), ("tree cluster chain, node binomial", 3))


class Rules(Folder):
    A, B = '{"engine": "tree", "levels": [{"level": "node", "algorithm": "chain"}]}', '{"engine": "forward"}'

    def test_sizes_between(self):
        self.assertEqual(rules.bounds([8, 128, 2048]), {8: (8, 33), 128: (33, 513), 2048: (513, 2049)})
        self.assertEqual(rules.bounds([8]), {8: (8, 9)})

    def test_painting(self):
        ranges, limits = rules.Ranges(), rules.bounds([8, 128, 2048, 32768])
        for size, what in ((8, self.A), (2048, self.B), (128, self.A)):
            ranges.paint(*limits[size], what)
        self.assertEqual(ranges.pieces, [(8, 513, self.A), (513, 8193, self.B)])
        ranges.paint(100, 200, self.B)
        self.assertEqual(ranges.pieces, [(8, 100, self.A), (100, 200, self.B), (200, 513, self.A),
                                         (513, 8193, self.B)])
        ranges.paint(0, 600, None)
        self.assertEqual((ranges.pieces, ranges.at(599), ranges.at(600)), ([(600, 8193, self.B)], None, self.B))

    def test_painting_is_as_if_size_by_size(self):
        chance = random.Random(5)
        for _ in range(200):
            ranges, plain = rules.Ranges(), {}
            for _ in range(12):
                first, what = chance.randrange(40), chance.choice("ABC") if chance.random() < 0.8 else None
                below = first + chance.randrange(1, 20)
                ranges.paint(first, below, what)
                plain.update(dict.fromkeys(range(first, below), what))
            self.assertEqual([ranges.at(size) for size in range(60)], [plain.get(size) for size in range(60)])
            self.assertTrue(all(one[1] < other[0] or one[2] != other[2]
                                for one, other in zip(ranges.pieces, ranges.pieces[1:])), "neighbours are merged")

    def test_choices(self):
        told = (("bcast_algorithm", "tree"), ("bcast_level_algorithms", "cluster=knomial:4,node=binomial"),
                ("bcast_segsize", "cluster=60k"))
        self.assertEqual(json.loads(rules.choice("bcast", told)), {"engine": "tree", "levels": [
            {"level": "cluster", "algorithm": "knomial:4", "segment": 61440},
            {"level": "node", "algorithm": "binomial"}]})
        self.assertEqual(rules.choice("bcast", (("bcast_algorithm", "forward"),)), self.B)
        with self.assertRaises(ValueError):
            rules.choice("bcast", (("bcast_window", "8"),))

    def test_the_file_comes_back_and_keeps_what_is_not_ours(self):
        path, other = os.path.join(self.folder, "r.json"), rules.Shape(16, "16 ranks", ())
        theirs = [{"collective": ["bcast", "reduce"], "engine": "tree"},
                  {"collective": "bcast", "engine": "forward", "comment": other.comment}]
        file = rules.RulesFile([{"level": "node", "latency_us": 1}], {}, theirs)
        file.paint("bcast", (8, 100), self.A)
        file.paint("barrier", None, self.B)
        for _ in range(2):
            file.write(path, SHAPE, "it's")
            file = rules.read(path, SHAPE)
            self.assertEqual(file.own["bcast"].pieces, [(8, 100, self.A)])
            self.assertEqual(file.own["barrier"].at(0), self.B)
            self.assertEqual((file.others, file.links), (theirs, [{"level": "node", "latency_us": 1}]))
        written = fake_model.load(path)["rules"]
        self.assertEqual(written[2:], theirs)
        self.assertEqual(written[0]["ranks"], {"from": 8, "below": 9})
        self.assertEqual(written[0]["hierarchy"], [{"level": "cluster", "group": {"from": 2, "below": 3}},
                                                   {"level": "node", "group": {"from": 4, "below": 5}}])
        self.assertNotIn("bytes", written[1])
        self.assertEqual(rules.read(path, other).own["bcast"].at(5), self.B)

    def test_a_broken_file(self):
        path = os.path.join(self.folder, "r.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaisesRegex(ClusterError, "r.json"):
            rules.read(path, SHAPE)


def cell(size=64, operation="bcast", **predicted):
    contenders = [Contender(IN_FORCE, (), predicted.pop("ours", 100))]
    contenders += [Contender(name, ((name, ""),), us) for name, us in predicted.items()]
    return Cell(Plans(operation, size, Contender("tree", (("x", ""),)), tuple(contenders)))


class Decisions(unittest.TestCase):
    def of(self, **times):
        one = cell(**dict.fromkeys((name for name in times if name != "ours"), 100))
        one.times = {IN_FORCE if name == "ours" else name: list(values) for name, values in times.items()}
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
        found = decide(one)
        self.assertEqual((found.name, found.ratio, broken([one])), (IN_FORCE, 1.0, [(one, "a", "3 wrong bytes")]))
        one.failure = "crashed"
        self.assertEqual((decide(one).name, decide(one).ratio), (IN_FORCE, None))

    def test_shares(self):
        found = [self.of(ours=[10.0] * 9, a=[one] * 9) for one in (9.9, 9.3, 9.2, 5)] + [self.of(ours=(), a=())]
        self.assertEqual([str(share(found, 0.05)), share(found, 0.10).count, share(found, 0.05, True).count],
                         ["1 of 4 cells (25%) within 5% of the best", 3, 4])

    @staticmethod
    def second_run(chance, middles, choose):
        """Which contender is in force after a run."""
        one = cell(**{str(number): 100 for number in range(len(middles) - 1)})
        one.times = {name: [middle * chance.lognormvariate(0, 0.05) for _ in range(60)]
                     for name, middle in zip(one.times, middles)}
        return list(one.times).index(choose(one))

    def worsened(self, choose, runs=300):
        """Of runs one after the other, how many made the choice worse; the first is what the model chose."""
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

    def test_without_intervals_it_would_be(self):
        self.assertGreater(self.worsened(lambda one: one.best()), 0.05)


class Races(unittest.TestCase):
    STARTUP, AROUND = 1.0, 0.001

    def race(self, cells, seconds, times, wrong=(), failing=(), spent=0):
        """times(contender, size, number) in microseconds."""
        self.now, self.jobs, self.saved = 0.0, [], []
        chance = random.Random(1)

        def launch(operation, work, repetitions):
            self.jobs.append((operation, [(one.size, sorted(names)) for one, names in work], repetitions))
            job = Job(self.STARTUP, {})
            for one, names in work:
                for name in names:
                    its = [times(name, one.size) * chance.uniform(0.99, 1.01) for _ in range(repetitions)]
                    job.times[one.size, name] = its
                    job.seconds += sum(its) / 1e6 + repetitions * self.AROUND
                    if (one.size, name) in wrong:
                        job.wrong[one.size, name] = "3 wrong bytes"
            if any(one.size in failing for one, _ in work):
                job.failure, job.times = "a crash", {}
            self.now += job.seconds
            return job

        budget = Budget(seconds, spent, lambda: self.now)
        Race(cells, launch, budget, Silent(), self.saved.append, self.STARTUP).run()
        return budget

    def test_the_slow_are_out_early(self):
        one = cell(fast=100, close=100, slow=100, hopeless=100)
        self.race([one], 100, lambda name, _: {IN_FORCE: 100, "fast": 90, "close": 90.1, "slow": 110,
                                               "hopeless": 300}[name])
        counts = {name: len(times) for name, times in one.times.items()}
        self.assertEqual(counts, {IN_FORCE: 6, "fast": 60, "close": 60, "slow": 6, "hopeless": 2})
        self.assertEqual([repetitions for _, _, repetitions in self.jobs], [2, 4, 9, 15, 30])
        self.assertIn(decide(one).name, ("fast", "close"))

    def test_sizes_share_a_job(self):
        cells = [cell(size, operation, a=100) for operation in ("bcast", "reduce") for size in (8, 64, 512)]
        self.race(cells, 600, lambda *_: 100)
        self.assertEqual(len(self.jobs), 2 * len(HEATS))
        self.assertEqual(set(map(id, self.saved)), set(map(id, cells)))

    def test_nothing_to_choose_takes_no_time(self):
        self.race([cell()], 100, None)
        self.assertEqual(self.jobs, [])

    def test_the_budget(self):
        """With predictions that are wrong by up to a factor of 20, no more than one job too long; cheap cells first."""
        for seed in range(30):
            chance = random.Random(seed)
            cells = [cell(8 << power, operation, ours=50 << power, a=(60 << power) * chance.uniform(0.05, 1))
                     for operation in ("bcast", "reduce") for power in range(14)]
            seconds = chance.choice((5, 20, 60))
            budget = self.race(cells, seconds, lambda _, size: size * 12)
            longest = max(len(names) * (repetitions * (size * 12.1e-6 + self.AROUND)) + self.STARTUP
                          for _, work, repetitions in self.jobs for size, names in work)
            self.assertLess(budget.spent, seconds + max(longest, seconds / 20))
            self.assertGreater(budget.spent, seconds / 2)
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

    def test_a_crash_concerns_its_cell_alone(self):
        cells = [cell(size, a=100) for size in (8, 64, 512)]
        self.race(cells, 600, lambda *_: 100, failing={64})
        self.assertEqual([one.failure for one in cells], ["", "a crash", ""])
        self.assertEqual([len(one.times["a"]) for one in cells], [60, 0, 60])

    def test_a_cell_comes_back(self):
        one, other, changed = cell(a=100), cell(a=100), cell(b=100)
        one.times["a"], one.failed = [1.0, 2.0], {"a": "why"}
        for two in (other, changed):
            two.restore(json.loads(json.dumps(one.to_json())))
        self.assertEqual((other.times, other.failed, changed.failed), (one.times, one.failed, {}))


class Command(Folder):
    """The whole command on the made-up cluster."""

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

    def tune(self, *options, mode="good", seed=1):
        environment = {**os.environ, "STRATA_FAKE": mode, "STRATA_FAKE_SEED": str(seed),
                       "STRATA_FAKE_COUNT": self.count}
        call = [os.path.join(ROOT, "bench", "tune"), "--build", os.path.join(self.folder, "build"), "--launcher",
                f"{sys.executable} -S -E {HERE}/fake_tuned_job.py", "--results", self.results, "--site", "lab", "--op",
                "bcast,barrier", "--sizes", "8,64,1K,16K,128K,1M", "--no-plots", *options]
        done = subprocess.run(call, env=environment, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def started(self):
        """The jobs so far."""
        with open(self.count, encoding="utf-8") as file:
            return file.read().splitlines()

    def in_force(self, size, operation="bcast"):
        return fake_model.chosen(fake_model.load(self.rules), operation, size)

    def check_file(self):
        """By the schema, and by the plugin's own parser."""
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
            self.assertIn(f"\ncoll_strata_rules = {self.rules}\n", file.read())
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
        self.assertIn("bcast-8: asked for tree linear, the job did tree cluster chain", output)

    def test_a_crash_is_told(self):
        status, output = self.tune(mode="crash")
        self.assertEqual(status, 1, output)
        self.assertIn("FAILED: bcast-1024, the job: exit status 1", output)
        self.assertEqual((self.in_force(8), self.in_force(1 << 20)), ("small", "large"))

    def test_no_time(self):
        status, output = self.tune("--check", "--budget", "1s", "--within", "100%")
        self.assertIn(status, (0, 1, 3), output)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_plots(self):
        from tuning import plot
        ones = [decide(one) for one in (cell(8, a=1), cell(64, a=1))]
        ones = [one.__class__(one.cell, IN_FORCE, Interval(3, *NOTHING, 1), None, Interval(2, *NOTHING, 1), "a", 2.0)
                for one in ones]
        paths, complaint = plot.draw(ones, self.folder)
        self.assertEqual((len(paths), complaint), (2, ""))


class Units(unittest.TestCase):
    def test_times(self):
        self.assertEqual([units.parse_seconds(text) for text in ("90", "90s", "5m", "1h")], [90, 90, 300, 3600])
        for bad in ("", "0", "5x", "-1", "m"):
            with self.assertRaises(ValueError, msg=bad):
                units.parse_seconds(bad)


# The program rules_verdict, or "" where it is not built.
VERDICT = sys.argv.pop(1) if sys.argv[1:2] == [""] or os.path.sep in "".join(sys.argv[1:2]) else ""
if __name__ == "__main__":
    unittest.main()
