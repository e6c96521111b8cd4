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

from introspecting import command_line
from introspecting.figure import Findings
from measuring.progress import Progress


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


if __name__ == "__main__":
    unittest.main()
