#!/usr/bin/env python3
"""Tests of the demonstration that need no cluster."""

import io
import json
import os
import re
import shutil
import unittest
from types import SimpleNamespace
from unittest import mock

from fakes import ROOT, FakeCluster, Folder, Silent, plan_line

from strata_bench.cluster.plan import Plan
from strata_bench.demo import command_line, plot, report
from strata_bench.demo.measure import Case, Measurement, cases_of
from strata_bench.measuring import competitors, limits, operations
from strata_bench.measuring.progress import Progress
from strata_bench.measuring.rounds import Effort
from strata_bench.measuring.series import Series
from strata_bench.measuring.table import Paint, chosen_plans

_PLAIN = Paint(False)
_BCAST = (Case("block", "0"), Case("cyclic", "rotate"))
_EVERYTHING = tuple(cases_of(operations.ALL, ("block", "cyclic"), ("0", "rotate")))


def plan_of(site_sizes=(2, 2), slots=(4, 4, 4, 4), nic="1gbit", uplink="200mbit", delay_us=0, relay_mbit=0):
    return Plan(site_sizes, slots, nic, uplink, delay_us, relay_mbit, 9000, 1000000)


def measured(folder, rounds=2, cases=_BCAST, plan=None, sizes=(8, 262144), **outcome):
    """Returns a measurement on a fake cluster, and that cluster."""
    cluster = FakeCluster(plan or plan_of(), **outcome)
    contenders = (competitors.tuned(), competitors.han(),
                  competitors.strata("plugins", {"network": "file:topology.conf"}))
    measurement = Measurement(cluster, "program", contenders, list(cases), Effort(sizes, 2, rounds), folder)
    measurement.run(Silent(), 0)
    return measurement, cluster


def only(name, outcome):
    """Sets one competitor's outcome; the others' is good."""
    return lambda _places, competitor, _root: outcome if competitor.name == name else (0, 0, 0)


def text_of(measurement):
    lines = (report.table(measurement, _PLAIN) + report.notes(measurement)
             + report.verdict(measurement, _PLAIN) + chosen_plans(measurement))
    return "\n".join(lines)


class Cases(unittest.TestCase):
    def test_roots_only_where_there_are_some(self):
        cases = cases_of(("bcast", "allreduce"), ("block", "shuffle"), ("0", "rotate"))
        self.assertEqual([case.short_title() for case in cases],
                         ["Bcast, block order, root 0", "Bcast, block order, rotating root",
                          "Bcast, shuffle order, root 0", "Bcast, shuffle order, rotating root",
                          "Allreduce, block order", "Allreduce, shuffle order"])
        self.assertEqual(len({case.name() for case in _EVERYTHING}), len(_EVERYTHING))


class Limits(unittest.TestCase):
    def least(self, operation, size=4 << 20, order="block", root="0", **plan):
        return round(limits.least_ms(plan_of(**plan), operation, order, root, size) or 0, 1)

    def test_equal_nodes(self):
        for operation in ("bcast", "reduce", "allreduce"):
            self.assertEqual(self.least(operation), 167.8)
            self.assertEqual(self.least(operation, 1 << 20, "shuffle", "rotate"), 41.9)
        for operation in ("allgather", "gather", "scatter"):
            for order in ("block", "cyclic", "shuffle"):
                self.assertEqual(self.least(operation, order=order), 83.9)
        self.assertEqual(self.least("barrier", 0), 0)

    def test_nics(self):
        """One site: the limit is that of the NICs. 4 MiB take 33.6 ms there."""
        shape = {"site_sizes": (4,)}
        self.assertEqual(self.least("allreduce", **shape), 33.6)
        self.assertEqual(self.least("allgather", **shape), 25.2)  # three quarters
        self.assertEqual(self.least("gather", **shape), 25.2)
        self.assertEqual(self.least("bcast", nic="100mbit"), 335.5)  # the NIC is slower than the uplink
        self.assertEqual(self.least("bcast", site_sizes=(1,), slots=(4,)), 0)
        self.assertEqual(self.least("bcast", nic="none", uplink="none"), 0)

    def test_unequal_nodes(self):
        """2 + 3 ranks at one site, 5 + 6 at the other: 5/16 and 11/16 of the chunks."""
        shape = {"slots": (2, 3, 5, 6)}
        self.assertEqual(self.least("allgather", **shape), 115.3)  # 11/16 enter the small site
        self.assertEqual(self.least("gather", **shape), 115.3)  # its root is there
        self.assertEqual(self.least("gather", root="15", **shape), 52.4)
        self.assertEqual(self.least("gather", root="rotate", **shape), 52.4)  # the best root's
        self.assertEqual(self.least("scatter", **shape), 115.3)
        self.assertEqual(self.least("scatter", order="cyclic", root="2", **shape), 52.4)
        self.assertEqual(self.least("reduce", **shape), 167.8)

    def test_unequal_blocks(self):
        """1:2:3 by rank, one node per site, two ranks each."""
        shape = {"site_sizes": (1, 1), "slots": (2, 2), "nic": "none"}
        size = 7 << 20  # 41.9 ms per MiB
        self.assertEqual(self.least("allgatherv", size, **shape), 167.8)  # 3 + 1 of 7 enter the first site
        self.assertEqual(self.least("gatherv", size, **shape), 167.8)
        self.assertEqual(self.least("gatherv", size, root="2", **shape), 125.8)  # 1 + 2
        self.assertEqual(self.least("scatterv", size, "cyclic", **shape), 125.8)  # 2 + 1

    def test_delays(self):
        shape = {"uplink": "none", "relay_mbit": 200, "delay_us": 2000}
        self.assertEqual(self.least("bcast", **shape), 169.8)
        self.assertEqual(self.least("barrier", 0, **shape), 2.0)
        self.assertEqual(self.least("allreduce", 8, **shape), 2.0)
        # With fast uplinks the NICs are the limit, and three quarters need not wait for the other site.
        fast = {"uplink": "none", "delay_us": 2000}
        self.assertEqual(self.least("allgather", **fast), 25.2)
        self.assertEqual(self.least("allreduce", **fast), 35.6)

    def test_flow(self):
        """From two ranks to two others; chunks of 1, 2, 4 and 8 bytes."""
        def flow(name, root, sources, targets):
            return limits.least_flow(operations.ALL[name], 100, (1, 2, 4, 8), sources, targets, root)

        for name, towards_root, from_root in (("bcast", 0, 100), ("reduce", 100, 0), ("gather", 12, 0),
                                              ("scatter", 0, 12)):
            self.assertEqual((flow(name, 0, {2, 3}, {0, 1}), flow(name, 0, {0, 1}, {2, 3})),
                             (towards_root, from_root), name)
            self.assertEqual(flow(name, 0, {1}, {2}), 0)
        self.assertEqual((flow("allgather", None, {2, 3}, {0, 1}), flow("allgather", None, {0, 1}, {2, 3})),
                         (12, 3))
        self.assertEqual((flow("allreduce", None, {2}, {0}), flow("allreduce", None, set(), {0})), (100, 0))


class Rounds(Folder):
    def test_good_run(self):
        measurement, cluster = measured(self.folder)
        self.assertEqual(len(cluster.runs), 2 * 2 * 3)
        self.assertTrue(measurement.succeeded())
        series = measurement.series[Case("block", "0")]["strata"]
        self.assertEqual((series.median(262144), len(series.times[8])), (2.0, 6))
        self.assertEqual(series.plans[262144], ("tree", "node binary/3840"))
        self.assertAlmostEqual(measurement.limit(Case("block", "0"), 262144), 10.48576)

    def test_what_is_run(self):
        measurement, cluster = measured(self.folder, 1, _EVERYTHING)
        self.assertEqual(len(measurement.cases), 2 * (6 * 2 + 4))
        runs = {(name, root) for name, (_, _, root) in zip(cluster.operations, cluster.runs)}
        self.assertEqual(runs, {(name, root) for name, operation in operations.ALL.items()
                                for root in (("0", "rotate") if operation.rooted else (None,))})
        self.assertTrue(measurement.succeeded())
        self.assertEqual(list(measurement.series[Case("block", None, "barrier")]["strata"].times), [0])

    def test_wrong_data_is_an_error(self):
        measurement, _ = measured(self.folder, outcome=(1, 0, 1))
        self.assertFalse(measurement.succeeded())
        self.assertIn("WRONG DATA: strata: 4 bytes", text_of(measurement))

    def test_wrong_data_is_seen_whatever_the_exit_status(self):
        for outcome in ((1, 0, 0), (0, 1, 0)):
            measurement, _ = measured(self.folder, outcome=outcome)
            self.assertFalse(measurement.succeeded())

    def test_a_barrier_left_early_is_an_error(self):
        cases = cases_of(("barrier",), ("block",), ("0",))
        measurement, _ = measured(self.folder, cases=cases, outcome=(0, 3, 1))
        self.assertFalse(measurement.succeeded())
        self.assertIn("strata: 3 times a rank left a Barrier", text_of(measurement))

    def test_failed_run_is_an_error_and_not_repeated(self):
        measurement, cluster = measured(self.folder, outcome=(0, 0, 3))
        self.assertEqual(len(cluster.runs), 2 * 3)
        self.assertFalse(measurement.succeeded())
        self.assertIn("failed", "\n".join(report.table(measurement, _PLAIN)))

    def test_a_failed_competitor_is_told_and_no_competitor(self):
        for outcome, told in (((0, 0, 139), "exit status 139"), ((7, 0, 1), "WRONG DATA: han: 28 bytes")):
            measurement, cluster = measured(self.folder, outcome_of=only("han", outcome))
            self.assertTrue(measurement.succeeded())
            self.assertEqual(len(cluster.runs), 2 * (1 + 2 * 2))  # it is not run again
            text = text_of(measurement)
            self.assertIn(told, text)
            self.assertIn("Failed, so not compared: han, Bcast, block order, root 0", text)
            self.assertIn("times as fast as tuned", text)
            self.assertNotIn("times as fast as han", text)

    def test_our_own_failure_is_an_error(self):
        measurement, _ = measured(self.folder, outcome_of=only("strata", (0, 0, 139)))
        self.assertFalse(measurement.succeeded())
        self.assertIn("Bcast, block order, root 0: strata failed.", text_of(measurement))

    def test_a_plugin_that_was_not_used_is_an_error(self):
        measurement, _ = measured(self.folder, errors="")
        self.assertFalse(measurement.succeeded())
        # A plan for another operation does not count either.
        measurement, _ = measured(self.folder, errors=plan_line("allreduce", 262144))
        self.assertFalse(measurement.succeeded())

    def test_a_plan_for_unknown_sizes_serves_all(self):
        cases = cases_of(("gatherv",), ("block",), ("0",))
        measurement, _ = measured(self.folder, cases=cases, errors=plan_line("gatherv", 0))
        self.assertEqual(set(measurement.series[cases[0]]["strata"].plans), {8, 262144})


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

    def test_all_operations(self):
        for plan in (plan_of(), plan_of(delay_us=2000)):
            measurement, _ = measured(self.folder, 1, _EVERYTHING, plan, sizes=(8, 4 << 20),
                                      times_of=lambda *_: [3e5, 1.7e5, 12345e3])
            text = text_of(measurement)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 100, line)
            for operation in operations.ALL.values():
                self.assertIn(f"{operation.title}, block order", text)
            self.assertIn("(Reduce, Gather, Gatherv: the root)", text)

    def test_limits_are_told(self):
        cases = cases_of(("bcast", "reduce", "allgather"), ("block",), ("0",))
        measurement, _ = measured(self.folder, 1, cases, sizes=(4 << 20,), times_of=lambda *_: [2e5] * 3)
        text = text_of(measurement)
        self.assertIn("168 ms for 4 MiB: Bcast and Reduce", text)
        self.assertIn("83.9 ms for 4 MiB: Allgather", text)
        self.assertIn("takes 200 ms, 84 % of what the link allows", text)
        self.assertIn("takes 200 ms, 42 % of what the link allows", text)

    def test_small_messages_count_where_the_delay_is_long(self):
        cases = cases_of(("allreduce", "barrier"), ("block",), ("0",))

        def times_of(_places, competitor, _root):
            return [{"strata": 2.9e3, "tuned": 2.5e3, "han": 9e3}[competitor.name]] * 3

        measurement, _ = measured(self.folder, 1, cases, plan_of(delay_us=2000), (8,), times_of=times_of)
        text = text_of(measurement)
        self.assertIn("a message of 8 B takes 2.90 ms, 1.45 one-way delays", text)
        self.assertIn("it takes 2.90 ms, 1.45 one-way delays", text)
        self.assertIn("SLOWER: 8 B, Allreduce, block order: 0.86 times as fast as tuned", text)
        self.assertIn("SLOWER: Barrier, block order: 0.86 times as fast as tuned", text)
        measurement, _ = measured(self.folder, 1, cases, plan_of(), (8,), times_of=times_of)
        self.assertNotIn("SLOWER", text_of(measurement))

    def test_slower_is_told_and_noise_is_told_apart(self):
        self.assertEqual(report.slower(self.measurement), [])
        self.set_times("strata", [4.0, 4.1, 4.2])
        self.assertEqual({(size, certain) for _, size, _, _, certain in report.slower(self.measurement)},
                         {(262144, True)})
        self.set_times("strata", [1.0, 4.1, 4.2])
        self.assertEqual({certain for *_, certain in report.slower(self.measurement)}, {False})

    def test_plans_say_what_their_numbers_mean(self):
        lines = chosen_plans(self.measurement)
        self.assertIn("0: whole", " ".join(lines[:3]))
        self.assertIn("  Bcast, round-robin order, rotating root", lines)
        self.assertIn("     256 KiB  tree: node binary/3840", lines)

    def test_json_names_operations_and_limits(self):
        measurement, _ = measured(self.folder, 1, cases_of(("allgather",), ("block",), ("0",)))
        case, = measurement.to_json()["cases"]
        self.assertEqual((case["operation"], case["order"], case["root"]), ("allgather", "block", None))
        self.assertAlmostEqual(case["limits"][262144], 5.24288)
        self.assertEqual(set(case["competitors"]), {"tuned", "han", "strata"})

    def test_plot(self):
        text = plot.script(self.measurement, "bcast", "svg", "a'b.svg")
        self.assertIn("'a''b.svg'", text)
        self.assertEqual(text.count("with linespoints pt 0 lw 2"), 2)
        if shutil.which("gnuplot"):
            paths, complaint = plot.draw(self.measurement, self.folder)
            self.assertEqual((len(paths), complaint), (2, ""))

    def test_one_plot_per_operation(self):
        measurement, _ = measured(self.folder, 1, _EVERYTHING)
        barrier = plot.script(measurement, "barrier", "svg", "barrier.svg")
        self.assertIn("'han' 1", barrier)
        self.assertIn("MPI\\\\_Barrier", barrier)
        self.assertIn("chunks of all ranks", plot.script(measurement, "gather", "svg", "gather.svg"))
        if shutil.which("gnuplot"):
            paths, complaint = plot.draw(measurement, self.folder)
            self.assertEqual((len(paths), complaint), (2 * len(operations.ALL), ""))

    def test_nothing_to_plot(self):
        measurement, _ = measured(self.folder, outcome=(0, 0, 3))
        self.assertEqual(plot.draw(measurement, self.folder), ([], "nothing to plot for bcast"))


class Screens(Folder):
    def demonstrate(self, *arguments, rounds=("--rounds", "2"), outcome=(0, 0, 0), times_of=None):
        """Returns the status, the output, the cluster and the data of a demonstration."""
        cluster = FakeCluster(plan_of(), outcome, times_of=times_of)
        cluster.write_topology = lambda path: None
        cluster.kept = False
        opened = mock.MagicMock()
        opened.__enter__.return_value = cluster
        built = SimpleNamespace(program="program", plugin_folder="plugins", relay="relay")
        results = os.path.join(self.folder, "results")
        output = io.StringIO()
        with mock.patch.object(command_line.command, "prepare", lambda *_: built), \
                mock.patch.object(command_line.place, "opened", lambda *_, **__: opened), \
                mock.patch.object(command_line.plot, "draw", self.draw), \
                mock.patch.object(command_line.command, "Progress", lambda: Progress(output)):
            status = command_line.main(["--results", results, *rounds, *arguments])
        with open(os.path.join(results, "measurements.json"), encoding="utf-8") as file:
            return status, output.getvalue(), cluster, json.load(file)

    @staticmethod
    def draw(measurement, folder):
        return [os.path.join(folder, f"{name}.svg") for name in measurement.operations()], ""

    def test_two_screens_and_what_is_next(self):
        status, output, cluster, data = self.demonstrate()
        self.assertEqual(status, 0)
        self.assertEqual(cluster.operations, 6 * ["bcast"] + 2 * (3 * ["allreduce"] + 3 * ["allgather"]))
        order = ["Bcast, block order, root 0 (ranks", "bcast.svg", "Allreduce, block order (ranks",
                 "Allgather, block order", "allreduce.svg", "allgather.svg", "table.txt", "Next, on your own cluster"]
        places = [output.index(text) for text in order]
        self.assertEqual(places, sorted(places))
        following = output[places[-1]:].strip().splitlines()
        self.assertLessEqual(len(following), 6)
        for command in ("cmake --install", "strata-info", "coll_strata_rules", "bench/tune", "bench/accept"):
            self.assertIn(command, "\n".join(following))
        self.assertLessEqual(max(map(len, output.splitlines())), 120)
        self.assertEqual([case["operation"] for case in data["cases"]], ["bcast", "allreduce", "allgather"])
        self.assertEqual((data["rounds"], data["applications"]), (2, []))

    def test_the_first_screen_alone_draws_hierarchies(self):
        _, _, cluster, _ = self.demonstrate()
        drawn = [operation for operation, (_, competitor, _) in zip(cluster.operations, cluster.runs)
                 if "hierarchy-block.svg" in str(competitor)]
        self.assertEqual(drawn, ["bcast"])

    def test_asked_operations_are_one_screen(self):
        _, output, cluster, data = self.demonstrate("--op", "reduce,barrier", "--orders", "block,cyclic")
        self.assertEqual(len(cluster.runs), 2 * 2 * 2 * 3)
        self.assertEqual(len(re.findall("Written after", output)), 1)
        self.assertNotIn("Next, on your own cluster", output)
        self.assertEqual(list(data["cases"][0]["limits"]), ["8", "65536", "262144", "1048576", "4194304"])

    def test_a_failure_ends_without_advice(self):
        status, output, _, data = self.demonstrate(outcome=(1, 0, 0))
        self.assertEqual((status, len(data["cases"])), (1, 3))
        self.assertIn("WRONG DATA: strata", output)
        self.assertNotIn("Next, on your own cluster", output)

    def test_one_round_is_no_result_to_rely_on(self):
        note = "One round only: other load on this machine may favour one of them."
        self.assertEqual(self.demonstrate("--rounds", "1")[1].count(note), 2)
        self.assertNotIn(note, self.demonstrate()[1])

    def test_the_least_rounds(self):
        """Without time for a second round, two minutes take one."""
        with mock.patch("strata_bench.measuring.rounds.time.monotonic", iter(range(0, 10**6, 50)).__next__):
            self.assertEqual(len(self.demonstrate(rounds=())[2].runs), 3 + 6)
            self.assertEqual(len(self.demonstrate("--op", "bcast", rounds=())[2].runs), 3 * 3)

    def test_what_seems_slower_is_measured_again(self):
        """The second job of the plugin, an Allreduce, takes longer."""
        sizes = []  # of the plugin's jobs: four of the Bcast, then three

        def times_of(_places, competitor, _root):
            sizes.extend(["strata"] if competitor.name == "strata" else [])
            return [9e3 if competitor.name == "strata" and 4 < len(sizes) <= 7 else 2e3] * 3

        arguments = {"rounds": ("--seconds", "1"), "times_of": times_of}
        with mock.patch("strata_bench.measuring.rounds.time.monotonic", iter(range(0, 10**6, 50)).__next__):
            _, output, cluster, _ = self.demonstrate(**arguments)
        self.assertEqual(cluster.operations, 3 * ["bcast"] + 3 * ["allreduce"] + 3 * ["allgather"] + 6 * ["allreduce"])
        self.assertIn("round 3 of 3 measured, of Allreduce, block order", output)
        self.assertNotIn("SLOWER", output)
        sizes.clear()
        _, output, cluster, _ = self.demonstrate(**arguments | {"rounds": ("--rounds", "1")})
        self.assertEqual(len(cluster.runs), 9)
        self.assertIn("SLOWER: 64 KiB, Allreduce, block order: 0.22 times as fast as tuned.", output)

    def test_the_next_commands_exist(self):
        paths = re.findall(r"(?:bench|docs)/[a-zA-Z.]+", command_line._NEXT)
        self.assertEqual(len(paths), 3)
        for path in paths:
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)


if __name__ == "__main__":
    unittest.main()
