#!/usr/bin/env python3
"""Tests of bench/communicators on artificial values; with mpirun and communicator_cost as arguments, of
that program."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from fakes import Folder, mpirun_environment

from strata_bench.communicators import command_line, costs, plot
from strata_bench.measuring import command
from strata_bench.measuring.table import Paint

_CONTENDERS = ("tuned", "han", "strata")
_MS = 1000000


def line(contender, both_ms, ranks=8, size=8):
    values = [int(both_ms * _MS * factor) for factor in (0.9, 1, 1.1, 1, 1, 1.2, 0.8)]
    return {"ranks": ranks, "bytes": size, "contender": contender, "making_ns": values, "first_ns": values,
            "both_ns": values, "later_ns": [], "heap_bytes": [1024, 2048, 2048]}


def measured(**both_ms):
    found = costs.Costs()
    for contender, time in both_ms.items():
        found.add(line(contender, time))
    return found


class Costs(Folder):
    def test_ratios_are_those_of_medians(self):
        found = measured(tuned=2, han=20, strata=3)
        self.assertAlmostEqual(found.ratio((8, 8), "tuned"), 1.5)
        self.assertAlmostEqual(found.ratio((8, 8), "han"), 0.15)

    def test_nothing_is_said_of_who_is_missing(self):
        found = measured(tuned=2, strata=3)
        self.assertIsNone(found.ratio((8, 8), "han"))
        self.assertEqual(len(costs.verdict(found)), 1)

    def test_limits_can_be_missed(self):
        self.assertEqual([text.count("within") for text in costs.verdict(measured(tuned=2, han=20, strata=2.15))], [1, 1])
        self.assertEqual([text.count("MORE THAN") for text in costs.verdict(measured(tuned=2, han=10, strata=2.7))], [1, 1])

    def test_large_messages_do_not_count_against_tuned(self):
        found = costs.Costs()
        for contender, time in (("tuned", 1), ("strata", 9)):
            found.add(line(contender, time, size=65536))
        self.assertEqual(costs.verdict(found), [])

    def test_the_table_has_every_cell(self):
        text = "\n".join(costs.table(measured(tuned=2, han=20, strata=3), "bcast", _CONTENDERS, Paint(False)))
        self.assertRegex(text, r"8 +8 B +strata +3\.000 +3\.000 +3\.000 +– +2\.0\n")
        self.assertRegex(text, r"strata: +1\.50 times tuned's, +0\.15 times han's")

    def test_the_share_of_starting_is_that_of_medians(self):
        starts = costs.Starts()
        for init_ms, plugin_ms in ((90, 3), (100, 1), (400, 2)):
            starts.add("stock", start(init_ms, -1 / _MS))
            starts.add("strata", start(init_ms, plugin_ms))
        self.assertAlmostEqual(starts.share(), 0.02)
        text = "\n".join(starts.report(Paint(False)))
        self.assertRegex(text, r"stock +100\.000  \(90\.000–400\.000\)")
        self.assertIn("Of that in the plugin, greatest of all ranks: 2.000, 2.00 %: within the 2 % allowed.", text)
        self.assertIn("mean of all ranks: 1.000, 1.00 %: within the 2 %", text)
        self.assertIn("CPU time, greatest of all ranks: 0.500, 0.50 %: within the 2 %", text)
        starts.add("strata", start(100, 4))
        text = "\n".join(starts.report(Paint(False)))
        self.assertEqual([text.count(word) for word in ("MORE THAN the 2 %", "within the 2 %")], [1, 2])
        self.assertEqual(costs.Starts().report(Paint(False)), [])

    def test_the_gate_lets_pass_what_keeps_all_limits(self):
        self.assertEqual(costs.missed([measured(tuned=2, han=20, strata=2.15)], starts_of(1, 100), False), [])
        self.assertEqual(costs.missed([measured(tuned=2, han=20, strata=2.15)], costs.Starts(), False), [])

    def test_the_gate_sees_every_limit_that_is_missed(self):
        self.assertRegex(" ".join(costs.missed([measured(tuned=2, han=20, strata=2.7)], costs.Starts(), False)),
                         r"^every time the same .*: At most 1\.35 times tuned's .* MORE THAN the 1\.1 allowed\.$")
        self.assertRegex(" ".join(costs.missed([measured(tuned=9, han=10, strata=2.5)], costs.Starts(), False)),
                         r"At most 0\.25 times han's .* MORE THAN the 0\.2 allowed\.$")
        # The mean rank has half of the plugin's greatest time, and CPU time is a quarter of it.
        within = [measured(tuned=2, han=20, strata=2.15)]
        self.assertEqual(len(costs.missed(within, starts_of(3, 100), False)), 1)
        self.assertEqual(len(costs.missed(within, starts_of(9, 100), False)), 3)
        self.assertEqual(costs.missed(within, starts_of(3, 100), True), [])
        self.assertEqual(len(costs.missed(within, starts_of(9, 100), True)), 1)

    def test_the_gate_does_not_let_pass_what_was_not_measured(self):
        self.assertIn("nothing was measured", " ".join(costs.missed([costs.Costs()], costs.Starts(), False)))
        self.assertIn("no times to compare with han's",
                      " ".join(costs.missed([measured(tuned=2, strata=2.15)], costs.Starts(), False)))
        starts = costs.Starts()
        starts.add("stock", start(100, -1 / _MS))
        self.assertIn("nothing was measured of the plugin",
                      " ".join(costs.missed([measured(tuned=2, han=20, strata=2.15)], starts, True)))

    def test_a_cluster_has_as_many_ranks_as_asked_for(self):
        for words, slots in (([], None), (["--ranks", "2,64"], "16"), (["--ranks", "32", "--nodes", "3"], "11"),
                             (["--ranks", "64", "--site-sizes", "1,1"], "32"),
                             (["--ranks", "64", "--slots", "20"], "20"), (["--ranks", "64", "--launcher", "srun"], None), (["--ranks", "16"], None)):
            options = command_line.make_parser().parse_args(words)
            command_line.fit(options)
            self.assertEqual(options.slots, slots, words)

    def test_a_shape_that_cannot_be_is_told_in_a_line(self):
        for words, text in ((["--nodes", "0"], "--nodes '0': expected a number from 1"),
                            (["--nodes", "four"], "--nodes 'four': expected a number from 1"),
                            (["--nodes", "\u00b2"], "--nodes '\u00b2': expected a number from 1"),
                            (["--site-sizes", "2,x"], "--site-sizes '2,x': expected numbers from 1 separated by commas"),
                            (["--site-sizes", "2,0"], "--site-sizes '2,0': expected numbers from 1 separated")):
            output = io.StringIO()
            with mock.patch.object(command, "prepare", lambda *_, **__: self.fail("prepared")), \
                    mock.patch.object(command, "raise_on_signals"), contextlib.redirect_stderr(output):
                status = command_line.main([*words, "--results", os.path.join(self.folder, "results")])
            self.assertEqual((status, output.getvalue().count("\n")), (1, 1), words)
            self.assertTrue(output.getvalue().startswith("communicators: " + text), output.getvalue())

    def test_nothing_measured_is_no_picture(self):
        self.assertEqual(plot.draw([costs.Costs()], "bcast", _CONTENDERS, "nowhere"), ([], ""))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_the_picture_is_drawn(self):
        paths, complaint = plot.draw([measured(tuned=2, han=20, strata=3)], "bcast", _CONTENDERS, self.folder)
        self.assertEqual((complaint, [os.path.basename(path) for path in paths]),
                         ("", ["communicators.svg", "communicators.png"]))


def starts_of(plugin_ms, init_ms):
    starts = costs.Starts()
    starts.add("stock", start(init_ms, -1 / _MS))
    starts.add("strata", start(init_ms, plugin_ms))
    return starts


def start(init_ms, plugin_ms):
    """A job whose mean rank has half of the plugin's greatest time, and half of that as CPU time."""
    return {"ranks": 16, "init_ns": init_ms * _MS, "plugin_ns": plugin_ms * _MS,
            "plugin_mean_ns": plugin_ms * _MS / (2 if plugin_ms > 0 else 1),
            "plugin_processor_ns": plugin_ms * _MS / (4 if plugin_ms > 0 else 1)}


class Program(Folder):
    mpirun = program = ""

    def _run(self, *options):
        path = os.path.join(self.folder, "contenders.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"name": name, "info": {"ompi_comm_coll_preference": name}} for name in ("tuned", "basic")], file)
        call = [self.mpirun, "--oversubscribe", "--mca", "btl", "self,vader",
                "--mca", "mpi_yield_when_idle", "1", "-n", "4", self.program, "--contenders", path,
                "--reps", "3", "--json", os.path.join(self.folder, "out.json"), *options]
        return subprocess.run(call, env=mpirun_environment(), text=True, capture_output=True, timeout=60, check=False)

    def test_every_cell_has_its_values(self):
        for found in self._cells():
            self.assertEqual(found["leading_rank"], [0] * 3)

    def test_orders_change_from_one_communicator_to_the_next(self):
        for found in self._cells("--reorder"):
            if found["ranks"] == 4:
                self.assertGreater(len(set(found["leading_rank"])), 1)
                self.assertTrue(set(found["leading_rank"]) <= {0, 1, 2, 3})

    def _cells(self, *options):
        done = self._run("--op", "allreduce", "--sizes", "8,4096", "--ranks", "2,4", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as file:
            lines = [json.loads(text) for text in file]
        self.assertEqual([(found["ranks"], found["bytes"], found["contender"]) for found in lines],
                         [(ranks, size, name) for ranks in (2, 4) for size in (8, 4096) for name in ("tuned", "basic")])
        for found in lines:
            self.assertEqual((len(found["making_ns"]), len(found["heap_bytes"])), (3, 3))
            self.assertGreaterEqual(min(found["heap_bytes"]), 0)
            self.assertTrue(all(both >= making for both, making in zip(found["both_ns"], found["making_ns"])
                                if len(found["both_ns"]) == 3))
        return lines

    def test_more_ranks_than_there_are_is_refused(self):
        done = self._run("--ranks", "8")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--ranks: the job has 4", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        Program.mpirun, Program.program = sys.argv.pop(1), sys.argv.pop(1)
        unittest.main(defaultTest="Program")
    unittest.main(defaultTest="Costs")
