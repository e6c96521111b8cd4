#!/usr/bin/env python3
"""Tests of bench/simulate, with a program in place of the simulation whose times are known.

  test_simulating.py [STRATA_SIMULATE]     with the real one: the same numbers twice
"""

import csv
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

from fakes import ROOT

from simulating import enhancement
from simulating.figures import ALL

REAL = ""
FAKE = """#!/usr/bin/env python3
import json, sys
arguments = sys.argv
option = lambda name: arguments[arguments.index(name) + 1]
rows = []
for contender in option("--contenders").split(","):
    if contender == "BROKEN":
        sys.exit("no such machine")
    kind, algorithm = contender.split(":")
    factor = {"flat": 40 if algorithm == "pipeline" else 3, "whole": 2, "levels": 1}[kind]
    for size in map(int, option("--sizes").split(",")):
        rows.append({"op": option("--op"), "contender": contender, "bytes": size, "us": factor * (10 + size / 100)})
with open(option("--json"), "w") as file:
    json.dump(rows, file)
"""


def simulate(*arguments):
    return subprocess.run([os.path.join(ROOT, "bench", "simulate"), *arguments], text=True, capture_output=True,
                          check=False)


def fake_build(folder, text=FAKE):
    place = os.path.join(folder, "build", "bench", "simulation")
    os.makedirs(place)
    path = os.path.join(place, "strata_simulate")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return os.path.join(folder, "build")


class Command(unittest.TestCase):
    def test_list_names_all_and_what_the_paper_says(self):
        done = simulate("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        for figure in ALL.values():
            self.assertIn(figure.title, done.stdout)
            self.assertIn(f"figure {figure.number}: at most about {figure.greatest:g}x", done.stdout)

    def test_unknown_figures(self):
        done = simulate("--figure", "figure5,figure99")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'figure99': expected all, or some of figure5, figure6", done.stderr)

    def test_what_is_not_built(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            done = simulate("--build", folder, "--results", folder, "--figure", "figure5")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^simulate: .*strata_simulate is missing: it was not built")

    def test_a_figure(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            done = simulate("--build", fake_build(folder), "--results", folder, "--figure", "figure5,figure8",
                            "--no-plots")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Greatest, streamed: 40.0x (pipeline, ", done.stdout)
            self.assertIn("Greatest, whole: 20.0x (pipeline, ", done.stdout)
            self.assertEqual(re.findall("^(?:Not r|R)eached", done.stdout, re.MULTILINE), ["Reached", "Reached"])
            with open(os.path.join(folder, "figure5.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 5 * len(ALL["figure5"].sizes))
            self.assertEqual(rows[0], {"algorithm": "linear", "bytes": "8", "native_us": "30.240", "native_8k_us": "",
                                       "streamed_us": "10.080", "whole_us": "20.160"})

    def test_a_statement_that_is_not_reached(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            build = fake_build(folder, FAKE.replace("40 if", "20 if"))
            done = simulate("--build", build, "--results", folder, "--figure", "figure5", "--no-plots")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("\nNot reached.", done.stdout)

    def test_a_simulation_that_fails(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            build = fake_build(folder, FAKE.replace('"BROKEN"', '"flat:chain"'))
            done = simulate("--build", build, "--results", folder, "--figure", "figure5")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^simulate: ntw10e5, bcast: flat:chain.*: no such machine")


class Factors(unittest.TestCase):
    def test_of_the_faster_native_one(self):
        figure = ALL["figure6"]
        times = {("bcast", name.format(algorithm), size): us for algorithm in figure.algorithms
                 for size in figure.sizes
                 for name, us in (("flat:{}", 12), ("flat:{}/8192", 6), ("levels:{}", 3), ("whole:{}", 4))}
        factors = enhancement.Factors(figure, times)
        self.assertEqual(factors.of("streamed", "chain", 8), 4)
        self.assertEqual(factors.of("whole", "chain", 8), 3)
        self.assertEqual(factors.of("streamed", "chain", 8, ("flat:{}", "flat:{}/8192")), 2)
        self.assertFalse(enhancement.reached(figure, times))


class RealProgram(unittest.TestCase):
    def test_the_same_numbers_twice(self):
        if not REAL:
            self.skipTest("strata_simulate is not built")
        machine = os.path.join(ROOT, "bench", "simulation", "machines", "smp12e5.json")
        runs = []
        for _ in range(2):
            with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
                path = os.path.join(folder, "out.json")
                subprocess.run([REAL, machine, "--op", "bcast,allreduce", "--sizes", "8,20000", "--contenders",
                                "strata,mpi,flat:binomial", "--traces", "--json", path], check=True,
                               stdout=subprocess.DEVNULL)
                with open(path, encoding="utf-8") as file:
                    runs.append(file.read())
        self.assertEqual(runs[0], runs[1])
        self.assertIn('"sent"', runs[0])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        REAL = os.path.abspath(sys.argv.pop(1))
    unittest.main()
