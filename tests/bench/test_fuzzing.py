#!/usr/bin/env python3
"""Tests of tests/fuzz/run, with a program that has given findings."""

import contextlib
import functools
import importlib.util
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from importlib.machinery import SourceFileLoader
from unittest import mock

_HERE = os.path.dirname(os.path.abspath(__file__))
_LOADER = SourceFileLoader("fuzz_run", os.path.join(_HERE, "..", "fuzz", "run"))
fuzz = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_run", _LOADER))
_LOADER.exec_module(fuzz)

TARGETS = ("bad", "good", "lost")


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.root = folder.name
        for target in TARGETS:
            os.makedirs(os.path.join(self.root, fuzz._CORPUS, target))
        for name, value in (("ROOT", self.root), ("_PROGRAM", os.path.join(_HERE, "fake_fuzzer.py"))):
            patched = mock.patch.object(fuzz, name, value)
            patched.start()
            self.addCleanup(patched.stop)

    def run_it(self, *words, can_be_built=True):
        """Returns exit status and output."""
        output = io.StringIO()
        with mock.patch.object(sys, "argv", ["run", "--minutes", "0.003", *words]), \
                mock.patch.object(fuzz, "prepare", lambda options: can_be_built), \
                mock.patch.object(fuzz, "Progress", functools.partial(fuzz.Progress, output)), \
                contextlib.redirect_stdout(output):
            status = fuzz.main()
        return status, output.getvalue()

    def test_nothing_found_is_success(self):
        status, output = self.run_it("good")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"good +1,234 .* 0\n$")
        self.assertNotIn("To repeat it", output)

    def test_a_finding_fails_the_run_and_its_command_repeats_it(self):
        status, output = self.run_it("bad", "good")
        self.assertEqual(status, 1, output)
        self.assertIn("it went wrong", output)
        self.assertRegex(output, r"(?m)^bad .* 1$")
        self.assertRegex(output, r"(?m)^good .* 0$")
        command = re.search(r"To repeat it:\n  (.*)\n", output).group(1)
        self.assertEqual(subprocess.run(command, shell=True, cwd=self.root, check=False).returncode, 77)
        kept = shlex.split(command)[-1]
        self.assertEqual(os.path.dirname(kept), fuzz._FINDINGS)
        self.assertTrue(os.path.exists(os.path.join(self.root, kept)))

    def test_a_program_that_does_not_start_fails_the_run(self):
        status, output = self.run_it("lost")
        self.assertEqual(status, 1, output)
        self.assertNotIn("To repeat it", output)

    def test_what_cannot_be_built_is_told_from_findings(self):
        self.assertEqual(self.run_it("bad", can_be_built=False)[0], 2)

    def test_to_be_ended_is_to_be_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before = signal.getsignal(number)
            self.addCleanup(signal.signal, number, before)
            end = threading.Timer(1.5, os.kill, (os.getpid(), number))
            end.start()
            status, output = self.run_it("--minutes", "1", "good")
            end.join()
            self.assertEqual(status, 0, output)
            self.assertIn("interrupted", output)
            self.assertRegex(output, r"good +1,234 .* 0\n$")

    def test_unknown_targets_are_refused(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            self.run_it("no_such")
        self.assertIn("known: bad, good, lost", said.getvalue())

    def test_words_are_given_to_their_target(self):
        os.chdir(self.root)
        os.makedirs(fuzz._WORDS)
        with open(os.path.join(fuzz._WORDS, "good"), "w", encoding="utf-8"):
            pass
        self.assertEqual(fuzz.words_of("good"), [f"-dict={os.path.join(fuzz._WORDS, 'good')}"])
        self.assertEqual(fuzz.words_of("bad"), [])


class Files(unittest.TestCase):
    def test_every_list_of_words_is_of_a_target(self):
        folder = os.path.join(_HERE, "..", "fuzz")
        self.assertLessEqual(set(os.listdir(os.path.join(folder, "words"))),
                             set(os.listdir(os.path.join(folder, "corpus"))))


if __name__ == "__main__":
    unittest.main()
