#!/usr/bin/env python3
"""Tests of bench/simulate, with a program in place of the simulation whose times are known.

test_simulate.py [STRATA_SIMULATE]     with the real one: the same numbers twice"""

import csv
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

from fakes import ROOT

from strata_bench.simulate import enhancement, summa, variation
from strata_bench.simulate.catalogue import ALL
from strata_bench.simulate.runs import Found

REAL = ""
FAKE = """#!/usr/bin/env python3
import json, sys
arguments = sys.argv
option = lambda name: arguments[arguments.index(name) + 1]
SLOW = {"flat:binomial": 3, "whole:binomial@node": 2, "whole:binomial@switch0": 1.5, "whole:binomial": 1.25}
rows = []
for contender in option("--contenders").split(","):
    if contender == "BROKEN":
        sys.exit("no such machine")
    kind, _, algorithm = contender.partition(":")
    factor = {"flat": 80 if algorithm == "pipeline" else 3, "whole": 2}.get(kind, 1)
    if option("--roots") in ("all", "rotate"):
        factor = SLOW.get(contender, 1)
    elif contender.endswith("@lowest"):
        factor *= 1 + 0.03125 * int(option("--nodes") if "--nodes" in arguments else 4)
    elif "--placement" in arguments and option("--placement") == "0":
        factor *= 1.5
    for root in range(3) if option("--roots") == "all" else [0]:
        for size in map(int, option("--sizes").split(",")):
            crossings = 3 if contender == "flat:binomial" else 1
            rows.append({"op": option("--op"), "contender": contender, "bytes": size, "root": root,
                         "us": factor * (10 + size / 100), "messages": {"switch1": crossings},
                         "bytes_by_level": {"switch1": crossings * size}})
with open(option("--json"), "w") as file:
    json.dump(rows, file)
"""


def simulate(*arguments):
    return subprocess.run([os.path.join(ROOT, "bench", "simulate"), *arguments], text=True, capture_output=True,
                          check=False)


def fake_build(folder, text=FAKE):
    place = os.path.join(folder, "build", "bench", "simgrid")
    os.makedirs(place)
    path = os.path.join(place, "strata_simulate")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return os.path.join(folder, "build")


def found_for(figure, row_of, roots=1):
    """Imitates a program that printed row_of(run, contender, size) for every root."""
    found = Found()
    for run in figure.runs():
        found.add(run, [{"op": run.operation, "contender": contender, "bytes": size, "root": root} |
                        row_of(run, contender, size)
                        for contender in run.contenders for size in run.sizes
                        for root in range(1 if run.roots == "rotate" else roots)])
    return found


def results_in(folder):
    """Writes into the fake build folder: folders with files are refused."""
    return os.path.join(folder, "results")


class Command(unittest.TestCase):
    def test_list_names_all_and_what_the_paper_says(self):
        done = simulate("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        for figure in ALL.values():
            self.assertIn(figure.title, done.stdout)
            self.assertIn(figure.statement, done.stdout)

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
            done = simulate("--build", fake_build(folder), "--results", results_in(folder), "--figure",
                            "figure5,figure8", "--no-plots")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Greatest, streamed: 80.0x (pipeline, ", done.stdout)
            self.assertIn("Greatest, whole: 40.0x (pipeline, ", done.stdout)
            self.assertEqual(re.findall("^(?:Not r|R)eached", done.stdout, re.MULTILINE), ["Reached", "Reached"])
            with open(os.path.join(results_in(folder), "figure5.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(ALL["figure5"].algorithms,
                             ("linear", "chain", "pipeline", "binary", "binomial", "split_binary"))
            self.assertEqual(len(rows), 6 * len(ALL["figure5"].sizes))
            self.assertEqual(rows[0], {"algorithm": "linear", "bytes": "8", "native_us": "30.240", "native_8k_us": "",
                                       "streamed_us": "10.080", "whole_us": "20.160"})

    def test_figures_of_all_kinds(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            names = ("grid-wide", "grid-local", "grid-levels", "nuioa-binding", "nuioa-leaders", "nuioa-nodes",
                     "nuioa-binding-shared", "nuioa-nodes-shared")
            done = simulate("--build", fake_build(folder), "--results", results_in(folder), "--figure", ",".join(names))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(re.findall("^(?:Not r|R)eached", done.stdout, re.MULTILINE), ["Reached"] * 8)
            self.assertIn("strata, compared with the best of the others: at least 1.50x as fast (8 B)", done.stdout)
            self.assertIn("+50.0 % (", done.stdout)
            with open(os.path.join(results_in(folder), "nuioa-nodes.csv"), encoding="utf-8") as file:
                self.assertEqual(next(csv.DictReader(file)), {
                    "contender": "strata", "job": "2 nodes", "bytes": "4096", "near_us": "50.960",
                    "far_us": "54.145"})
            with open(os.path.join(results_in(folder), "grid-wide.csv"), encoding="utf-8") as file:
                self.assertEqual(next(csv.DictReader(file)), {
                    "contender": "flat:binomial", "bytes": "8", "in_turn_us": "30.240", "total_us": "90.720",
                    "most_messages_between_sites": "3", "most_copies_between_sites": "3.0"})

    def test_a_statement_that_is_not_reached(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            build = fake_build(folder, FAKE.replace("80 if", "40 if"))
            done = simulate("--build", build, "--results", results_in(folder), "--figure", "figure5", "--no-plots")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("\nNot reached.", done.stdout)

    def test_a_simulation_that_fails(self):
        with tempfile.TemporaryDirectory(prefix="strata-bench-test-") as folder:
            build = fake_build(folder, FAKE.replace('"BROKEN"', '"flat:chain"'))
            done = simulate("--build", build, "--results", results_in(folder), "--figure", "figure5")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^simulate: ntw10e5, bcast: flat:chain.*: no such machine")


class Factors(unittest.TestCase):
    def test_of_the_faster_native_one(self):
        figure = ALL["figure6"]
        times = {"flat": 12, "whole": 4, "levels": 3}
        found = found_for(figure, lambda run, contender, size: {
            "us": 6 if contender.endswith("/8192") else times[contender.partition(":")[0]]})
        factors = enhancement.Factors(figure, found)
        self.assertEqual(factors.of("streamed", "chain", 8), 4)
        self.assertEqual(factors.of("whole", "chain", 8), 3)
        self.assertEqual(factors.of("streamed", "chain", 8, ("flat:{}", "flat:{}/8192")), 2)
        self.assertFalse(figure.reached(found))


class Grid(unittest.TestCase):
    figure = ALL["grid-levels"]

    def reached(self, **changes):
        """Has two roots; `changes` are by contender, at the greatest size, for one root."""
        def row(_, contender, size):
            crossings = 4 if contender == "flat:binomial" else 1
            row = {"us": size * (2 if contender == "flat:binomial" else 1.5 if "@" in contender else 1),
                   "messages": {"switch1": crossings}, "bytes_by_level": {"switch1": crossings * size}}
            if size == self.figure.sizes[-1]:
                row |= changes.get(contender.partition(":")[0] if "@" not in contender else "", {})
            return row
        found = found_for(self.figure, row, roots=2)
        return self.figure.reached(found)

    def test_what_is_said(self):
        self.assertTrue(self.reached())

    def test_a_size_that_is_slower(self):
        self.assertTrue(self.reached(strata={"us": 10 * self.figure.sizes[-1]}))  # the paper's tree decides
        self.assertFalse(self.reached(whole={"us": 10 * self.figure.sizes[-1]}))

    def test_data_that_cross_twice(self):
        self.assertFalse(self.reached(whole={"bytes_by_level": {"switch1": 2 * self.figure.sizes[-1]}}))

    def test_a_message_less_and_a_hop_more(self):
        def row(_, contender, size):
            us = {"whole:binomial@node": 10, "whole:binomial": 10.75 if size == 8 else 9}.get(contender, 20)
            return {"us": us, "messages": {}, "bytes_by_level": {}}
        self.assertIn("multilevel, 8 B: from 3 of 3 roots up to 0.750 us later than by machine,",
                      self.figure.text(found_for(self.figure, row, roots=3)))

    def test_totals_are_those_of_all_roots(self):
        found = found_for(self.figure, lambda run, *_: {"us": 7 if run.roots == "rotate" else 5}, roots=3)
        self.assertEqual(self.figure.total_us(found, "strata", 8), 15)
        self.assertEqual(self.figure.loop_us(found, "strata", 8), 7)


class Matrices(unittest.TestCase):
    def test_what_is_said(self):
        figure = ALL["figure12"]
        run = figure.runs()[0]
        self.assertEqual(run.command({"strata_simulate_summa": "summa"}, "machine", "out")[:6],
                         ["summa", "machine", "--rows", "10", "--block", "64"])
        for us, reached in ((1.0, True), (1.1, False)):
            found = found_for(figure, lambda run, contender, _: {
                "us": {"flat:binary": 5, "whole:binary": 0.5 if len(run.job) > 2 else us}.get(contender, 4), "bound_us": 1})
            self.assertEqual(figure.reached(found), reached)
            self.assertIn(f"{5 / us:.2f}x", figure.text(found))
        run, _, connecting = figure.runs()[:3]
        self.assertEqual((run.job[2:], connecting.job[2:]), ((), ("--step-barrier", "--connect-us", "1000")))
        self.assertEqual(set(run.contenders) - set(connecting.contenders), {"strata"})

    def test_what_no_broadcasts_can_beat(self):
        found = found_for(ALL["figure12"], lambda *_: {"us": 5, "bound_us": 2})
        self.assertEqual(ALL["figure12"].bound(found, "block"), (2.5, 2))
        self.assertIn("2.0   2.50x", ALL["figure12"].text(found))


class Changed(unittest.TestCase):
    def test_one_number_at_a_time(self):
        for machine in ("nuioa8", "ntw24e5"):
            with open(os.path.join(variation.MACHINES, f"{machine}.json"), encoding="utf-8") as file:
                before = json.load(file)
            self.assertEqual(json.loads(variation.varied(machine, None, "overhead_us", 2)),
                             before | {"overhead_us": 2 * before["overhead_us"]})
            for _, level, key, factor in variation.variations(machine):
                after = json.loads(variation.varied(machine, level, key, factor))
                self.assertNotEqual(after, before)
                latencies = [link["latency_us"] for link in after["links"]]
                self.assertEqual(latencies, sorted(latencies, reverse=True))

    def test_a_ranking_that_changes(self):
        figure = ALL["sensitivity"]

        def reached(slow):
            return figure.reached(found_for(figure, lambda run, contender, size: {
                "us": 4 if contender == "strata" and (run.label, run.operation, size) == slow else
                1 if contender == "strata" else 3}))
        self.assertTrue(reached(None))
        self.assertFalse(reached(("node latency_us x 2", "reduce", 8)))
        self.assertFalse(reached(("as described", "bcast", 8)))


class AutomaticChoice(unittest.TestCase):
    figure = ALL["choice-smp12e5"]

    def found(self, ours=1.0, share=0.9, others=3.0, size=0, tuned=9.0):
        """`ours` are microseconds at `size`, for Reduce; `others` everywhere, of the faster selector."""
        def row(run, contender, bytes_):
            own = ours if run.operation == "reduce" and bytes_ == size else 1
            us = {"strata": own, "tuned": tuned}.get(contender, others * (1 if "mpich" in run.job else 1.5))
            return {"us": us, "bound_us": share * own}
        return found_for(self.figure, row)

    def test_goals(self):
        self.assertTrue(self.figure.reached(self.found()))
        self.assertFalse(self.figure.reached(self.found(others=2.9)))
        self.assertFalse(self.figure.reached(self.found(share=0.84)))
        self.assertFalse(self.figure.reached(self.found(ours=3.2, others=3.1, size=512)))
        self.assertFalse(self.figure.reached(self.found(tuned=2.9)))

    def test_is_compared_with_the_fastest(self):
        found = self.found(ours=2, size=8)
        self.assertEqual(self.figure.factor(found, "block", "reduce", 8), 1.5)
        self.assertEqual(self.figure.factor(found, "block", "bcast", 8), 3)
        self.assertIn("block: in the mean 2.93x, least 1.50x (reduce, 8 B)", self.figure.text(found))
        self.assertEqual(self.figure.table(found)[1][7], ("block", "reduce", 8, "2.000", "9.000", "4.500", "3.000", "4.500", "4.500", "1.800"))

    def test_what_crashes_is_left_out_and_said(self):
        sizes = {run.sizes for run in self.figure.runs() if "impi" in run.job and run.operation == "allreduce"}
        self.assertEqual(sizes, {tuple(size for size in self.figure.sizes if size != 256 << 10)})
        found = self.found()
        row, = (row for row in self.figure.table(found)[1] if row[:3] == ("shuffle", "allreduce", 256 << 10))
        self.assertEqual(row[3:], ("1.000", "9.000", "4.500", "3.000", "", "4.500", "0.900"))
        self.assertIn("Left out: Intel MPI's allreduce of 256 KiB, which crashes in SMPI.", self.figure.text(found))
        self.assertIn("MPICH gets no nodes", self.figure.text(found))
        eight = ALL["choice-nuioa8"]
        self.assertEqual({run.sizes for run in eight.runs()}, {eight.sizes})
        text = eight.text(found_for(eight, lambda *_: {"us": 1, "bound_us": 1}))
        self.assertNotIn("crashes", text)
        self.assertNotIn("gets no nodes", text)

    def test_what_would_take_hours_is_left_out_and_said(self):
        figure = ALL["choice-ntw24e5"]
        sizes = {run.operation: run.sizes for run in figure.runs()}
        self.assertEqual((sizes["allgather"][-1], sizes["allreduce"][-1]), (32 << 10, 16 << 20))
        found = found_for(figure, lambda *_: {"us": 1, "bound_us": 1})
        self.assertEqual(len(figure.table(found)[1]), 2 * (2 * 7 + 2 * 4))
        for operation in ("allgather", "reduce"):
            self.assertIn(f"Not simulated: {operation} above 32 KiB.", figure.text(found))


class Near(unittest.TestCase):
    def reached(self, name, gains):
        """`gains` are in per cent, by point."""
        figure = ALL[name]
        self.assertEqual({run.job[len(run.job) - len(figure.options):] for run in figure.runs()}, {figure.options})
        where = {job: place for place, point in enumerate(figure.points) for job in (point.far_job, point.near_job)}

        def row(run, contender, _):
            place = where[run.job[:len(run.job) - len(figure.options)]]
            point = figure.points[place]
            far = contender.endswith("@lowest") if point.elected else run.job[:len(point.far_job)] == point.far_job
            return {"us": 100 + gains[place] if far else 100}
        return figure.reached(found_for(figure, row))

    def test_what_is_said(self):
        self.assertTrue(self.reached("nuioa-binding", [50]))
        self.assertTrue(self.reached("nuioa-leaders", [10]))
        self.assertTrue(self.reached("nuioa-leaders-shared", [10]))
        self.assertTrue(self.reached("nuioa-gather", [47]))
        self.assertTrue(self.reached("nuioa-pingpong", [30.9]))
        self.assertTrue(self.reached("nuioa-ranks", [50, 40, 20, 10]))
        self.assertTrue(self.reached("nuioa-nodes", [2, 5, 10]))

    def test_what_falls_short(self):
        self.assertFalse(self.reached("nuioa-binding", [49]))
        self.assertFalse(self.reached("nuioa-leaders", [8.9]))
        self.assertFalse(self.reached("nuioa-leaders", [26.1]))
        self.assertFalse(self.reached("nuioa-pingpong", [31.1]))
        self.assertFalse(self.reached("nuioa-pingpong", [23.9]))
        self.assertFalse(self.reached("nuioa-ranks", [50, 20, 20, 10]))
        self.assertFalse(self.reached("nuioa-nodes", [2, 10, 9]))


@unittest.skipUnless(any(sys.argv[1:]), "strata_simulate is not built")
class RealProgram(unittest.TestCase):
    def test_the_same_numbers_twice(self):
        machine = os.path.join(ROOT, "bench", "simgrid", "machines", "smp12e5.json")
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

    def test_summa_where_ranks_are_in_different_calls(self):
        """Broadcasts along rows and columns, passed through to Open MPI: while one rank is in the first,
        others are in the next."""
        machine = os.path.join(ROOT, "bench", "simgrid", "machines", "ntw10e5.json")
        done = subprocess.run([REAL + "_summa", machine, "--rows", "15", "--contenders", "tuned,whole:binary"], check=True,
                              text=True, capture_output=True)
        self.assertRegex(done.stdout, r"^tuned: \d+\.\d+ us \(mean of all ranks \d+\.\d+ us\), 1\.600 us of it computing, \d+\.\d+ us at least; product not checked: a broadcast was passed through\nwhole:binary: ")

    def test_what_steps_of_summa_cost(self):
        machine = os.path.join(ROOT, "bench", "simgrid", "machines", "ntw10e5.json")

        def run(*options, contender="flat:binary"):
            return subprocess.run([REAL + "_summa", machine, "--rows", "15", "--contenders", contender, *options],
                                  check=False, text=True, capture_output=True)
        us = [float(re.match(r"flat:binary: (\d+\.\d+) us", run(*options).stdout)[1]) for options in summa.STEPS.values()]
        self.assertEqual(us, sorted(us))
        # Of a row or column a process makes two connections to other nodes at most in each of 16 steps.
        self.assertTrue(us[1] < 10 * us[0] and 1000 < us[2] < 16 * 2 * 2 * 5000, us)
        refused = run("--connect-us", "1000", contender="tuned")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("'tuned': --connect-us does not count connections", refused.stderr)

    def test_a_call_takes_as_long_wherever_it_stands(self):
        """Many messages of the same moment, whose order decides."""
        machine = os.path.join(ROOT, "bench", "simgrid", "machines", "smp12e5.json")
        done = subprocess.run([REAL, machine, "--op", "reduce", "--sizes", "4096,8,4096", "--contenders",
                               "tuned,flat:binomial,tuned,tuned"], check=True, text=True, capture_output=True)
        times = {line.split()[5] for line in done.stdout.splitlines() if line.startswith("reduce 4096 root 0 tuned")}
        self.assertEqual(len(times), 1, done.stdout)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        given = sys.argv.pop(1)  # empty if it is not built
        REAL = os.path.abspath(given) if given else ""
    unittest.main()
