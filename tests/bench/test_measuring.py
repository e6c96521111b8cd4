#!/usr/bin/env python3
"""Tests of the benchmarks' common parts: no cluster, no MPI."""

import argparse
import dataclasses
import math
import os
import random
import shutil
import subprocess
import unittest

from fakes import ROOT, Folder

import collective_table

from strata_bench.measuring import cli, competitors, files, gnuplot, intervals, operations, series, units


class Units(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual([units.parse_size(text) for text in ("8", "64K", "4m", "1KiB")],
                         [8, 65536, 4 << 20, 1024])
        self.assertEqual([units.size_text(size) for size in (8, 1000, 1024, 4 << 20)],
                         ["8 B", "1000 B", "1 KiB", "4 MiB"])
        self.assertEqual(units.size_text(0), "no data")
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
        """For a skewed distribution, as times have, at least 95 of 100 intervals contain the median."""
        chance = random.Random(3)
        held = [found.low <= math.log(2) <= found.high for found in (
            intervals.interval([chance.expovariate(1) for _ in range(30)]) for _ in range(4000))]
        self.assertGreater(sum(held) / len(held), 0.945)
        self.assertLess(sum(held) / len(held), 0.975)


class Operations(unittest.TestCase):
    def test_they_are_those_of_the_plugin(self):
        self.assertEqual(list(operations.ALL), collective_table.names())

    def test_their_traits_are_those_of_the_plugin(self):
        rooted, up, vectors, blocks, unequal = (set(collective_table.having(trait)) for trait in (
            "rooted", "up", "vectors", "blocks", "unequal"))
        for name, one in operations.ALL.items():
            self.assertEqual((one.rooted, one.to_root, one.blocks, one.unequal, one.sized),
                             (name in rooted, name in rooted & up, name in blocks, name in unequal,
                              name in vectors | blocks), name)

    def test_blocks(self):
        self.assertEqual(operations.ALL["gather"].block_bytes(10, 4), (3, 3, 3, 3))
        self.assertEqual(operations.ALL["gatherv"].block_bytes(7, 4), (1, 2, 3, 1))
        self.assertEqual(operations.ALL["allgatherv"].block_bytes(2, 4), (0, 0, 1, 1))
        for size in (1, 8, 1000, 4 << 20):
            self.assertEqual(sum(operations.ALL["scatterv"].block_bytes(size, 13)), size)

    def test_sizes(self):
        self.assertEqual(operations.sizes_of("reduce", [8, 64]), (8, 64))
        self.assertEqual(operations.sizes_of("barrier", [8, 64]), (0,))

    def test_words(self):
        self.assertEqual(operations.titles(["bcast", "reduce", "barrier"]), "Bcast, Reduce and Barrier")
        self.assertEqual(operations.titles(["bcast"]), "Bcast")
        self.assertEqual([operations.until(names) for names in (["bcast"], ["reduce"], ["bcast", "scatter"],
                                                                ["bcast", "gather"])],
                         ["the last rank has the message", "the root has the result", "the last rank is done",
                          "the last rank is done (Gather: the root)"])

    def test_option(self):
        parser = argparse.ArgumentParser(exit_on_error=False)
        cli.add_operations(parser, "bcast")
        self.assertEqual(parser.parse_args([]).op, ("bcast",))
        self.assertEqual(parser.parse_args(["--op", "all"]).op, tuple(operations.ALL))
        self.assertEqual(parser.parse_args(["--op", "reduce,bcast,reduce"]).op, ("reduce", "bcast"))
        for wrong in ("", "reduce,", "MPI_Reduce", "reduce,all"):
            with self.assertRaises(argparse.ArgumentError, msg=wrong) as failed:
                parser.parse_args(["--op", wrong])
            self.assertIn("allgatherv", str(failed.exception))


class Environment(unittest.TestCase):
    def test_stock_is_stock(self):
        os.environ["OMPI_MCA_coll_strata_priority"] = "90"
        self.addCleanup(os.environ.pop, "OMPI_MCA_coll_strata_priority")
        self.assertNotIn("OMPI_MCA_coll_strata_priority", competitors.clean_environment())
        self.assertIn("^strata", competitors.tuned().options)

    def test_explaining_keeps_the_rest(self):
        plain = competitors.strata("plugins", {"network": "file:topology.conf"})
        explained = competitors.explaining(plain, "h.svg")
        self.assertEqual(explained.options[:len(plain.options)], plain.options)
        self.assertEqual(dataclasses.replace(explained, options=plain.options), plain)


class WhatThePluginSays(unittest.TestCase):
    def told(self, plan):
        return series.plans_reported(f"[n0:1] coll:strata: why: 3 allreduce of 64 bytes: {plan}, predicted 5 us\n")

    def test_plans(self):
        for plan, engine, levels in (("forward", "forward", ""),
                                     ("rails (node flat/0) in 2 rails", "rails", "node flat/0"),
                                     ("tree (node flat/0; skips core)", "tree", "node flat/0; skips core")):
            self.assertEqual(self.told(plan), [("3", "allreduce", 64, engine, levels)])
        self.assertEqual(self.told("forward, not predicted: as if"), [("3", "allreduce", 64, "forward", "")])

    def test_who_steps_aside(self):
        line = "[n0:1] coll:strata: all collectives, {}, 4 ranks: passed through: because\n"
        self.assertEqual(series.asides_reported(line.format("3") + "\n" + line.format("world")), ["3", "world"])

    def test_passed_operations(self):
        text = ("[n0:1] coll:strata: reduce, allreduce, barrier, strata, 2 ranks: passed through: no gain known\n"
                "[n0:1] coll:strata: all collectives, flat, 2 ranks: passed through: no hierarchy\n"
                "[n0:1] coll:strata: bcast 8-10 B, strata, 2 ranks: passed through to tuned, predicted 1.6 us\n")
        for operation, communicator, passed in (("allreduce", "strata", True), ("barrier", "strata", True),
                                                ("bcast", "strata", False), ("gather", "strata", False),
                                                ("reduce", "stra", False), ("bcast", "flat", True)):
            self.assertEqual(series.is_passed_at_every_size(text, operation, communicator), passed, operation)

    def test_reasons_against_an_engine(self):
        text = ("[n0:1] coll:strata: why: node bcast of 8 bytes from rank 0: tree (cluster linear/0), predicted 9 us: "
                "predicted faster; not by the node engine: the ranks are on several nodes; 1 window\n")
        self.assertEqual(series.reason_against("node", text, "bcast", "node"), "the ranks are on several nodes")
        self.assertEqual(series.reason_against("node", text, "reduce", "node"), "")
        self.assertEqual(series.reason_against("ring", text, "bcast", "node"), "")


class Plots(Folder):
    def test_quoting_and_empty_panels(self):
        text = gnuplot.script([gnuplot.panel("it's", [gnuplot.curve("a", [(1, 2, 1, 3)], ("red", 5), "x")]),
                               gnuplot.panel("nothing", [])], "title", "", "svg", "a'b.svg")
        self.assertIn("'a''b.svg'", text)
        self.assertIn("set title 'it''s'", text)
        self.assertIn("layout 1,1", text)
        self.assertNotIn("nothing", text)
        self.assertEqual(gnuplot.draw_panels([gnuplot.panel("nothing", [])], "title", "", "nowhere"), ([], "nothing to plot"))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_complaints_of_gnuplot(self):
        paths, complaint = gnuplot.draw(lambda *_: "nonsense", os.path.join(self.folder, "plot"))
        self.assertEqual(paths, [])
        self.assertIn("gnuplot failed", complaint)


class Files(Folder):
    def test_records_end_at_the_first_unreadable_line(self):
        path = os.path.join(self.folder, "records.json")
        self.assertEqual(files.read_json_lines(path, missing_ok=True), [])
        with self.assertRaises(FileNotFoundError):
            files.read_json_lines(path)
        for spoilt in (b"", b'{"a": ', b'{"a": 2}}\n{"a": 3}\n', b'{"a": "\xff"}\n'):
            with open(path, "wb") as file:
                file.write(b'{"a": 1}\n' + spoilt)
            self.assertEqual(files.read_json_lines(path), [{"a": 1}], spoilt)


class Prepare(Folder):
    def run_prepare(self, packages):
        folder = os.path.join(self.folder, "component", "packaging")
        os.makedirs(folder)
        shutil.copy(os.path.join(ROOT, "component", "packaging", "prepare"), folder)
        with open(os.path.join(folder, "debian-packages"), "w", encoding="utf-8") as file:
            file.write(packages)
        call = [os.path.join(folder, "prepare"), "--packages-only", "--no-install", "--for", "demo"]
        return subprocess.run(call, text=True, capture_output=True, check=False,
                              env=os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"})

    @unittest.skipUnless(shutil.which("dpkg-query"), "not Debian")
    def test_the_one_that_the_system_offers_is_wanted(self):
        apt = os.path.join(self.folder, "apt-cache")
        with open(apt, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1 $2" != "madison no-such-b" ] || echo "$2 | 1 | a mirror"\n')
        os.chmod(apt, 0o755)
        done = self.run_prepare("build no-such-a|no-such-b|no-such-c\ndemo no-such-d|no-such-e\n")
        self.assertIn("no-such-b no-such-d\n", done.stderr)

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
