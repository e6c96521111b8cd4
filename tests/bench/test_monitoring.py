#!/usr/bin/env python3
"""Tests of the figures on monitoring, on artificial outputs: no cluster, no MPI."""

import contextlib
import copy
import csv
import dataclasses
import os
import random
import shutil
import types
import unittest
from unittest import mock

from fakes import Folder, Silent

from strata_bench.introspection import monitoring, overhead, series, wire
from strata_bench.measuring import welch
from strata_bench.measuring.cluster import Run
from strata_bench.measuring.table import Paint

_PLAIN = Paint(False)
_HEADER = 66
_PATTERN = wire.Pattern("random", 4 << 20)


def nic(data, packets, back, back_packets, resent=0):
    """Returns the kernel's counters for this data and these packets."""
    return [data + _HEADER * packets, packets, back + _HEADER * back_packets, back_packets, resent]


def watched(overhead_bytes=2000):
    """Two nodes of two ranks: ranks 0, 1 send 1,000,000 bytes each to rank 2, which sends rank 0 500,000.
    Messages inside a node cross no NIC. A packet without data acknowledges every packet of data."""
    matrix = [0, 9999, 1000000, 0, 7, 0, 1000000, 0, 500000, 0, 0, 0, 0, 0, 31, 0]
    one = nic(2000000 + overhead_bytes, 224 + 57, 500000, 57 + 224)
    other = nic(500000, 57 + 224, 2000000 + overhead_bytes, 224 + 57)
    return {"header_bytes": _HEADER, "node_of": [0, 0, 1, 1], "matrix": matrix, "messages": [int(size > 0) for size in matrix],
            "nics": [*one, *[0] * 5, *other, *[0] * 5]}


class Wire(unittest.TestCase):
    def _run(self, record):
        return wire.understand(record, _PATTERN, "tuned")

    def test_sums_between_nodes(self):
        run = self._run(watched())
        self.assertEqual([(node.sent, node.received, node.nic_sent, node.nic_received) for node in run.nodes],
                         [(2000000, 500000, 2002000, 500000), (500000, 2000000, 500000, 2002000)])
        self.assertEqual((run.messages, run.complaint()), (3, ""))
        self.assertAlmostEqual(run.excess(), 2000 / 2500000)
        self.assertAlmostEqual(run.worst(), 0.001)
        self.assertAlmostEqual(run.excess("raw_sent"), (2000 + 2 * 281 * _HEADER) / 2500000)

    def test_a_matrix_that_lacks_bytes_is_refused(self):
        for place, share in ((2, 0.03), (6, 0.05), (8, 0.03)):
            record = watched()
            record["matrix"][place] -= int(record["matrix"][place] * share)
            if place == 2:  # 3 % of all bytes of the node
                record["matrix"][6] -= 30000
            self.assertIn("bytes of data, by the session", self._run(record).complaint(), place)

    def test_a_matrix_with_bytes_that_nobody_sent_is_refused(self):
        record = watched()
        record["matrix"][8] += 20000
        self.assertIn("n1: its NIC sent 500000", self._run(record).complaint())

    def test_a_wrong_receiver_is_refused(self):
        record = watched()
        record["matrix"][14] = 0
        record.update(node_of=[0, 0, 1, 2], nics=[*record["nics"][:15], *nic(0, 1, 0, 1)])
        self.assertEqual(self._run(record).complaint(), "")
        record["matrix"][2], record["matrix"][3] = 0, 1000000
        self.assertRegex(self._run(record).complaint(), "n1: its NIC received .*; n2: its NIC sent|n2: its NIC received")

    def test_who_only_answers_may_send_a_little(self):
        record = watched()
        record["matrix"][8] = record["messages"][8] = 0
        record["nics"] = [*nic(2002000, 281, 9000, 281), *[0] * 5, *nic(9000, 281, 2002000, 281), *[0] * 5]
        self.assertEqual(self._run(record).complaint(), "")
        record["nics"][10] += 50000
        self.assertIn("n1: its NIC sent 59000", self._run(record).complaint())

    def test_a_session_that_sees_nothing_is_refused(self):
        record = watched()
        record["matrix"] = [0] * 16
        run = self._run(record)
        self.assertIn("saw nothing", run.complaint())
        self.assertIn("nothing", wire.table([run], _PLAIN)[2])

    def test_packets_that_were_sent_twice_are_told(self):
        record = watched()
        record["nics"][:5] = nic(2100000, 290, 500000, 281, resent=11)
        self.assertIn("; 11 packets were sent twice", self._run(record).complaint())

    def test_text(self):
        runs = [self._run(watched()), wire.Run(_PATTERN, "tuned", failure="lost")]
        lines = wire.table(runs, _PLAIN)
        self.assertIn("0.08%", lines[2])
        self.assertIn("failed", lines[3])
        self.assertIn("agree to 0.10%: within the 2% allowed", wire.verdict(runs)[0])
        self.assertEqual(wire.verdict(runs[1:]), [])
        bad = watched(100000)
        self.assertIn("MORE THAN", wire.verdict([self._run(bad)])[0])

    def test_what_packets_sent_twice_have_spoilt_is_repeated(self):
        good, few, lost = self._run(watched()), self._run(watched()), self._run(watched(100000))
        few, lost, wrong = (dataclasses.replace(run, resent=resent) for run, resent in ((few, 3), (lost, 11), (lost, 0)))
        for outcomes, kept in (([good], good), ([few], few), ([lost, good], good), ([lost] * 3, lost), ([wrong], wrong)):
            measurement = wire.Measurement(types.SimpleNamespace(write_topology=lambda _: None),
                                           types.SimpleNamespace(plugin_folder="plugins"), "folder", 1)
            with mock.patch.object(measurement, "_once", side_effect=outcomes) as once:
                measurement.run(types.SimpleNamespace(show=lambda *_, **__: None), (_PATTERN,))
            self.assertEqual((measurement.runs, once.call_count), ([kept], len(outcomes)))


_READING = 120  # bytes and two packets


def read_often(lost=0.0, late=1):
    """200 readings; messages of 400,000 bytes in every 20th interval, which the NIC has sent `late`
    intervals later."""
    ticks, sent, data, packets = [], [], 0, 0
    for number in range(200):
        message = number % 20 == 10
        data += _READING
        packets += 2
        if number % 20 == 10 + late:
            data += int(400000 * (1 - lost)) + 500
            packets += 45
        ticks.append([number / 100, 400000 if message else 0, data + packets * _HEADER, packets])
        if message:
            sent.append([number / 100 - 0.005, 400000])
    return {"period_ms": 10, "header_bytes": _HEADER, "resent": 0, "ticks": ticks, "sent": sent}


class OverTime(Folder):
    def test_reading_costs_are_left_out(self):
        found = series.understand(read_often())
        self.assertAlmostEqual(found.reading_bytes, _READING)
        session, nic_bytes = (total[-1] for total in found.cumulative())
        self.assertEqual((session, found.sent), (4000000, 4000000))
        self.assertAlmostEqual(nic_bytes, 4005000)
        self.assertEqual(found.complaint(), "")

    def test_delays(self):
        for late in (0, 1, 3):
            delays = series.understand(read_often(late=late)).delays_ms()
            self.assertEqual(len(delays), 10)
            for delay in delays:
                self.assertAlmostEqual(delay, 10 * late)

    def test_what_the_nic_lacks_is_refused(self):
        self.assertIn("the NIC sent", series.understand(read_often(lost=0.03)).complaint())

    def test_what_the_session_lacks_is_refused(self):
        record = read_often()
        record["ticks"][30][1] -= 1
        self.assertIn("the program sent 4000000", series.understand(record).complaint())

    def test_files(self):
        found = series.understand(read_often())
        paths, complaint = series.draw(found, self.folder)
        with open(paths[0], encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((len(rows), rows[-1]["session_bytes_so_far"]), (199, "4000000"))
        if shutil.which("gnuplot"):
            self.assertEqual(complaint, "")
            self.assertTrue(all(os.path.getsize(path) > 5000 for path in paths))
        text = "\n".join(series.text(found, _PLAIN))
        self.assertIn("10 messages: the session saw 4000000 bytes, the program sent 4000000, the NIC 4005000 (+0.12%)", text)
        self.assertIn("10 ms (median; 10 ms at most)", text)


class Welch(unittest.TestCase):
    def test_quantiles(self):
        for chance, degrees, known in ((0.975, 4, 2.7764), (0.975, 10, 2.2281), (0.975, 30, 2.0423), (0.95, 5, 2.0150),
                                       (0.975, 350, 1.9668), (0.025, 30, -2.0423)):
            self.assertAlmostEqual(welch.t_quantile(chance, degrees), known, 2)

    def test_known_difference(self):
        # Student's hours of additional sleep, as unpaired: -1.58, 17.776 degrees, [-3.3654832, 0.2054832].
        first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
        second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
        found = welch.difference(first, second)
        for value, known in ((found.mean, -1.58), (found.degrees, 17.776), (found.low, -3.36548), (found.high, 0.20548)):
            self.assertAlmostEqual(value, known, 3)
        self.assertFalse(found.significant())
        self.assertTrue(welch.difference(first, [value + 1 for value in second]).significant())

    def test_covers_the_truth_as_often_as_it_says(self):
        draw = random.Random(4)
        covered = 0
        for _ in range(400):
            found = welch.difference([draw.gauss(3, 1) for _ in range(12)], [draw.gauss(1, 4) for _ in range(20)])
            covered += found.low <= 2 <= found.high
        self.assertTrue(370 <= covered <= 392, covered)

    def test_too_little(self):
        self.assertIsNone(welch.difference([1.0] * 4, [1.0] * 9))
        self.assertFalse(welch.difference([1.0] * 9, [1.0] * 9).significant())


class Overhead(Folder):
    def times(self, cost_us, runs=180, ranks=2):
        draw = random.Random(1)
        times = overhead.Times(ranks)
        for _ in range(runs):
            for size in overhead.SIZES:
                for state, more in (("without", 0), ("active", cost_us), ("suspended", cost_us)):
                    ns = [draw.gauss(2000 + 1000 * more, 300) for _ in range(5)]
                    times.add([{"size": size, "state": state, "ns": ns}])
        return times

    def test_what_costs_little_is_within_the_limit(self):
        times = self.times(0.2)
        self.assertTrue(times.within_limit())
        for found in times.differences().values():
            self.assertAlmostEqual(found.mean, 0.2, 1)
        self.assertIn("within the 5 us", overhead.verdict([times])[0])

    def test_what_costs_more_is_not(self):
        times = self.times(5.1)
        self.assertFalse(times.within_limit())
        self.assertIn("MORE THAN the 5 us", overhead.verdict([times])[0])

    def test_one_size_suffices_to_break_the_limit(self):
        times = self.times(0.2)
        times.us[1024, "active"] = [value + 5 for value in times.us[1024, "active"]]
        self.assertFalse(times.within_limit())

    def test_uncertainty_counts(self):
        times = self.times(0.2, 20)
        times.us[4, "active"][0] += 100  # the mean is greater by 5, without proof
        self.assertLess(times.differences()[4].mean, 6)
        self.assertFalse(times.within_limit())

    def test_nothing_measured_is_not_within_the_limit(self):
        self.assertFalse(overhead.Times(2).within_limit())

    def test_too_few_cores_are_told(self):
        with mock.patch.object(overhead, "cores", lambda: 2):
            times = overhead.measure(16, None, self.folder, None, Silent())
        self.assertIn("SKIPPED: 16 ranks need a core each: there are 2 cores here", "\n".join(overhead.table([times], _PLAIN)))
        self.assertEqual(overhead.verdict([times]), [])
        self.assertEqual(overhead.draw([times], "nowhere"), ([], ""))

    def test_turns_and_a_run_that_fails(self):
        told = []

        def run(_places, competitor, command, _log, _timeout):
            told.append(("--monitored" in command, "ob1,monitoring" in competitor.options))
            path = command[command.index("--json") + 1]
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"size": 4, "state": "%s", "ns": [1000, 9000, 2000]}\n' % ("active" if told[-1][0] else "without"))
            return Run(1 if len(told) == 7 else 0, 0, "", "crashed")

        options = types.SimpleNamespace(runs=5, calls_per_run=3)
        built = types.SimpleNamespace(tool=lambda name: name)
        with mock.patch.object(overhead, "_launch", lambda _: types.SimpleNamespace(run=run)), \
                mock.patch.object(overhead, "cores", lambda: 2):
            times = overhead.measure(2, built, self.folder, options, types.SimpleNamespace(show=lambda *_, **__: None))
        self.assertEqual(told, [(way, way) for way in (True, False, False, True, True, False, False)])
        self.assertEqual((times.us[4, "active"], times.failure), ([2.0] * 3, "crashed"))
        self.assertIn("failed", overhead.table([times], _PLAIN)[2])

    def test_between_nodes(self):
        calls = []

        def run(places, competitor, command, log, _timeout):
            calls.append((places, command[command.index("--op") + 1], "--monitored" in command, os.path.basename(log)))
            with open(command[command.index("--json") + 1], "w", encoding="utf-8") as file:
                line = '{{"size": 4, "state": "{}", "ns": [{}000, {}0{:02}]}}\n'
                file.writelines(line.format(state, us, us, len(calls)) for state, us in (
                    (("active", 12), ("suspended", 11)) if calls[-1][2] else (("without", 10),)))
            return Run(0, 0, "", "")

        cluster = types.SimpleNamespace(run=run)
        options = types.SimpleNamespace(runs=5, calls_per_run=3)
        setting = types.SimpleNamespace(options=options, built=types.SimpleNamespace(tool=lambda name: name),
                                        folder=self.folder, progress=types.SimpleNamespace(show=lambda *_, **__: None),
                                        cluster=lambda *_: contextlib.nullcontext(cluster))
        findings = monitoring.measure(["overhead-nodes"], setting)
        place = ("--order", "block")
        self.assertEqual(calls, [(place, operation, monitored, f"overhead-{operation}-2-nodes")
                                 for operation in ("pingpong", "reduce")
                                 for monitored in 2 * (True, False, False, True) + (True, False)])
        self.assertEqual([(one["operation"], one["nodes"]) for one in findings.to_json()["overhead"]],
                         [("pingpong", 2), ("reduce", 2)])
        text = "\n".join(findings.text(_PLAIN))
        self.assertIn("a message to the other rank and back, a rank on each of 2 emulated nodes: microseconds", text)
        self.assertRegex(text, r"4 B +10\.0\d\d +12\.0\d\d +\+2\.0\d\d ")

    def test_text_and_picture(self):
        all_times = [self.times(0.2), overhead.Times(16, skipped="too few")]
        lines = overhead.table(all_times, _PLAIN)
        self.assertIn("4 B", lines[3])
        self.assertRegex(lines[3], r"\+0\.\d+ \[\+0\.\d+, \+0\.\d+\]")
        paths, complaint = overhead.draw(all_times, self.folder)
        self.assertEqual((len(paths), complaint) if shutil.which("gnuplot") else (2, ""), (2, ""))


class Together(unittest.TestCase):
    def test_what_is_wrong_fails_and_what_is_slow_does_not(self):
        findings = monitoring.MonitoringFindings()
        record = watched()
        findings.runs = [wire.understand(record, _PATTERN, "tuned")]
        findings.series = series.understand(read_often())
        slow = overhead.Times(2)
        slow.us = {(4, "without"): [1.0, 2.0] * 9, (4, "active"): [11.0, 12.0] * 9}
        findings.times = [slow]
        self.assertEqual(findings.failures(), [])
        self.assertIn("MORE THAN the 5 us", "\n".join(findings.text(_PLAIN)))
        self.assertEqual(set(findings.to_json()), {"wire", "series", "overhead"})
        spoilt = copy.deepcopy(record)
        spoilt["matrix"][2] -= 60000
        findings.runs.append(wire.understand(spoilt, _PATTERN, "strata"))
        findings.series = series.understand(read_often(lost=0.04))
        slow.failure = "crashed"
        self.assertEqual([failure.split(":")[0] for failure in findings.failures()],
                         ["wire, random, 4 MiB, strata", "wire, series", "overhead, Reduce of integers, 2 ranks with a core each"])


if __name__ == "__main__":
    unittest.main()
