#!/usr/bin/env python3
"""Tests of the command bench/strata-bench and the links to it."""

import contextlib
import io
import os
import subprocess
import tempfile
import unittest

from fakes import ROOT  # the bench folder is in the path from here on

from strata_bench import __main__ as program

BENCH = os.path.join(ROOT, "bench")
START = os.path.join(BENCH, "strata-bench")


def said(*call, cwd=None):
    return subprocess.run(call, text=True, capture_output=True, check=True, cwd=cwd).stdout


class Commands(unittest.TestCase):
    def test_every_package_with_options_is_one(self):
        package = os.path.join(BENCH, "strata_bench")
        found = [name for name in os.listdir(package) if os.path.exists(os.path.join(package, name, "command_line.py"))]
        self.assertEqual(sorted(program.COMMANDS), sorted(found))

    def test_every_one_has_a_link(self):
        links = [name for name in os.listdir(BENCH) if os.path.islink(os.path.join(BENCH, name))]
        self.assertEqual(sorted(program.COMMANDS), sorted(links))
        self.assertEqual({os.readlink(os.path.join(BENCH, name)) for name in links}, {"strata-bench"})

    def test_help_tells_all(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            self.assertEqual(program.main(["--help"]), 0)
        for name, text in program.COMMANDS.items():
            self.assertRegex(output.getvalue(), rf"\n  {name} +{text}\n")

    def test_unknown(self):
        output = io.StringIO()
        with contextlib.redirect_stderr(output):
            self.assertEqual(program.main(["dmeo", "--help"]), 2)
        self.assertEqual(output.getvalue(), f"strata-bench: no command 'dmeo'; known: {', '.join(program.COMMANDS)}\n")

    def test_link_is_the_command(self):
        expected = said(START, "cluster", "up", "--help")
        self.assertEqual(said(os.path.join(BENCH, "cluster"), "up", "--help"), expected)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(BENCH, "cluster"), os.path.join(folder, "other"))
            os.symlink("other", os.path.join(folder, "strata-cluster"))
            os.symlink(START, os.path.join(folder, "sb"))
            self.assertEqual(said(os.path.join(folder, "strata-cluster"), "up", "--help"), expected)
            self.assertEqual(said("sh", "strata-cluster", "up", "--help", cwd=folder), expected)
            self.assertEqual(said(os.path.join(folder, "sb"), "cluster", "up", "--help"), expected)

    def test_the_callers_folder_is_not_on_pythons_path(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("json", "argparse", "strata_bench"):
                with open(os.path.join(folder, f"{name}.py"), "w", encoding="utf-8") as file:
                    file.write("raise SystemExit('the wrong module')\n")
            self.assertEqual(said(START, "cluster", "up", "--help", cwd=folder), said(START, "cluster", "up", "--help"))


if __name__ == "__main__":
    unittest.main()
