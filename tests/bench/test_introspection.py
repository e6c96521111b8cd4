#!/usr/bin/env python3
"""Tests of bench/introspection: no cluster, no MPI."""

import io
import json
import os
import tempfile
import types
import unittest
from unittest import mock

import fakes  # noqa: F401  (finds the benchmarks)

from strata_bench.introspection import command_line, examples
from strata_bench.introspection.figure import Findings
from strata_bench.measuring.progress import Progress
from strata_bench.measuring.table import Paint


class Told(Findings):
    def __init__(self, names, failures=()):
        self._names = names
        self._failures = failures

    def text(self, paint):
        return ["", f"measured {', '.join(self._names)}"]

    def failures(self):
        return self._failures

    def to_json(self):
        return self._names

    def draw(self, folder):
        return [os.path.join(folder, f"{name}.png") for name in self._names], "no gnuplot"


def module(names, failures=()):
    return types.SimpleNamespace(FIGURES=names, FILES="", add_options=lambda parser: None,
                                 measure=lambda chosen, setting: Told(chosen, failures))


class Dispatch(unittest.TestCase):
    def _run(self, arguments, failures=()):
        modules = {"one": module(("a", "b")), "two": module(("c",), failures), "three": module(("d",))}
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(command_line, "MODULES", modules), \
                mock.patch.object(command_line.command, "prepare", lambda *_: None):
            options = command_line._parser().parse_args([*arguments, "--results", folder])
            output = io.StringIO()
            status = command_line._benchmark(options, Progress(output))
            with open(os.path.join(folder, "measurements.json"), encoding="utf-8") as file:
                return status, output.getvalue(), json.load(file)

    def test_modules_get_their_figures_alone(self):
        status, output, data = self._run(["--figure", "c,b"])
        self.assertEqual((status, data), (0, {"one": ["b"], "two": ["c"]}))
        self.assertIn("measured b\n\nmeasured c\n", output)
        self.assertEqual(output.count("no gnuplot"), 1)
        self.assertIn("c.png", output)

    def test_all_by_default(self):
        self.assertEqual(self._run([])[2], {"one": ["a", "b"], "two": ["c"], "three": ["d"]})

    def test_fails_where_a_module_does(self):
        status, output, _ = self._run(["--figure", "a,c"], ["c: 3 wrong results"])
        self.assertEqual(status, 1)
        self.assertIn("FAILED: c: 3 wrong results", output)


class Examples(unittest.TestCase):
    @staticmethod
    def _run(times, wrong=0):
        lines = [f"{name:16} {us:12.1f} us, in communication 1.0 us" for name, us in times.items()]
        return types.SimpleNamespace(status=1 if wrong else 0, output="\n".join([*lines, f"{wrong} wrong elements", ""]),
                                     complaint=lambda: "")

    def _measurement(self, example, **changed):
        times = examples.Times()
        for us in (900, 1000, 2000):
            times.add(self._run({**{name: 4 * us for name in example.hierarchies}, examples.TOPOLOGICAL: us, **changed}))
            times.add(self._run({"simple": 2 * us, examples.TOPOLOGICAL: us}), examples.OWN_CHOICE)
        return types.SimpleNamespace(times={(example, order): times for order in examples.ORDERS})

    def test_compares_each_choice_of_a_broadcast_with_its_own(self):
        example = examples.ALL["summa"][0]
        rows = {line[:26].strip(): line.split() for line in examples.table(self._measurement(example), [example], Paint(False))}
        self.assertEqual(rows["simple"][1:], ["4.00", "4.00x"] * 3)
        self.assertEqual(rows["simple, own choice"][3:], ["2.00", "2.00x"] * 3)
        self.assertEqual(rows["topological"][1:], ["1.00"] * 3)

    def test_leaves_the_same_hierarchy_out_of_the_verdict(self):
        example = examples.ALL["gather"][0]
        measurement = self._measurement(example)
        measurement.times[example, "block"] = self._measurement(example, **{"2,2": 1000}).times[example, "block"]
        self.assertIn("4.00 to 4.00 times", examples.verdict(measurement, [example])[0])

    def test_a_wrong_result_is_a_failure_and_gives_no_time(self):
        times = examples.Times()
        times.add(self._run({"simple": 5, examples.TOPOLOGICAL: 1}, wrong=3))
        self.assertTrue(times.failure)
        self.assertIsNone(times.median("simple"))
        self.assertIsNone(times.gain("simple", ""))

    def test_output_without_a_count_of_wrong_elements_is_a_failure(self):
        times = examples.Times()
        times.add(types.SimpleNamespace(status=0, output="simple 3.0 us\n", complaint=lambda: "cut short"))
        self.assertEqual((times.failure, times.us), ("cut short", {}))


if __name__ == "__main__":
    unittest.main()
