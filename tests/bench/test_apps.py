#!/usr/bin/env python3
"""Tests of bench/apps that need no cluster and none of the applications."""

import dataclasses
import io
import json
import os

import shutil
import subprocess
import sys
import unittest
from unittest import mock

from fakes import ROOT, Folder, plan_line

from strata_bench.apps import application, catalogue, command_line, plot, report
from strata_bench.apps.comparison import TOTAL, WITH, WITHOUT, Comparison, Runner, compare, describe_plans, places_of
from strata_bench.apps.elk import Elk
from strata_bench.apps.lammps import Lammps
from strata_bench.apps.mpqc import Mpqc
from strata_bench.apps.profile import Function, Profile, mean
from strata_bench.apps.quantum_espresso import QuantumEspresso
from strata_bench.measuring import competitors
from strata_bench.measuring.cluster import ClusterError, Run
from strata_bench.measuring.table import Paint

_PLAIN = Paint(False)
_PAIR = (competitors.tuned(), competitors.strata("plugins", {}))

LAMMPS = """\
  read_data CPU = 0.52 seconds
Step Temp PotEng
       0 600.000000000001 -185969.813173368
      10 515.484981228547 -185365.413158565
Loop time of 0.9 on 16 procs for 10 steps with 55296 atoms
Total # of neighbors = 3878925
"""
QUANTUM_ESPRESSO = """\
     total energy              =      -4.18576271 Ry
     estimated scf accuracy    <       0.00553495 Ry
     total energy              =      -4.18862947 Ry
     the Fermi energy is     8.1776 ev
!    total energy              =      -4.18865314 Ry
     one-electron contribution =       2.93900000 Ry
     hartree contribution      =       0.00900000 Ry
     xc contribution           =      -1.63400000 Ry
     ewald contribution        =      -5.50100000 Ry
     PWSCF        :      0.40s CPU   1m11.49s WALL
   JOB DONE.
"""
MPQC = """\
      total scf energy = -224.8725483780
  iter     1 energy = -227.4816120597 delta = 1.25059e-01
  iter     2 energy = -227.9493685099 delta = 3.50927e-02
  iter     3 energy = -227.9962984711 delta = 8.73771e-03
  iter     4 energy = -228.0091893627 delta = 4.12487e-03
  iter     5 energy = -228.0099543868 delta = 1.18674e-03
      HOMO is    15   A =  -0.383270
      LUMO is    16   A =   0.493063
  HOMO is    15   A =  -0.402000
  LUMO is    16   A =   0.213000
  total scf energy = -228.0099862091
mpqc:                      0.27 0.29 0.28 2.29 2.32 2.30
  End Time: Sun Jan  1 00:00:00 2023
"""
ELK_LOOP = """\
 Fermi                       :     0.215756590867
 sum of eigenvalues          :     -517.666507121
 Coulomb                     :     -1864.68216593
 Coulomb potential           :     -1391.40960754
 Hartree                     :      304.288249508
 exchange                    :     -66.7770474947
 total energy                :     -968.250757136
 interstitial                :     7.169130591
"""
ELK = 3 * ELK_LOOP + """\
 potential calculation                 :         0.90
| Elk version 8.4.30 stopped |
"""


class Outputs(Folder):
    """Reads outputs, and reports incomplete ones."""

    def check(self, one, text, needed, folder=""):
        numbers, seconds = one.read_output(text, folder)
        for number in numbers.values():
            float(number)
        for missing in needed:
            with self.assertRaisesRegex(ValueError, "not complete", msg=missing):
                one.read_output(text.replace(missing, "-"), folder)
        return numbers, seconds

    def test_lammps(self):
        numbers, seconds = self.check(Lammps(), LAMMPS, ("read_data", "Loop time", "Total #"))
        self.assertEqual(numbers["PotEng at step 10"], "-185365.413158565")
        self.assertEqual((len(numbers), seconds["reading the atoms"], seconds["10 steps"]), (5, 0.52, 0.9))

    def test_quantum_espresso(self):
        numbers, seconds = self.check(QuantumEspresso(), QUANTUM_ESPRESSO,
                                      ("JOB DONE", "Fermi", "!  ", "hartree", "WALL"))
        self.assertEqual((numbers["total energy 3"], numbers["Fermi energy"]), ("-4.18865314", "8.1776"))
        self.assertEqual((len(numbers), seconds["as it reports"]), (8, 71.49))
        self.assertNotIn("0.00553495", numbers.values())

    def test_mpqc(self):
        numbers, seconds = self.check(Mpqc(), MPQC, ("End Time", "iter     5", "HOMO", "mpqc:", "scf energy"))
        self.assertEqual((numbers["energy 5"], numbers["total energy 2"]), ("-228.0099543868", "-228.0099862091"))
        self.assertEqual((len(numbers), seconds["as it reports"]), (11, 2.3))

    def test_elk(self):
        application.write(self.folder, "EIGVAL.OUT",
                          "".join(f"  {place}  0.{place:03}4573796  2.000000000\n" for place in range(100)))
        with self.assertRaisesRegex(ValueError, "it wrote no INFO.OUT"):
            Elk().read_output("", self.folder)
        for missing in ("stopped", "Hartree", "potential calculation"):
            application.write(self.folder, "INFO.OUT", ELK.replace(missing, "-"))
            with self.assertRaisesRegex(ValueError, "not complete"):
                Elk().read_output("", self.folder)
        application.write(self.folder, "INFO.OUT", ELK)
        numbers, seconds = Elk().read_output("", self.folder)
        self.assertEqual((numbers["Coulomb 3"], numbers["eigenvalue 100"]), ("-1864.68216593", "0.0994573796"))
        self.assertEqual((len(numbers), seconds), (7 * 3 + 100, {"potential, as it reports": 0.9}))

    def test_every_application_has_what_it_needs(self):
        with open(os.path.join(ROOT, "component", "packaging", "debian-packages"), encoding="utf-8") as file:
            purposes = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
        for one in catalogue.ALL.values():
            for text in (one.name, one.title, one.traffic, one.program):
                self.assertTrue(text)
            self.assertIn(catalogue.purpose(one), purposes)
            self.assertEqual(one.command(16)[0], one.program)
            self.assertTrue(0 < one.tolerance <= 1e-8)
            for folder in ("one", "two"):
                os.makedirs(os.path.join(self.folder, one.name, folder))
                one.write_input(os.path.join(self.folder, one.name, folder))
            done = subprocess.run(["diff", "-r", "one", "two"], cwd=os.path.join(self.folder, one.name), check=False)
            self.assertEqual(done.returncode, 0)


class Numbers(unittest.TestCase):
    def compare(self, *values):
        comparison = Comparison("", 1e-11)
        for value in values:
            comparison.compare({"energy": value, "atoms": "4"})
        return comparison

    def test_comparison(self):
        self.assertEqual(self.compare("1.5", "1.5").identical, 2)
        rounding = self.compare("1.5", "1.5000000000001")
        self.assertTrue(rounding.succeeded())
        self.assertEqual(rounding.identical, 1)
        for wrong in ("1.5001", "nan", "-1.5"):
            self.assertFalse(self.compare("1.5", wrong, "1.5").succeeded(), wrong)
        with self.assertRaises(ValueError):
            self.compare("1.5").compare({"energy": "1.5"})

    def test_plans_by_operation(self):
        errors = "\n".join((plan_line("bcast", 8), plan_line("bcast", 64), plan_line("allreduce", 8),
                           plan_line("bcast", 4).replace("MPI_COMM_WORLD", "MPI COMMUNICATOR 3 DUP FROM 0")))
        self.assertEqual(describe_plans(errors), "bcast 3 sizes tree, allreduce 1 size tree")
        self.assertEqual(describe_plans("nothing"), "")


def profile(bcast, whole=10.0, size=524288):
    return Profile(whole, {"Bcast": Function(2, bcast + 0.5, 8e5, {4: (1, 0.5), size: (1, bcast)}),
                           "Comm_dup": Function(1, 0.3, 0, {0: (1, 0.3)}),
                           "Wait": Function(5, 0.02, 0, {0: (5, 0.02)})})


def compared(stock, strata, profiles=True):
    """Returns a comparison with these total times."""
    one = Comparison("Title", 1e-11, times={TOTAL: (stock, strata)})
    one.compare({"energy": "1"})
    if profiles:
        one.profiles[WITHOUT].append(profile(4.0))
        one.profiles[WITH].append(profile(1.0, 7.0))
    return one


class Verdict(unittest.TestCase):
    def text(self, *comparisons):
        return "\n".join(report.summary(comparisons, 3, _PLAIN))

    def test_faster(self):
        one = compared([6.0, 6.1, 6.2], [3.0, 3.1, 3.0])
        self.assertEqual((one.slower(), one.behind()), (False, False))
        text = self.text(one)
        self.assertIn("1 of 1 run at least 1.3 times as fast in total with the plugin; the greatest gain is 2.03",
                      text)
        self.assertIn("None was slower with the plugin by more than 5 %.", text)
        self.assertNotIn("Slower by", text)

    def test_slower_beyond_the_spread(self):
        one = compared([6.0, 6.1, 6.2], [7.0, 7.1, 7.2])
        self.assertTrue(one.slower())
        one.profiles[WITH][0] = profile(5.0, 11.0)
        text = self.text(one)
        self.assertIn("SLOWER: Title: 0.86 times", text)
        self.assertIn("Bcast, from 512 KiB: 4.00 → 5.00 s", text)
        self.assertNotIn("None was slower", text)

    def test_slower_within_the_spread_is_uncertain(self):
        one = compared([6.0, 6.1, 9.0], [6.0, 7.1, 7.2])
        self.assertEqual((one.behind(), one.slower()), (True, False))
        self.assertIn("Uncertain: Title", self.text(one))

    def test_a_few_percent_are_noise(self):
        """A loss is reported, whether or not times lie apart; a loss that a table does not show is none."""
        one = compared([20.0, 20.0, 20.1, 20.1, 20.1], [20.9, 20.9, 21.0, 21.0, 21.0])
        self.assertEqual((one.behind(), one.slightly_behind(), one.slower()), (False, True, False))
        text = self.text(one)
        self.assertIn("None was slower with the plugin by more than 5 %.", text)
        self.assertIn("Slower by no more than 5 %: Title: 0.96 times as fast as without the plugin; the times lie "
                      "apart.", text)
        self.assertIn("0.97 times as fast as without the plugin; the times overlap",
                      self.text(compared([6.0, 6.0, 6.6], [6.2, 5.9, 6.2])))
        self.assertNotIn("Slower by", self.text(compared([6.0, 6.0, 6.0], [6.01, 6.01, 6.01])))

    def test_failures_are_told(self):
        one = compared([6.0], [3.0])
        one.compare({"energy": "1.1"})
        self.assertIn("MORE THAN 1e-11", self.text(one))
        self.assertIn("Some runs failed or gave other results", self.text(one))
        two = Comparison("Title", 0, failure="stock: exit status 3")
        text = self.text(two)
        self.assertIn("FAILED: stock: exit status 3", text)
        self.assertNotIn("None was slower", text)

    def test_rows(self):
        rows = report.rows(compared([6.0], [3.0]))
        self.assertEqual([row.name for row in rows], ["Bcast", "Comm_dup", "other calls", "outside MPI"])
        self.assertEqual((rows[0].pair, rows[0].detail), ((4.5, 1.5), "from 512 KiB 4.00 → 1.00"))
        self.assertAlmostEqual(sum(row.pair[WITHOUT] for row in rows), 10)
        self.assertAlmostEqual(sum(row.pair[WITH] for row in rows), 7)
        for line in self.text(compared([6.0], [3.0])).splitlines():
            self.assertLessEqual(len(line), 110, line)


class Profiles(Folder):
    def test_mean(self):
        both = mean([profile(1.0), profile(3.0, size=8)])
        self.assertEqual((both.of("Bcast").seconds, both.of("Bcast").sizes[8]), (2.5, (0.5, 1.5)))
        self.assertEqual(both.of("Reduce"), Function())
        self.assertAlmostEqual(both.in_mpi, 2.82)

    def test_every_rank_counts(self):
        for rank, calls in enumerate((3, 5)):
            with open(os.path.join(self.folder, f"rank-{rank}.json"), "w", encoding="utf-8") as file:
                json.dump({"rank": rank, "ranks": 2, "seconds": 1, "functions": {
                    "Bcast": {"calls": calls, "seconds": 0.5, "bytes": 8, "from": {
                        "4": {"calls": calls, "seconds": 0.5}}}}}, file)
        self.assertEqual(Profile.read(self.folder, 2).of("Bcast").sizes, {4: (4, 0.5)})
        with self.assertRaisesRegex(ValueError, "rank 2 wrote no profile"):
            Profile.read(self.folder, 3)
        application.write(self.folder, "rank-1.json", '{"rank": 1, "fun')
        with self.assertRaisesRegex(ValueError, "rank 1 wrote no profile"):
            Profile.read(self.folder, 2)

    def test_plot(self):
        one = compared([6.0], [3.0])
        self.assertEqual({kind: tuple(round(value) for value in pair) for kind, pair in plot.shares(one).items()},
                         {"Bcast": (45, 15), "Communicators": (3, 3), "other calls": (0, 0), "outside MPI": (52, 52)})
        self.assertIn("'quantum' 0.5", plot.script(["quantum"], [one], "svg", "a.svg"))
        if shutil.which("gnuplot"):
            paths, complaint = plot.draw(["a", "b"], [one, one], os.path.join(self.folder, "plot"))
            self.assertEqual((len(paths), complaint), (2, ""))
        failed = Comparison("", 0, failure="why")
        self.assertEqual(plot.draw(["a"], [failed], "nowhere"), ([], "nothing to plot"))


class FakeCluster:
    """Runs LAMMPS in no time. `outputs` are by whether the plugin is used."""

    ranks = 2

    def __init__(self, outputs=(LAMMPS, LAMMPS), errors=None, status=0, seconds=(2.0, 1.0), silent_rank=None):
        self.runs = []
        self._outputs, self._status, self._seconds = outputs, status, seconds
        self._errors = plan_line("bcast", 8) if errors is None else errors
        self._silent_rank = silent_rank

    def run(self, places, competitor, command, _log, _timeout, directory):
        with_plugin = int(competitor.is_plugin)
        environment = dict(competitor.environment)
        self.runs.append((places, with_plugin, command, sorted(os.listdir(directory)), environment))
        for rank in range(self.ranks):
            if "STRATA_PROFILE" in environment and rank != self._silent_rank:
                application.write(environment["STRATA_PROFILE"], f"rank-{rank}.json",
                                  json.dumps({"rank": rank, "ranks": 2, "seconds": 1, "functions": {}}))
        application.write(directory, "left-behind", "")
        return Run(self._status, self._seconds[with_plugin], self._outputs[with_plugin], self._errors)


class Runs(Folder):
    def setUp(self):
        super().setUp()
        smaller = mock.patch.object(Lammps, "_cells", 2)
        smaller.start()
        self.addCleanup(smaller.stop)

    def runner(self, rounds=2, **cluster):
        self.cluster = FakeCluster(**cluster)
        runner = Runner(Lammps(), self.cluster, _PAIR, self.folder, "cyclic", "/lib/profile.so")
        for number in range(rounds):
            for place in places_of(number):
                runner.run(place)
        return runner.comparison

    def test_good_runs(self):
        one = self.runner(3)
        self.assertEqual([with_plugin for _, with_plugin, *_ in self.cluster.runs], [0, 1, 1, 0, 0, 1])
        self.assertEqual((one.failure, one.speed_up(), one.times[TOTAL]), ("", 2.0, ([2.0] * 3, [1.0] * 3)))
        self.assertEqual((one.identical, len(one.profiles[WITH]), one.plans), (5, 3, "bcast 1 size tree"))
        for places, _, _, files, environment in self.cluster.runs:
            self.assertEqual((places, environment["LD_PRELOAD"]), (("--order", "cyclic"), "/lib/profile.so"))
            self.assertEqual(files, ["crystal.data", "crystal.in"])  # no files of another run

    def test_other_results_are_an_error(self):
        one = self.runner(outputs=(LAMMPS, LAMMPS.replace("515.48498", "515.48499")))
        self.assertFalse(one.succeeded())
        self.assertEqual(one.where, "Temp at step 10")

    def test_failures(self):
        for cluster, told in (({"status": 3}, "stock: exit status 3"), ({"errors": ""}, "strata: the plugin made no"),
                              ({"outputs": (LAMMPS, "")}, "strata: its output is not complete"),
                              ({"silent_rank": 1}, "stock: rank 1 wrote no profile")):
            one = self.runner(**cluster)
            self.assertFalse(one.succeeded())
            self.assertIn(told, one.failure)
            self.assertLessEqual(len(self.cluster.runs), 2)  # no further ones

    def test_demonstration_needs_no_profiler(self):
        cluster = FakeCluster()
        one = compare(Lammps(), cluster, _PAIR, 2, self.folder, lambda _text: None)
        self.assertTrue(one.succeeded())
        self.assertEqual((one.profiles, len(cluster.runs)), (([], []), 4))
        self.assertNotIn("LD_PRELOAD", cluster.runs[0][-1])
        self.assertEqual(report.profile_lines(one), [])


class Command(unittest.TestCase):
    def options(self, *words):
        return command_line._parser().parse_args(words)

    def test_what_is_missing_is_left_out(self):
        said = []
        progress = mock.Mock(step=said.append)
        gone = dataclasses.make_dataclass("Gone", [], bases=(Lammps,))()
        gone.program = "strata-has-no-such-program"
        here = dataclasses.make_dataclass("Here", [], bases=(Lammps,))()
        here.program, here.files = "sh", ()
        options = self.options("--app", "lammps,elk", "--build", "somewhere")
        with mock.patch.dict(catalogue.ALL, {"lammps": gone, "elk": here}):
            chosen, left_out = command_line._installed(options, progress)
            self.assertEqual((chosen, left_out), ([here], {"lammps": "not installed: no strata-has-no-such-program"}))
            self.assertIn("LEFT OUT: lammps", said[0])
            with self.assertRaisesRegex(ClusterError, "none of the programs"):
                command_line._installed(self.options("--app", "lammps", "--build", "x"), progress)

    def test_missing_files_count(self):
        one = dataclasses.make_dataclass("One", [], bases=(Lammps,))()
        one.program, one.files = "sh", ("/strata/has/no/such/file",)
        self.assertEqual(catalogue.missing(one), "/strata/has/no/such/file")

    def test_unknown_words(self):
        for words in (("--app", "nothing"), ("--orders", "sorted"), ("--rounds", "0")):
            with mock.patch.object(sys, "stderr", io.StringIO()), self.assertRaises(SystemExit):
                self.options(*words)

    def test_time_left(self):
        runners = [Runner(one, FakeCluster(), _PAIR, "") for one in (Lammps(), Elk())]
        runners[0].comparison.times = {TOTAL: ([2.0], [1.0])}
        known, guessed = 2 * 1.5, 2 * Elk().seconds
        self.assertAlmostEqual(command_line._seconds_left(runners, 3, 0, 0), 3 * known + 3 * guessed)
        self.assertAlmostEqual(command_line._seconds_left(runners, 3, 1, 2), guessed)
        runners[1].comparison.failure = "why"
        self.assertAlmostEqual(command_line._seconds_left(runners, 3, 1, 1), known)

    def test_list(self):
        with mock.patch.object(sys, "stdout", io.StringIO()) as said:
            self.assertEqual(command_line.main(["--list"]), 0)
        for name in catalogue.ALL:
            self.assertIn(name, said.getvalue())


if __name__ == "__main__":
    unittest.main()
