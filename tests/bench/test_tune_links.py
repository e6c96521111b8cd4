#!/usr/bin/env python3
"""Tests of bench/tune: measured links, and those that come into force."""

import json
import types
import unittest

from fakes import Folder

import fake_model
from strata_bench.measuring.cluster import ClusterError, Run
from strata_bench.tune import hierarchy, links
from strata_bench.tune.session import Session


class Links(Folder):
    def evaluate(self, spoil=lambda times: times, at_once=lambda count: 1.0, far=()):
        """Links with a latency of 20, an overhead of 2, 1000 bytes per microsecond. `at_once` are factors
        of the rate; `far` of the time to and from ranks far from the NIC."""
        shown = fake_model.PICTURE | ({"receivers": [0, 0, 2, 3, 5, 5, 6, 7]} if far else {})
        wanted = links.experiments(hierarchy.levels_of(shown))
        records = []
        for _, what, line in wanted:
            kind, size, count, *pairs = line.split()
            size, count = int(size), int(count) or 100
            time = 2 * count * 24 if kind == "pingpong" else (
                48 + (count - 1) * 2 if size == 8 else count * size * len(pairs) / 1000 / at_once(len(pairs)))
            time *= dict(zip(("to far", "from far"), far)).get(what, 1)
            records.append({"count": count, "bytes": size, "pairs": [[0, 1]] * len(pairs), "times": spoil([time] * 9)})
        return links.evaluate(wanted, records)

    def test_missing_results_are_an_error(self):
        def run(command, *_):
            with open(command[command.index("--json") + 1], "w", encoding="utf-8") as file:
                file.write('{"count": 1}\n{"cou')
            return Run(0, 0.1, "", "why")

        with self.assertRaisesRegex(ClusterError, r"status 0, 1 of \d+ results\nwhy"):
            links.measure(hierarchy.levels_of(fake_model.PICTURE), run, "program", self.folder, 1)

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

    def test_ranks_far_from_the_nic(self):
        def shares(to_far, from_far):
            entry = self.evaluate(far=(to_far, from_far))[0].entry()
            return entry["far_share"], entry["far_send_share"]

        self.assertEqual(shares(1.6, 1), (0.6, 0))
        self.assertEqual(shares(1.04, 1.25), (0, 0.25))  # 0.04 is noise
        self.assertNotIn("far_share", self.evaluate()[0].entry())
        old = [{"level": "cluster", "latency_us": 1}]
        self.assertEqual(links.with_shares(old, self.evaluate()), old)
        once = links.with_shares(old, self.evaluate(far=(1.3, 1.3)))
        people = {"level": "cluster", "far_share": 0.1, "comment": "the vendor says so"}
        self.assertEqual(links.with_shares([*once, people], self.evaluate(far=(1.6, 1))), [*old, people, {
            "level": "cluster", "far_share": 0.6, "far_send_share": 0, "comment": "measured between 1 pair"}])

    def test_a_gap_longer_than_half_the_way(self):
        """One way takes 24: the overhead cannot exceed 12 at each end."""
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


class InForce(unittest.TestCase):
    """Links that did not help the model are left out, except the shares of far ranks if they change no choice."""

    BEFORE = [{"level": "node", "latency_us": 1}]

    def written(self, differing, keeps_before=True):
        """Returns the links of each written file. `differing` are the deviations found in each."""
        found, left = [], list(differing)
        values = {"latency_us": links.interval([2.0] * 9), "far_share": links.interval([0.5] * 9)}
        one = links.Link("cluster", values, 1)
        session = types.SimpleNamespace(
            cells=[types.SimpleNamespace(keeps_before=keeps_before)], links_before=self.BEFORE, links=[one],
            options=types.SimpleNamespace(op=()), file=types.SimpleNamespace(links=[*self.BEFORE, one.entry()]))
        session._write_checked = lambda decisions: (found.append(session.file.links), left.pop(0))[1]
        return Session.check_rules(session, []), found

    def test_shares_stay(self):
        differing, found = self.written([[]])
        self.assertEqual((differing, len(found)), ([], 1))
        shares = {"level": "cluster", "far_share": 0.5, "comment": "measured between 1 pair"}
        self.assertEqual(found[0], [*self.BEFORE, shares])

    def test_shares_go_if_they_change_a_choice(self):
        differing, found = self.written([["a choice"], []])
        self.assertEqual((differing, found[-1]), ([], self.BEFORE))

    def test_all_stay_if_they_helped(self):
        differing, found = self.written([["a choice"]], keeps_before=False)
        self.assertEqual((differing, [len(one) for one in found]), (["a choice"], [2]))


if __name__ == "__main__":
    unittest.main()
