#!/usr/bin/env python3
"""Tests of the lines that tell the progress of a benchmark."""

import io
import unittest
from unittest import mock

import fakes  # noqa: F401: finds the modules below

from strata_bench.measuring import progress


class Lines(unittest.TestCase):
    def shown(self, text):
        """Returns the line in a file, where lines cannot be overwritten."""
        stream = io.StringIO()
        clock = mock.patch.object(progress.time, "monotonic")
        with clock as now:
            now.return_value = 0
            one = progress.Progress(stream)
            now.return_value = 60
            one.show(text, share=0.5)
        return stream.getvalue()

    def test_short_ones_are_whole(self):
        self.assertEqual(self.shown("measured"), f"1:00  {progress.bar(0.5)} measured\n")

    def test_long_ones_end_early(self):
        line = self.shown("the contender " + "[0..3]+" * 1000)
        self.assertEqual(len(line), 101)
        self.assertTrue(line.endswith("...\n"), line)


if __name__ == "__main__":
    unittest.main()
