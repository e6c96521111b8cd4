#!/usr/bin/env python3
"""Tests of the parts of bench/tune: hierarchies, plans of the model, rules."""

import json
import os
import random
import types
import unittest

from fakes import Folder

import fake_model
from strata_bench.measuring import units
from strata_bench.measuring.cluster import ClusterError, Run
from strata_bench.tune import hierarchy, links, plans, rules
from strata_bench.tune.cells import Cell
from strata_bench.tune.jobs import Jobs, _plan_in
from strata_bench.tune.plans import FORWARD, IN_FORCE

SHAPE = rules.Shape(8, "8 ranks: cluster 2, node 4", (("cluster", 2), ("node", 4)))


def picture(*levels):
    """Returns levels of (kind, lists of members); the greatest rank leads."""
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

    def test_other_orders(self):
        def members(whole, place):
            return [group["members"] for group in whole["levels"][place]["groups"]]

        block = picture(("cluster", [[0, 1, 2, 3, 4, 5]]), ("node", [[0, 1, 2], [3, 4, 5]]), ("numa", [[0, 1], [4, 5]]))
        block |= {"topology_order": list(range(6)), "topology_order_nodes": [0, 3], "receivers": [0, 1, 1, 3, 4, 5]}
        cyclic = hierarchy.dealt(block, True)
        self.assertEqual((members(cyclic, 1), members(cyclic, 2)), ([[0, 2, 4], [1, 3, 5]], [[0, 2], [3, 5]]))
        self.assertEqual((cyclic["topology_order"], cyclic["topology_order_nodes"]), ([0, 3, 1, 4, 2, 5], [0, 3]))
        self.assertEqual((cyclic["receivers"], cyclic["levels"][1]["groups"][0]["leader"]), ([0, 1, 2, 3, 2, 5], 4))
        for one in (block, cyclic):
            self.assertEqual((hierarchy.dealt(one, False), hierarchy.dealt(one, True)), (block, cyclic))
        self.assertEqual([hierarchy.is_block(one) for one in (block, cyclic)], [True, False])
        # Without a topology order, and with ranks of no group: each is a place.
        alone = picture(("node", [[0, 1, 2, 3, 4]]), ("numa", [[0, 1], [2, 3]]))
        self.assertEqual(members(hierarchy.dealt(alone, True), 1), [[0, 3], [1, 4]])
        flat = picture(("node", [[0, 1]]))
        self.assertEqual(hierarchy.dealt(flat, True), flat)

    def test_ranks_far_from_the_nic(self):
        nodes = picture(("cluster", [[0, 1, 2, 3, 4, 5]]), ("node", [[0, 1, 2], [3, 4, 5]]))
        self.assertEqual([level.far_pairs() for level in hierarchy.levels_of(nodes)], [[], []])
        levels = hierarchy.levels_of(nodes | {"receivers": [2, 1, 2, 5, 4, 5]})
        self.assertEqual([level.far_pairs() for level in levels], [[((2, 5), (0, 3))], []])

    def test_many_groups(self):
        many = hierarchy.levels_of(picture(("node", [[rank, rank + 1] for rank in range(0, 80, 2)])))[0]
        self.assertEqual(len(many.pairs()), 4)

    def test_custom_levels_have_no_links(self):
        custom = hierarchy.levels_of(picture(("custom0", [[0, 1]])))
        self.assertEqual(links.measure(custom, None, "", "", 1), [])


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

    def test_a_segment_that_holds_all(self):
        self.assertEqual([plans._whole(text, 8192) for text in ("switch=61440,node=4096", "8k", "0", "node=8191")],
                         ["switch=0,node=4096", "0", "0", "node=8191"])

    def test_whether_it_was_done(self):
        told = (("bcast_algorithm", "tree"), ("bcast_level_algorithms", "switch=chain,node=knomial:4"))
        for engine, levels, good in (("tree", "switch chain/0, node knomial:4/61440", True), ("ring", "", False),
                                     ("tree", "switch chain/0, node knomial:2/0", False), ("forward", "", False)):
            self.assertEqual(plans.asks_for(told, "bcast", engine, levels), good)
        self.assertTrue(plans.asks_for((("bcast_algorithm", "forward"),), "bcast", "forward", ""))
        self.assertFalse(plans.asks_for((("bcast_algorithm", "forward"),), "bcast", "tree", ""))

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

    def test_what_hangs_on_the_order(self):
        def of(forward_us, tree_us):
            return plans.Plans("bcast", 8, plans.Contender("tree"), (plans.Contender(IN_FORCE, (), tree_us),
                                                                     plans.forward("bcast", forward_us)))

        here = of(70, 69)
        self.assertIn("with cyclic order the model expects 430 µs of it instead of 70",
                      plans.hangs_on_order(here, of(430, 69), "cyclic"))
        for there in (of(70, 69), of(76, 69), of(60, 69), of(430, 440)):
            self.assertEqual(plans.hangs_on_order(here, there, "cyclic"), "")
        forwards = plans.Plans("bcast", 8, plans.forward("bcast"), (plans.Contender(IN_FORCE, (), 70),
                                                                    plans.Contender("tree", (("x", ""),), 80)))
        self.assertIn("430 µs of it instead of 70", plans.hangs_on_order(forwards, of(430, 69), "cyclic"))
        nothing_else = plans.Plans("bcast", 8, plans.forward("bcast"), (plans.Contender(IN_FORCE, (), 70),))
        self.assertEqual(plans.hangs_on_order(nothing_else, nothing_else, "cyclic"), "")

    def test_what_was_before(self):
        near, small = (plans._plans({"collective": "bcast", "bytes": 8, "chosen": fake_model.WAYS[name],
                                     "candidates": [fake_model.WAYS["small"]]}) for name in ("near", "small"))
        self.assertEqual(plans.with_before(near, near), near)
        self.assertEqual(plans.with_before(near, small).before, "tree linear")
        both = plans.with_before(small, near)
        self.assertEqual((both.before, len(both.contenders)), ("tree cluster chain, node binomial", 3))


class WhatAJobDid(Folder):
    """A job whose contenders are the choice in force, a tree, and forward."""

    SIZE, TIMES = 4096, [7.0, 8.0]
    TREE = "tree (node linear/0)"
    ASIDE = "[n0:1] coll:strata: all collectives, {}, 4 ranks: passed through: no levels\n"

    def cell(self, *lines):
        """Ends a job that prints `lines`, once per contender, with its number for "{}"."""
        record = {"collective": "allreduce", "bytes": self.SIZE, "candidates": [],
                  "chosen": {"engine": "tree", "predicted_us": 5, "forward_us": 6,
                             "levels": [{"level": "node", "algorithm": "linear", "segment": 0}]}}
        cell = Cell(plans._plans(record))
        self.assertEqual([one.name for one in cell.plans.contenders], [IN_FORCE, FORWARD])
        test = self

        class Runner:
            def run(self, _places, competitor, command, _log, _timeout):
                test.assertIn("coll_strata_setup_after 0", " ".join(competitor.options))  # else short calls lack a plan
                with open(command[command.index("--json") + 1], "w", encoding="utf-8") as file:
                    for number in range(len(lines)):
                        json.dump({"contender": str(number), "size": test.SIZE, "bytes": test.SIZE,
                                   "wrong_bytes": 0, "left_early": 0, "times": test.TIMES}, file)
                        file.write("\n")
                return Run(0, 0.1, "", "".join(line.format(number) for number, line in enumerate(lines)))

        built = types.SimpleNamespace(plugin_folder="plugins", program="program")
        jobs = Jobs(Runner(), built, {}, self.folder)
        names = [IN_FORCE, FORWARD]
        job = jobs.launch("allreduce", [(cell, names)], len(self.TIMES), 10)
        for name in names:
            self.assertEqual(job.times[self.SIZE, name], self.TIMES)
            if plan := job.plans.get((self.SIZE, name)):
                cell.note_plan(name, *plan)
        return cell

    def line(self, plan):
        return (f"[n0:1] coll:strata: why: {{}} allreduce of {self.SIZE} bytes from rank 0: {plan}, predicted 5 us, "
                "forward 6 us: why\n")

    def test_as_asked_for(self):
        for plain in (self.line(FORWARD), self.ASIDE, ""):
            self.assertEqual(self.cell(self.line(self.TREE), plain).others, {})

    def test_anything_else_is_noticed(self):
        self.assertEqual(self.cell(self.line(FORWARD), self.line(FORWARD)).others, {IN_FORCE: FORWARD})
        self.assertEqual(self.cell(self.line("tree (node chain/0)"), self.line(self.TREE)).others,
                         {IN_FORCE: "tree node chain/0", FORWARD: "tree node linear/0"})
        self.assertEqual(self.cell(self.ASIDE, self.ASIDE).others, {IN_FORCE: FORWARD})

    def test_it_does_not_count(self):
        """Another file chose it, and with this file the plugin does something else."""
        told = (("allreduce_algorithm", "tree"),)
        cell = Cell(plans.Plans("allreduce", self.SIZE, plans.forward("allreduce"),
                                (plans.Contender(IN_FORCE), plans.Contender("tree linear", told))))
        cell.times = {name: list(self.TIMES) for name in cell.times}
        cell.note_plan("tree linear", FORWARD, "")
        self.assertEqual((cell.out("tree linear"), list(cell.measured())), (True, [IN_FORCE]))


class SharedPlans(unittest.TestCase):
    def test_sizes_that_are_alike_are_told_once(self):
        told = {("0", "bcast", 1024): "x", ("0", "bcast", 1200): "y", ("0", "bcast", 1300): "z",
                ("1", "gather", 0): "0"}
        for number, operation, size, plan in (("0", "bcast", 1024, "x"), ("0", "bcast", 1100, "x"),
                                              ("0", "bcast", 1279, "y"), ("0", "bcast", 1280, "z"),
                                              ("0", "bcast", 1023, None), ("0", "bcast", 1536, None),
                                              ("1", "bcast", 1024, None), ("1", "gather", 99, "0")):
            self.assertEqual(_plan_in(told, number, operation, size), plan, size)
        self.assertIsNone(_plan_in({("0", "bcast", 4): "x"}, "0", "bcast", 5))


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


class Units(unittest.TestCase):
    def test_times(self):
        self.assertEqual([units.parse_seconds(text) for text in ("90", "90s", "5m", "1h")], [90, 90, 300, 3600])
        for bad in ("", "0", "5x", "-1", "m"):
            with self.assertRaises(ValueError, msg=bad):
                units.parse_seconds(bad)


if __name__ == "__main__":
    unittest.main()
