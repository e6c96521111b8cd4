#!/usr/bin/env python3
"""Tests of the NUIOA benchmark that need no cluster."""

import shutil
import types
import unittest

from fakes import FakeCluster, Folder, Silent

from strata_bench.measuring import competitors
from strata_bench.measuring.rounds import Effort
from strata_bench.measuring.table import Paint
from strata_bench.nuioa import command_line
from strata_bench.nuioa import plot, report
from strata_bench.nuioa.cases import (ALLGATHER, BINDINGS, FIGURES, FIGURES_OF, GATHER, HEADLINE, REDUCE, Case,
                                   Measurement, bound, cases_of, half_far)

_PLAIN = Paint(False)
_SIZE = 4 << 20  # 67.1 ms through the NIC, 111.8 ms through the slow path
_CONTENDERS = (competitors.tuned(), competitors.han(), competitors.strata("plugins", {"nic": "none"}, "off"),
               competitors.strata("plugins", {}))


def measured(folder, figures=tuple(FIGURES), direction="receive", **outcome):
    plan = types.SimpleNamespace(nic="500mbit", far_mbit=300, far_direction=direction, to_json=dict)
    cluster = FakeCluster(plan, **outcome)
    measurement = Measurement(cluster, "program", _CONTENDERS, cases_of(figures), Effort((_SIZE,), 2, 1),
                              folder)
    measurement.run(Silent(), 0)
    return measurement, cluster


def times_of(on, off, near_root=None):
    """Times in milliseconds: election on or off, and on with a near root."""
    def times(_places, competitor, root):
        elected = on if root == "0" or near_root is None else near_root
        return [(elected if competitor.name == "strata" else off) * 1e3] * 3

    return times


class Cases(unittest.TestCase):
    def test_shapes(self):
        case = HEADLINE[0]
        self.assertEqual(case.places, ("--order", "block", "--per-node", "4,4,4,4,0,0,0,0",
                                       "--far-ranks", "2,2,2,2,0,0,0,0"))
        self.assertEqual((case.nodes, case.each, case.ranks, case.root_far), (4, 4, 16, True))
        self.assertFalse(HEADLINE[1].root_far)
        self.assertEqual([(one.root_far, one.others_near()) for one in BINDINGS],
                         [(True, False), (False, False), (True, True), (False, True)])

    def test_figures_share_cases(self):
        self.assertEqual(half_far(8, 1), bound(True, True))
        self.assertEqual(len(cases_of(FIGURES_OF["bcast"])), 10)
        self.assertEqual(len(cases_of(FIGURES)), 15)
        self.assertEqual(len({case.name() for case in cases_of(FIGURES)}), 15)
        self.assertEqual(len({case.short_title() for case in cases_of(FIGURES)}), 15)

    def test_figures_of_operations(self):
        def chosen(*words):
            return command_line._figures(command_line._parser().parse_args(words))

        self.assertEqual(chosen(), ["headline", "5", "8", "9"])
        self.assertEqual(chosen("--op", "all", "--figure", "8"), ["8", "reduce", "gather", "allgather"])
        self.assertEqual(chosen("--op", "reduce", "--figure", "8"), ["reduce"])
        self.assertEqual(chosen("--op", "gather"), ["gather"])

    def test_operations_without_a_root(self):
        self.assertIsNone(ALLGATHER[0].root)
        self.assertEqual(ALLGATHER[0].short_title(), "Allgather, 4 nodes with 4 ranks each")
        self.assertEqual(GATHER[0].short_title(), "Gather, 4 nodes with 4 ranks each, root far")


class Limits(Folder):
    def limits(self, case, direction="receive"):
        measurement, _ = measured(self.folder, ("headline",), direction)
        return [round(limit(case, _SIZE), 1) for limit in (measurement.limit, measurement.limit_of_lowest)]

    def test_limits(self):
        self.assertEqual(self.limits(half_far(4, 4)), [67.1, 111.8])
        self.assertEqual(self.limits(bound(True, True)), [111.8, 111.8])
        self.assertEqual(self.limits(bound(True, False)), [67.1, 67.1])
        self.assertEqual(self.limits(Case((4, 4), (0, 0))), [67.1, 67.1])
        self.assertEqual(self.limits(Case((4, 4), (0, 4))), [111.8, 111.8])

    def test_both_directions(self):
        self.assertEqual(self.limits(bound(True, False), "both"), [111.8, 111.8])
        self.assertEqual(self.limits(Case((4, 4), (2, 0)), "both"), [67.1, 111.8])

    def test_reduce(self):
        near, far = REDUCE
        self.assertEqual(self.limits(near), [67.1, 111.8])
        self.assertEqual(self.limits(far), [67.1, 111.8])
        self.assertEqual(self.limits(near, "both"), [67.1, 111.8])
        # With two nodes, one only sends.
        self.assertEqual(self.limits(half_far(2, 4, 2, "reduce")), [67.1, 67.1])
        self.assertEqual(self.limits(half_far(2, 4, 2, "reduce"), "both"), [67.1, 111.8])
        # A root without near neighbours has to receive through the slow path.
        self.assertEqual(self.limits(Case((4, 4), (4, 0), 0, "reduce")), [111.8, 111.8])
        self.assertEqual(self.limits(Case((4, 4), (0, 4), 0, "reduce")), [67.1, 67.1])
        self.assertEqual(self.limits(Case((4, 4), (0, 4), 0, "reduce"), "both"), [111.8, 111.8])


    def test_gather(self):
        # 12 of 16 chunks: 50.3 ms through the NIC, 83.9 through the slow path.
        far, near = GATHER
        self.assertEqual(self.limits(far), [50.3, 83.9])
        self.assertEqual(self.limits(near), [50.3, 50.3])
        # Each other node sends 4 chunks, 27.9 ms through the slow path: the root's NIC is the busiest.
        self.assertEqual(self.limits(far, "both"), [50.3, 83.9])
        self.assertEqual(self.limits(near, "both"), [50.3, 50.3])
        # No rank is near on the root's node; 9 of 12 chunks, and the 9 of one node through the slow path.
        self.assertEqual(self.limits(Case((4, 4), (4, 0), 0, "gather")), [55.9, 55.9])
        self.assertEqual(self.limits(Case((3, 9), (0, 9), 0, "gather")), [50.3, 50.3])
        self.assertEqual(self.limits(Case((3, 9), (0, 9), 0, "gather"), "both"), [83.9, 83.9])

    def test_allgather(self):
        self.assertEqual(self.limits(ALLGATHER[0]), [50.3, 83.9])
        self.assertEqual(self.limits(ALLGATHER[0], "both"), [50.3, 83.9])
        self.assertEqual(self.limits(Case((4, 4), (0, 0), 0, "allgather")), [33.6, 33.6])
        self.assertEqual(self.limits(Case((4, 4), (0, 2), 0, "allgather")), [33.6, 55.9])
        # The smallest node lacks most.
        self.assertEqual(self.limits(Case((2, 6), (1, 0), 0, "allgather")), [50.3, 83.9])


class Runs(Folder):
    def test_who_is_measured_and_what_it_is_told(self):
        measurement, cluster = measured(self.folder)
        self.assertTrue(measurement.succeeded())
        self.assertEqual(set(measurement.series[HEADLINE[0]]), {"tuned", "han", "off", "strata"})
        self.assertEqual(set(measurement.series[HEADLINE[1]]), {"off", "strata"})
        self.assertEqual(set(measurement.series[BINDINGS[1]]), {"tuned", "han", "strata"})
        self.assertEqual(set(measurement.series[REDUCE[0]]), {"tuned", "han", "off", "strata"})
        self.assertEqual(set(measurement.series[REDUCE[1]]), {"off", "strata"})
        self.assertEqual(cluster.operations.count("reduce"), 6)
        self.assertEqual([root for (_, _, root), name in zip(cluster.runs, cluster.operations)
                          if name == "reduce"], ["2"] * 4 + ["0"] * 2)
        self.assertEqual(set(measurement.series[GATHER[0]]), {"tuned", "han", "off", "strata"})
        self.assertEqual(set(measurement.series[GATHER[1]]), {"off", "strata"})
        self.assertEqual([root for (_, _, root), name in zip(cluster.runs, cluster.operations)
                          if name == "gather"], ["0"] * 4 + ["2"] * 2)
        self.assertEqual({root for (_, _, root), name in zip(cluster.runs, cluster.operations)
                          if name == "allgather"}, {None})
        for places, competitor, _ in cluster.runs:
            told = dict(zip(competitor.options[1::3], competitor.options[2::3]))
            self.assertEqual(competitor.options.count("coll_strata_nic"), "coll_strata_nic" in told)
            several = competitor.is_plugin and places[3] != "1,1,1,1,1,1,1,1"
            self.assertEqual("coll_strata_placement" in told, several)
            if several:
                self.assertEqual(told["coll_strata_nic"],
                                 "none" if competitor.name == "off" else "eth0@numa:1")

    def test_failures_are_told(self):
        measurement, _ = measured(self.folder, outcome=(1, 0, 1))
        self.assertFalse(measurement.succeeded())
        self.assertIn("WRONG DATA", "\n".join(report.verdict(measurement, FIGURES, _PLAIN)))
        measurement, _ = measured(self.folder, outcome=(0, 0, 3))
        lines = (report.table(measurement, FIGURES, (_SIZE,), _PLAIN)
                 + report.verdict(measurement, FIGURES, _PLAIN))
        self.assertIn("FAILED", "\n".join(lines))
        self.assertEqual(plot.draw(measurement, FIGURES, self.folder), ([], "nothing to plot"))


class Report(Folder):
    def verdict(self, *times, figures=("headline",), direction="receive"):
        measurement, _ = measured(self.folder, figures, direction, times_of=times_of(*times))
        return "\n".join(report.verdict(measurement, figures, _PLAIN))

    def test_targets(self):
        good = self.verdict(70, 125)
        for text in ("1.79 times as fast as without election (target 1.5): reached",
                     "96 % of the near path's limit (target 90): reached",
                     "a far root costs +0.0 % (target less than 5): reached"):
            self.assertIn(text, good)
        bad = self.verdict(100, 125, 90)
        for text in ("1.25 times as fast as without election (target 1.5): MISSED",
                     "67 % of the near path's limit (target 90): MISSED",
                     "a far root costs +11.1 % (target less than 5): MISSED"):
            self.assertIn(text, bad)

    def test_both_directions_have_no_target_for_the_root(self):
        self.assertIn("it sends through the slow path", self.verdict(70, 125, direction="both"))

    def test_figures(self):
        text = self.verdict(80, 100, figures=tuple(FIGURES))
        self.assertIn("+25 % with 2, +25 % with 4, +25 % with 8 per node.", text)
        self.assertIn("+25 % with 2, +25 % with 4, +25 % with 8 nodes.", text)
        self.assertIn("root near +0 % with far others", text)

    def test_reduce(self):
        good = self.verdict(80, 120, 70, figures=("reduce",))
        for text in ("1.71 times as fast as without election, to a near root (target 1.4): reached",
                     "96 % of the near path's limit", "1.7 times as fast as tuned",
                     "to a far root: 1.50 times as fast"):
            self.assertIn(text, good)
        self.assertIn("1.33 times as fast as without election, to a near root (target 1.4): MISSED",
                      self.verdict(90, 120, figures=("reduce",)))

    def test_blocks(self):
        good = self.verdict(60, 90, 55, figures=("gather", "allgather"))
        for text in ("1.50 times as fast as without election, to a far root (target 1.4): reached",
                     "84 % of the near path's limit", "1.5 times as fast as tuned",
                     "to a near root: 1.64 times as fast", "allows 83.9 ms at best (93 % of that reached)."):
            self.assertIn(text, good)
        self.assertIn("1.64 times as fast as without election (target 1.4): reached", good)
        self.assertIn("1.29 times as fast as without election, to a far root (target 1.4): MISSED",
                      self.verdict(70, 90, 55, figures=("gather",)))

    def test_block_throughput(self):
        self.assertEqual([report.rank_bytes(case, _SIZE) for case in (HEADLINE[0], GATHER[0], ALLGATHER[0])],
                         [_SIZE, _SIZE / 16, _SIZE])

    def test_words(self):
        for figures, ending in (((("headline"),), "the last rank has the message,"),
                                (("gather",), "the root has the result,"),
                                (("gather",), "12 of 16 chunks, those of other nodes, cross the NIC of the root"),
                                (("allgather",), "those of other nodes, cross every NIC"),
                                (("reduce",), "the root has the result,")):
            measurement, _ = measured(self.folder, figures)
            self.assertIn(ending, "\n".join(report.notes(measurement)))

    def test_width(self):
        measurement, _ = measured(self.folder)
        lines = (report.table(measurement, FIGURES, (_SIZE,), _PLAIN) + report.notes(measurement)
                 + report.verdict(measurement, FIGURES, _PLAIN))
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_throughput(self):
        self.assertAlmostEqual(report.megabytes(_SIZE, 67.108864), 62.5)
        self.assertEqual(report.receivers(HEADLINE[0]), 15)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_plot(self):
        measurement, _ = measured(self.folder)
        paths, complaint = plot.draw(measurement, list(FIGURES), self.folder)
        self.assertEqual((len(paths), complaint), (2, ""))


if __name__ == "__main__":
    unittest.main()
