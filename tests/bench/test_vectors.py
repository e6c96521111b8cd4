#!/usr/bin/env python3
"""Tests of figure 14 of bench/simulate and of its variations, without the simulation."""

import unittest

from test_simulate import found_for

from strata_bench.simulate.catalogue import ALL
from strata_bench.simulate.vectors import grouped


class MadeUpLevels(unittest.TestCase):
    figure = ALL["figure14"]

    def reached(self, us, slow_us=5):
        """`us` are those of the artificial levels; shuffled, they take `slow_us` times as long."""
        def row(run, contender, _):
            return {"us": 1 if "@" not in contender else us * (slow_us if "shuffle:1" in run.job else 1)}
        return self.figure.reached(found_for(self.figure, row))

    def test_views(self):
        self.assertEqual(grouped((2, 2, 3)), "[0..2]+[3..5]+[6..8]+[9..11]/[0..5]+[6..11]")
        self.assertEqual([len(label.split(",")) for label in self.figure.contenders.values()][2:], [5] * 4)

    def test_gathers_and_uplinks(self):
        for name, first, change in (("figure14", "whole:linear", ()), ("figure14-gather", "gathers", ()),
                                    ("figure14-uplinks12", "gathers", ("switch1", "mbytes_per_s", 3))):
            run = ALL[name].runs()[0]
            self.assertEqual((run.contenders, run.change), ((first,), change))
            self.assertEqual(set(other.split("@")[0] for other in ALL[name].contenders), {first, "strata"})
        self.assertIn("3 times the bandwidth between switches", ALL[name].title)

    def test_what_is_said(self):
        self.assertTrue(self.reached(2))
        self.assertFalse(self.reached(1.9))
        self.assertFalse(self.reached(0.9, 50))


if __name__ == "__main__":
    unittest.main()
