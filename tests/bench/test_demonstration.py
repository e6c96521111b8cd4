#!/usr/bin/env python3
"""Tests of the demonstration that need no cluster."""

import shutil
import types
import unittest

from fakes import FakeCluster, Folder, Silent

from demonstration import applications, plot, report
from demonstration.measure import Case, Measurement
from measuring import competitors
from measuring.rounds import Effort, Series
from measuring.table import Paint

_PLAIN = Paint(False)


def measured(folder, rounds=2, **outcome):
    """A measurement on a fake cluster, and that cluster."""
    plan = types.SimpleNamespace(nodes=4, sites=2, nic="1gbit", uplink="200mbit", relay_mbit=0, delay_us=0,
                                 to_json=dict)
    cluster = FakeCluster(plan, **outcome)
    contenders = (competitors.tuned(), competitors.han(),
                  competitors.strata("plugins", {"network": "file:topology.conf"}))
    measurement = Measurement(cluster, "program", contenders, [Case("block", "0"), Case("cyclic", "rotate")],
                              Effort((8, 262144), 2, rounds), folder)
    measurement.run(Silent(), 0)
    return measurement, cluster


class Rounds(Folder):
    def test_good_run(self):
        measurement, cluster = measured(self.folder)
        self.assertEqual(len(cluster.runs), 2 * 2 * 3)
        self.assertTrue(measurement.succeeded())
        series = measurement.series[Case("block", "0")]["strata"]
        self.assertEqual((series.median(262144), len(series.times[8])), (2.0, 6))
        self.assertEqual(series.plans, {262144: ("tree", "node binary/3840")})
        self.assertAlmostEqual(measurement.limit(262144), 10.48576)

    def test_wrong_data_is_an_error(self):
        measurement, _ = measured(self.folder, wrong_bytes=1)
        self.assertFalse(measurement.succeeded())
        self.assertIn("WRONG DATA: 24 bytes", "\n".join(report.verdict(measurement, _PLAIN)))

    def test_failed_run_is_an_error_and_not_repeated(self):
        measurement, cluster = measured(self.folder, status=3)
        self.assertEqual(len(cluster.runs), 2 * 3)
        self.assertFalse(measurement.succeeded())
        self.assertIn("failed", "\n".join(report.table(measurement, _PLAIN)))

    def test_a_plugin_that_was_not_used_is_an_error(self):
        measurement, _ = measured(self.folder, errors="")
        self.assertFalse(measurement.succeeded())


class Report(Folder):
    def setUp(self):
        super().setUp()
        self.measurement, _ = measured(self.folder)

    def set_times(self, name, times):
        self.measurement.series[Case("block", "0")][name] = Series({8: times, 262144: times})

    def test_width_and_speed_up(self):
        self.set_times("tuned", [12345.6, 23456.7])
        table = report.table(self.measurement, _PLAIN)
        self.assertIn("8951x", next(line for line in table if "256 KiB" in line))
        lines = table + report.notes(self.measurement) + report.verdict(self.measurement, _PLAIN)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_slower_is_told_and_noise_is_told_apart(self):
        self.assertEqual(report.slower(self.measurement), [])
        self.set_times("strata", [4.0, 4.1, 4.2])
        self.assertEqual({(size, certain) for _, size, _, _, certain in report.slower(self.measurement)},
                         {(262144, True)})
        self.set_times("strata", [1.0, 4.1, 4.2])
        self.assertEqual({certain for *_, certain in report.slower(self.measurement)}, {False})

    def test_plans_say_what_their_numbers_mean(self):
        lines = report.chosen_plans(self.measurement)
        self.assertIn("0: whole", " ".join(lines[:3]))
        self.assertIn("  Round-robin order, rotating root", lines)
        self.assertIn("     256 KiB  tree: node binary/3840", lines)

    def test_plot(self):
        text = plot.script(self.measurement, "svg", "a'b.svg")
        self.assertIn("'a''b.svg'", text)
        self.assertEqual(text.count("with linespoints pt 0 lw 2"), 2)
        if shutil.which("gnuplot"):
            paths, complaint = plot.draw(self.measurement, self.folder)
            self.assertEqual((len(paths), complaint), (2, ""))


class Applications(unittest.TestCase):
    OUTPUT = """\
  read_data CPU = 0.52 seconds
Step Temp PotEng
       0 600.000000000001 -185969.813173368
      10 515.484981228547 -185365.413158565
Loop time of 0.9 on 16 procs for 10 steps with 55296 atoms
Total # of neighbors = 3878925
"""

    def test_lammps_output(self):
        numbers, seconds = applications.Lammps().read_output(self.OUTPUT)
        self.assertEqual(numbers["PotEng at step 10"], "-185365.413158565")
        self.assertEqual((len(numbers), seconds["reading the atoms"], seconds["10 steps"]), (5, 0.52, 0.9))
        for missing in ("read_data", "Loop time", "Total #"):
            with self.assertRaises(ValueError):
                applications.Lammps().read_output(self.OUTPUT.replace(missing, "-"))

    def compare(self, *values):
        comparison = applications.Comparison("", 1e-11)
        for value in values:
            comparison.compare({"energy": value, "atoms": "4"})
        return comparison

    def test_comparison(self):
        self.assertEqual(self.compare("1.5", "1.5").identical, 2)
        rounding = self.compare("1.5", "1.5000000000001")
        self.assertTrue(rounding.succeeded())
        self.assertEqual(rounding.identical, 1)
        for wrong in ("1.5001", "nan", "-1.5"):
            self.assertFalse(self.compare("1.5", wrong, "1.5").succeeded(), wrong)
        with self.assertRaises(ValueError):
            self.compare("1.5").compare({"energy": "1.5"})


if __name__ == "__main__":
    unittest.main()
