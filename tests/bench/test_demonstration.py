#!/usr/bin/env python3
"""Tests of the demonstration that need no cluster."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(_ROOT, "bench"))

from demonstration import applications, competitors, plot, report, units  # noqa: E402
from demonstration.cluster import Run  # noqa: E402
from demonstration.measure import Case, Effort, Measurement, Series  # noqa: E402

_PLAN_LINE = ("[n0:1] coll:strata: MPI_COMM_WORLD bcast of 262144 bytes from rank 0: "
              "tree (node binary/3840), predicted 1 us")
_PLAIN = report.Paint(False)


class FakeCluster:
    """Answers every run with the same outcome."""

    ranks = 4

    def __init__(self, wrong_bytes=0, status=0, errors=_PLAN_LINE):
        self.runs = 0
        self.plan = types.SimpleNamespace(sites=2, delay_us=0, to_json=dict)
        self._outcome = (wrong_bytes, status, errors)

    def bottleneck_bits(self):
        return 200e6

    def run(self, _order, _competitor, command, _log, _timeout):
        self.runs += 1
        wrong_bytes, status, errors = self._outcome
        with open(command[command.index("--json") + 1], "w", encoding="utf-8") as file:
            for size in command[command.index("--sizes") + 1].split(","):
                json.dump({"size": int(size), "wrong_bytes": wrong_bytes, "times": [2e3, 1e3, 3e3]}, file)
                file.write("\n")
        return Run(status, 0.1, "", errors)


class Silent:
    def show(self, *_):
        pass

    step = say = show


def measured(folder, rounds=2, **outcome):
    """A measurement on a fake cluster, and that cluster."""
    os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
    cluster = FakeCluster(**outcome)
    contenders = (competitors.tuned(), competitors.han(), competitors.strata("plugins", "topology.conf"))
    measurement = Measurement(cluster, "program", contenders, [Case("block", "0"), Case("cyclic", "rotate")],
                              Effort((8, 262144), 2, rounds), folder)
    measurement.run(Silent(), 0)
    return measurement, cluster


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="strata-demo-test-")
        self.addCleanup(shutil.rmtree, self.folder)


class Units(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual([units.parse_size(text) for text in ("8", "64K", "4m", "1KiB")],
                         [8, 65536, 4 << 20, 1024])
        self.assertEqual([units.size_text(size) for size in (8, 1000, 1024, 4 << 20)],
                         ["8 B", "1000 B", "1 KiB", "4 MiB"])
        for bad in ("", "0", "3x", "-1", "1.5K"):
            with self.assertRaises(ValueError, msg=bad):
                units.parse_size(bad)

    def test_rates(self):
        self.assertEqual(units.bits_per_second("200mbit"), 200e6)
        self.assertEqual(units.bits_per_second("25mbps"), 200e6)
        self.assertIsNone(units.bits_per_second("none"))

    def test_digits(self):
        values = (1412.3, 99.96, 24.51, 9.999, 1.004, 0.91239)
        self.assertEqual([units.three_digits(value) for value in values],
                         ["1412", "100", "24.5", "10.0", "1.00", "0.912"])


    def test_ranges(self):
        self.assertEqual(units.range_text(["15", "15"]), "15")
        self.assertEqual(units.range_text(["2", "3"]), "2 to 3")

    def test_paths(self):
        here = os.getcwd()
        self.assertEqual([units.path_text(os.path.join(here, "a", "b")), units.path_text(here)], ["a/b", "."])
        for outside in (os.path.dirname(here), here + "-other", os.path.join(here, "..", "x")):
            self.assertEqual(units.path_text(outside), os.path.abspath(outside))


class Rounds(Folder):
    def test_good_run(self):
        measurement, cluster = measured(self.folder)
        self.assertEqual(cluster.runs, 2 * 2 * 3)
        self.assertTrue(report.succeeded(measurement))
        series = measurement.series[Case("block", "0")]["strata"]
        self.assertEqual((series.median(262144), len(series.times[8])), (2.0, 6))
        self.assertEqual(series.plans, {262144: ("tree", "node binary/3840")})
        self.assertAlmostEqual(measurement.limit(262144), 10.48576)

    def test_wrong_data_is_an_error(self):
        measurement, _ = measured(self.folder, wrong_bytes=1)
        self.assertFalse(report.succeeded(measurement))
        self.assertIn("WRONG DATA: 24 bytes", "\n".join(report.verdict(measurement, _PLAIN)))

    def test_failed_run_is_an_error_and_not_repeated(self):
        measurement, cluster = measured(self.folder, status=3)
        self.assertEqual(cluster.runs, 2 * 3)
        self.assertFalse(report.succeeded(measurement))
        self.assertIn("failed", "\n".join(report.table(measurement, _PLAIN)))

    def test_a_plugin_that_was_not_used_is_an_error(self):
        measurement, _ = measured(self.folder, errors="")
        self.assertFalse(report.succeeded(measurement))


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


class Environment(unittest.TestCase):
    def test_stock_is_stock(self):
        os.environ["OMPI_MCA_coll_strata_priority"] = "90"
        self.addCleanup(os.environ.pop, "OMPI_MCA_coll_strata_priority")
        self.assertNotIn("OMPI_MCA_coll_strata_priority", competitors.clean_environment())
        self.assertIn("^strata", competitors.tuned().options)

    def test_explaining_keeps_the_rest(self):
        plain = competitors.strata("plugins", "topology.conf")
        explained = competitors.explaining(plain, "h.svg")
        self.assertEqual(explained.options[:len(plain.options)], plain.options)
        self.assertEqual(dataclasses.replace(explained, options=plain.options), plain)


class Prepare(Folder):
    def run_prepare(self, packages):
        folder = os.path.join(self.folder, "component", "packaging")
        os.makedirs(folder)
        shutil.copy(os.path.join(_ROOT, "component", "packaging", "prepare"), folder)
        with open(os.path.join(folder, "debian-packages"), "w", encoding="utf-8") as file:
            file.write(packages)
        call = [os.path.join(folder, "prepare"), "--packages-only", "--no-install", "--for", "demo"]
        return subprocess.run(call, text=True, capture_output=True, check=False)

    @unittest.skipUnless(shutil.which("dpkg-query"), "not Debian")
    def test_missing_packages_are_named(self):
        done = self.run_prepare("# comment\nbuild bash\nbuild no-such-a|no-such-b\n"
                                "demo no-such-c\ntests no-such-d\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-a no-such-c\n", done.stderr)

    @unittest.skipUnless(shutil.which("dpkg-query"), "not Debian")
    def test_one_of_several_is_enough(self):
        done = self.run_prepare("build no-such-a|bash\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
