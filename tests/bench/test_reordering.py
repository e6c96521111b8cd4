#!/usr/bin/env python3
"""Tests of reordering in bench/introspection: no cluster, no MPI."""

import contextlib
import os
import re
import shutil
import types
import unittest

from fakes import Folder, Silent

from strata_bench.introspection import command_line, heat_map, link_loads, reordering, slow_links
from strata_bench.measuring.cluster import Run
from strata_bench.measuring.table import Paint

_PLAIN = Paint(False)
_RANKS = 16
_LINE = ("{size} bytes, {count} iterations: t1 {t1} t2 {t2} t3 {t3} gain 1.0 % ratio 1.00, {moved} of 16 ranks moved, "
         "watched 0.1")


def plan_of(nic="1gbit", uplink="none", relay_mbit=200, sites=2):
    return types.SimpleNamespace(nic=nic, uplink=uplink, relay_mbit=relay_mbit, slots=(4, 4, 4, 4),
                                 site_of=lambda node: node * sites // 4)


def report(cells, wrong=0):
    """Returns the program's output: `cells` of (size, iterations, t1, t2, t3, moved)."""
    lines = [_LINE.format(size=size, count=count, t1=f"{t1:.6f}", t2=f"{t2:.6f}", t3=f"{t3:.6f}", moved=moved)
             for size, count, t1, t2, t3, moved in cells]
    return "\n".join([*lines, f"{wrong} wrong results", ""])


class ReorderingCluster:
    """In cyclic order every rank sends a message to the next one; the new order is block order. Times: t1
    is 10 for each MiB and iteration, t3 a twentieth of it, t2 a second."""

    def __init__(self, plan, outcome, moved):
        self.plan = plan
        self._moved = moved
        self.runs = []
        self._outcome = outcome  # by pattern: exit status, wrong results

    def write_topology(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("SwitchName=s0 Nodes=n[0-3]\n")

    def run(self, places, competitor, command, log, _timeout):
        def option(name):
            return command[command.index(name) + 1]

        self.runs.append((places, competitor, command))
        status, wrong = self._outcome(option("--pattern"))
        cells = []
        for size in map(int, option("--bytes").split(",")):
            self._record(f"{log}-{size}", size)
            for count in map(int, option("--iterations").split(",")):
                t1 = 10 * size * count / (1 << 20)
                if not cells or not float(option("--most-seconds")) or t1 <= float(option("--most-seconds")):
                    cells.append((size, count, t1, 1, t1 / 20, self._moved))
        return Run(status, 0.1, report(cells, wrong), "it was made so")

    @staticmethod
    def _record(prefix, size):
        with open(f"{prefix}_sizes.0.prof", "w", encoding="utf-8") as file:
            for sender in range(_RANKS):
                file.write(" ".join(str(size * (receiver == sender + 1)) for receiver in range(_RANKS)) + "\n")
        with open(f"{prefix}.order", "w", encoding="utf-8") as file:
            file.write("\n".join(str(one % 4 * 4 + one // 4) for one in range(_RANKS)) + "\n")


class Parsing(unittest.TestCase):
    def test_right_output(self):
        found = reordering.parse(report([(1024, 10, 10, 0.5, 0.5, 12), (1024, 100, 3, -0.001, 1, 0)]))
        one = found[1024, 10]
        self.assertEqual((one.before, one.reordering, one.after, one.watched, one.moved), (10, 0.5, 0.5, 0.1, 12))
        self.assertEqual(one.faster(), 20)
        self.assertAlmostEqual(one.gain(), 90)
        self.assertAlmostEqual(one.gain_of_program(), 80.5)  # 1 of the old iterations, 9 of the new ones
        self.assertEqual(found[1024, 100].reordering, -0.001)

    def test_wrong_results_are_no_times(self):
        for output in (report([(1024, 10, 10, 1, 1, 12)], wrong=3), report([(1024, 10, 10, 1, 1, 12)], wrong=10), ""):
            with self.assertRaises(ValueError):
                reordering.parse(output)

    def test_what_is_missing_fails(self):
        for status, cells in ((1, [(64, 1, 1, 1, 1, 0)]), (0, [(64, 2, 1, 1, 1, 0)]), (0, [])):
            series = reordering.Series()
            series.add(Run(status, 0.1, report(cells), "why"), [(64, 1)])
            self.assertIn("why", series.failure)
            self.assertFalse(series.runs)

    def test_cells_beyond_those_needed_are_kept(self):
        series = reordering.Series()
        series.add(Run(0, 0.1, report([(64, 1, 1, 1, 1, 0), (64, 10, 4, 1, 1, 0)]), ""), [(64, 1)])
        self.assertIsNone(series.failure)
        self.assertEqual(series.median((64, 10), lambda one: one.before), 4)


class LinkLoads(Folder):
    CHAIN = [[1000000 * (receiver == sender + 1) for receiver in range(_RANKS)] for sender in range(_RANKS)]

    def test_chain_in_cyclic_order_and_in_blocks(self):
        nodes, blocks = [rank % 4 for rank in range(_RANKS)], [one % 4 * 4 + one // 4 for one in range(_RANKS)]
        before = link_loads.busiest(plan_of(), self.CHAIN, nodes, range(_RANKS))
        self.assertEqual((before.link, before.bytes), ("site 0 sends", 4000000))
        self.assertAlmostEqual(before.ms, 160)
        after = link_loads.busiest(plan_of(), self.CHAIN, nodes, blocks)
        self.assertEqual((after.link, after.bytes), ("site 0 sends", 1000000))

    def test_nics_limit_where_there_is_one_site(self):
        plan = plan_of(nic="100mbit", relay_mbit=0, sites=1)
        found = link_loads.busiest(plan, self.CHAIN, [rank % 4 for rank in range(_RANKS)], range(_RANKS))
        self.assertEqual(found.bytes, 4000000)
        self.assertAlmostEqual(found.ms, 320)

    def test_the_slower_of_uplink_and_relay(self):
        nodes = [rank % 4 for rank in range(_RANKS)]
        found = link_loads.busiest(plan_of(uplink="100mbit"), self.CHAIN, nodes, range(_RANKS))
        self.assertAlmostEqual(found.ms, 320)

    def test_nothing_crosses(self):
        self.assertIsNone(link_loads.busiest(plan_of(), self.CHAIN, [0] * _RANKS, range(_RANKS)))

    def test_an_order_that_is_none_fails(self):
        with self.assertRaises(KeyError):
            link_loads.busiest(plan_of(), self.CHAIN, [0] * _RANKS, [0] * _RANKS)

    def test_files(self):
        ReorderingCluster._record(os.path.join(self.folder, "x"), 1000000)
        self.assertEqual(link_loads.read_matrix(os.path.join(self.folder, "x_sizes.0.prof")), self.CHAIN)
        self.assertEqual(link_loads.read_order(os.path.join(self.folder, "x.order"))[:5], [0, 4, 8, 12, 1])


class Figure(Folder):
    def _findings(self, arguments=(), outcome=lambda case: (0, 0), moved=12):
        self.cluster = ReorderingCluster(plan_of(), outcome, moved)
        options = command_line._parser().parse_args(
            ["--tree-sizes", "1M", "--group-sizes", "1K,1M", "--group-iterations", "1,10", "--cell-seconds", "50",
             "--rounds", "2", *arguments])
        setting = types.SimpleNamespace(options=options, built=types.SimpleNamespace(tool=lambda name: name),
                                        folder=self.folder, progress=Silent(),
                                        cluster=lambda *_: contextlib.nullcontext(self.cluster))
        return reordering.measure(["reordering"], setting)

    def test_text(self):
        findings = self._findings()
        self.assertEqual(findings.failures(), [])
        text = "\n".join(findings.text(_PLAIN))
        # A chain in cyclic order: four messages between the sites before, and one after.
        self.assertRegex(text, r"Reduce binomial +cyclic +10000 +500 +20\.00x +20\.00–20\.00 +4\.0 to 1\.0 +4\.0x")
        self.assertIn("Bcast after reordering: up to 20.0 times as fast as in block order (its own choice, 1 MiB, "
                      "sites); up to 20.0 times as fast as in cyclic order (its own choice, 1 MiB, sites).", text)
        self.assertIn("; up to 20.0 times as fast as in shuffle order (1 MiB, sites).", text)
        # 1 MiB: t1 10, t2 1, t3 0.5 make 85 %; ten iterations are left out, and 1 KiB loses.
        self.assertRegex(text, r" 1  -10145% +85\.0%\n")
        self.assertRegex(text, r"10 +-\d+\.\d% +–\n")
        self.assertIn("gain up to 85.0 % (1 MiB, 1 iteration); 1 of 3 cells gain.", text)

    def test_an_order_that_is_kept_is_no_gain(self):
        findings = self._findings(moved=0)
        text = "\n".join(findings.text(_PLAIN))
        self.assertRegex(text, r"Reduce binomial +cyclic +10000 +500 +order kept")
        self.assertNotIn("after reordering:", text)

    def test_runs(self):
        self._findings()
        self.assertEqual(len(self.cluster.runs), 2 * (15 + 15 + 1))
        places, competitor, command = next(run for run in self.cluster.runs if "reduce" in run[2]
                                           and run[0][1] == "cyclic" and "5" in run[1].options)
        self.assertEqual(places, ["--order", "cyclic"])
        joined = " ".join(competitor.options)
        for words in ("--mca coll ^strata", "--mca pml ob1,monitoring", "--mca pml_monitoring_enable 1",
                      "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_reduce_algorithm 5"):
            self.assertIn(words, joined)
        self.assertRegex(dict(competitor.environment)["STRATA_NETWORK"], r"^file:/.*/topology-sites\.conf$")
        self.assertEqual(command[command.index("--bytes") + 1], str(1 << 20))

    def test_fails_where_results_are_wrong(self):
        findings = self._findings(outcome=lambda pattern: (1, 2) if pattern == "cg" else (0, 0))
        self.assertEqual(len(findings.failures()), 6)
        for failure in findings.failures():
            self.assertRegex(failure, "(?s)cg.*not all results are right")
        text = "\n".join(findings.text(_PLAIN))
        self.assertRegex(text, r"CG +shuffle +failed")
        self.assertNotIn("CG after", text)

    def test_fails_without_all_that_is_needed(self):
        findings = self._findings(outcome=lambda pattern: (124, 0) if pattern == "groups" else (0, 0))
        self.assertEqual(len(findings.failures()), 1)
        self.assertIn("exit status 124", findings.failures()[0])
        self.assertEqual(findings.draw(self.folder), ([], ""))

    def test_json(self):
        found = self._findings().to_json()
        groups = [one for one in found if one["pattern"] == "groups" and one["bytes"] == 1 << 20]
        self.assertEqual(len(groups), 1)
        self.assertAlmostEqual(groups[0]["runs"][1]["gain_percent"], 85)
        self.assertEqual([link["link"] for link in groups[0]["links"]], ["site 0 sends", "site 0 sends"])


class HeatMap(Folder):
    GAINS = {(1024, 1): -250.4, (1024, 10): 12.25, (1 << 20, 1): 91.5}

    def test_lines(self):
        self.assertEqual(heat_map.lines(self.GAINS, _PLAIN),
                         ["  iterations    1 KiB    1 MiB", "          10    12.2%        –",
                          "           1  -250.4%    91.5%"])

    def test_colors(self):
        text = "\n".join(heat_map.lines(self.GAINS, Paint(True)))
        self.assertEqual(re.findall(r"\033\[(3\d)m *(-?[0-9.]+)%", text),
                         [("32", "12.2"), ("31", "-250.4"), ("32", "91.5")])

    def test_script(self):
        script = heat_map.script(self.GAINS, "svg", "it's.svg")
        self.assertIn("\n0 0 -250.4 -250\n0 1 12.25 12\n1 0 91.5 92\n", script)
        self.assertIn("'it''s.svg'", script)
        self.assertIn("set xtics ('1 KiB' 0, '1 MiB' 1)", script)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_pictures(self):
        paths, complaint = heat_map.draw(self.GAINS, os.path.join(self.folder, "map"))
        self.assertEqual(complaint, "")
        self.assertEqual([os.path.basename(path) for path in paths], ["map.svg", "map.png"])
        with open(paths[0], encoding="utf-8") as file:
            self.assertIn("its own time included", file.read())


class Cases(unittest.TestCase):
    def test_names_are_different(self):
        names = [case.name() for case in (*reordering.TREES, *reordering.GRID, reordering.GROUPS)]
        self.assertEqual(len(set(names)), len(names))
        self.assertFalse([name for name in names if " " in name])

    def test_networks(self):
        parser = command_line._parser()
        self.assertEqual([one.name for one in slow_links.networks(parser.parse_args([]))], ["sites", "nics"])
        for name in ("nics", "cards"):  # the present and the former name
            found = slow_links.networks(parser.parse_args(["--narrow", name, "--relay-mbit", "300"]))
            self.assertEqual([(one.name, one.shape[-2:]) for one in found], [("nics", ("--nic", "300mbit"))])

    def test_files_of_all_networks_are_the_commands_own(self):
        for network in slow_links.networks(command_line._parser().parse_args([])):
            self.assertTrue(re.fullmatch(reordering.FILES, f"topology-{network.name}.conf"), network.name)


if __name__ == "__main__":
    unittest.main()
