#!/usr/bin/env python3
"""Tests of folders for results: a benchmark never deletes a user's files. No cluster, no MPI, no build."""

import contextlib
import errno
import io
import json
import os
import subprocess
import types
import unittest
from unittest import mock

from fakes import ROOT, Folder

from strata_bench.compare import command_line as comparison
from strata_bench.measuring import command, results
from strata_bench.measuring.cluster import ClusterError

_COMMANDS = ("apps", "communicators", "compare", "demo", "introspection", "nuioa", "simulate", "tune")


class Results(Folder):
    def setUp(self):
        super().setUp()
        self.results = os.path.join(self.folder, "results")

    def write(self, name, text="mine"):
        path = os.path.join(self.results, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def make(self, **more):
        return command.results_folder(self.results, r"table\.txt", **more)

    def refused(self):
        with self.assertRaises(ClusterError) as failed:
            results.check(self.results)
        self.assertEqual(failed.exception.status, 1)
        return str(failed.exception)


class Folders(Results):
    def test_files_of_the_user_stay(self):
        for name in ("table.txt", os.path.join("logs", "job.out"), "thesis.tex"):
            with self.subTest(name):
                path = self.write(name)
                with self.assertRaises(ClusterError):
                    self.make()
                self.assertTrue(os.path.exists(path))
                self.assertFalse(os.path.exists(os.path.join(self.results, results.MARKER)))

    def test_it_is_said_how_to_go_on(self):
        self.write("table.txt")
        text = self.refused()
        self.assertEqual(text.count("\n"), 0)
        for word in (f"--results {self.results}: ", "empty", os.path.join(self.results, results.MARKER)):
            self.assertIn(word, text)
        self.write(results.MARKER, "")
        self.make()
        self.assertFalse(os.path.exists(os.path.join(self.results, "table.txt")))

    def test_a_folder_of_ours_is_emptied(self):
        for exists in (False, True):
            with self.subTest(exists=exists):
                self.results = os.path.join(self.folder, str(exists))
                if exists:
                    os.mkdir(self.results)
                self.make()
                paths = [self.write(name) for name in ("table.txt", os.path.join("logs", "job.out"))]
                self.make(keep_logs=True)
                self.assertEqual([*map(os.path.exists, paths)], [False, True])
                self.make()
                self.assertEqual([*map(os.path.exists, paths)], [False, False])
                self.assertEqual(sorted(os.listdir(self.results)), [results.MARKER, "logs"])

    def test_nothing_is_made_by_the_check(self):
        results.check(self.results)
        self.assertFalse(os.path.exists(self.results))

    def test_older_folders_are_recognised(self):
        cells = os.path.join("cells", "settings.json")
        for name, keys in (("measurements.json", "unit rounds cluster ranks cases applications"),
                           ("measurements.json", "cluster ranks rounds left_out applications"),
                           ("measurements.json", "operation costs starts"),
                           ("measurements.json", "unit settings verdict confirmed suspected records"),
                           ("measurements.json", "unit settings shape seconds problems shares links cells"),
                           ("measurements.json", "examples monitoring"), ("summary.json", "places rows"),
                           (cells, "place contenders parameters reps rounds shuffle build"),
                           (os.path.join("check-cells", "settings.json"), "place parameters operations rules build")):
            with self.subTest(name=name, keys=keys):
                self.results = os.path.join(self.folder, keys.replace(" ", "-"))
                self.write(name, json.dumps(dict.fromkeys(keys.split())))
                self.make()
                self.assertTrue(os.path.exists(os.path.join(self.results, results.MARKER)))

    def test_files_of_others_with_such_names_are_not(self):
        for text in ("", "[]", '["unit", "rounds", "cluster", "cases"]', "{}", '{"unit": 1, "rounds": 2}',
                     '{"monitoring": 1, "more": 2}', "\udcff"):
            with self.subTest(text):
                path = self.write("measurements.json", "")
                with open(path, "wb") as file:
                    file.write(text.encode("utf-8", "surrogateescape"))
                self.refused()


class Commands(Results):
    def test_all_refuse_before_anything_else(self):
        """A later check would report a missing build, or that no cluster is possible."""
        path = self.write("table.txt")
        for name in _COMMANDS:
            with self.subTest(name):
                call = [os.path.join(ROOT, "bench", name), "--results", self.results, "--build", self.folder]
                done = subprocess.run(call, text=True, capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertRegex(done.stderr, rf"^{name}: --results \S*/results: this folder is not empty[^\n]*\n$")
                self.assertEqual(os.listdir(self.results), [os.path.basename(path)])

    def test_the_grid_looks_at_all_its_folders_first(self):
        results.claim(self.results)
        self.write(os.path.join("one-node", "table.txt"))
        output = io.StringIO()
        with mock.patch.object(command, "prepare", lambda *_, **__: self.fail("prepared")), \
                mock.patch.object(command, "raise_on_signals"), contextlib.redirect_stderr(output):
            self.assertEqual(comparison.main(["--grid", "--results", self.results]), 1)
        self.assertRegex(output.getvalue(), r"--results \S*/one-node: this folder is not empty")

    def _said(self, body=None, where=None):
        output = io.StringIO()
        with mock.patch.object(command, "raise_on_signals"), contextlib.redirect_stderr(output):
            status = command.run("bench", body, types.SimpleNamespace(results=where or self.results))
        return status, output.getvalue()

    def test_what_cannot_be_written_is_told_in_a_line(self):
        file = self.write("table.txt")
        for where in (file, os.path.join(file, "below")):
            self.assertEqual(self._said(where=where), (1, f"bench: {where}: Not a directory\n"))
        ours = results.claim(os.path.join(self.folder, "ours"))
        path = os.path.join(ours, "table.txt")
        os.mkdir(path)

        def write(*_):
            with open(path, "w", encoding="utf-8"):
                self.fail("opened")

        self.assertEqual(self._said(write, ours), (1, f"bench: {path}: Is a directory\n"))

    def test_a_full_disk_is_told_in_a_line(self):
        def full(*_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        self.assertEqual(self._said(full, os.path.join(self.folder, "none")), (1, "bench: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
