#!/usr/bin/env python3
"""Tests strata-reorder and strata-traffic beyond golden files: files, dumps, pictures and large matrices."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

FOLDER = os.path.dirname(os.path.abspath(__file__))
REORDER, TRAFFIC, TOPO = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
GROUPS = os.path.join(FOLDER, "matrices", "groups.txt")
MACHINE = ("--topology", "synthetic:package:2 core:2", "--nodes", "4")


# Ends with the given status, after it has left the files that Open MPI leaves of four ranks.
PROGRAM = r"""
for rank in 0 1 2 3; do
    printf '# POINT TO POINT\nE\t%d\t0\t1000 bytes\t1 msgs sent\n' $rank >"$OMPI_MCA_pml_monitoring_filename.$rank.prof"
done
touch has_run
"""


def command(*arguments, **how):
    return subprocess.run(arguments, text=True, capture_output=True, timeout=60, **how)


def pattern(path, *arguments):
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, os.path.join(FOLDER, "patterns.py"), *arguments], stdout=file, check=True)
    return path


class Commands(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def output(self, *arguments, errors=""):
        run = command(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        if errors is not None:
            self.assertEqual(run.stderr, errors)
        return run.stdout

    def order(self, *arguments):
        text = self.output(REORDER, *arguments, errors=None)
        return [int(line) for line in text.splitlines() if not line.startswith("#")]

    def test_help_names_every_option(self):
        shared = ("input", "topology", "nodes", "hosts", "ppn", "placement", "order", "network", "nic", "hierarchy",
                  "from-dump", "costs", "message-bytes", "format", "output", "version")
        for program, own in ((REORDER, ("engine", "margin", "verbose")), (TRAFFIC, ("permutation", "run"))):
            text = self.output(program, "--help")
            for option in shared + own:
                self.assertIn("--" + option, text)
            self.assertIn("Examples:", text)
            self.assertIn("Exit status:", text)

    def test_version_tells_what_reorders(self):
        self.assertRegex(self.output(REORDER, "--version"),
                         r"^strata-reorder \d+\.\d+\.\d+, (Scotch \d+\.\d+\.\d+|greedy \(built without Scotch\))\n$")
        self.assertRegex(self.output(TRAFFIC, "--version"), r"^strata-traffic \d+\.\d+\.\d+\n$")

    def test_the_order_is_one_number_per_line(self):
        text = self.output(REORDER, GROUPS, "--topology", "synthetic:core:4", "--nodes", "4", errors=None)
        self.assertEqual(text.splitlines()[0],
                         "# strata-reorder: process i of the old communicator gets rank k[i] in the new one")
        self.assertEqual([int(line) for line in text.splitlines()[1:]],
                         [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15])

    def test_a_dump_stands_for_its_machine(self):
        dump = self.path("job.json")
        self.output(TOPO, *MACHINE, "--output", dump)
        self.assertEqual(self.order(GROUPS, "--from-dump", dump), self.order(GROUPS, *MACHINE))
        self.assertEqual(self.output(TRAFFIC, GROUPS, "--from-dump", dump), self.output(TRAFFIC, GROUPS, *MACHINE))

    def test_a_dump_leaves_no_option_without_effect(self):
        dump = self.path("job.json")
        self.output(TOPO, *MACHINE, "--output", dump)
        for option, value in (("topology", "synthetic:core:4"), ("nodes", "4"), ("hosts", "n[0-3]"), ("ppn", "4"),
                              ("placement", "core"), ("order", "block"), ("network", "none"), ("nic", "auto"),
                              ("hierarchy", "node")):
            for program in (REORDER, TRAFFIC):
                run = command(program, GROUPS, "--from-dump", dump, "--" + option, value)
                self.assertEqual((run.returncode, run.stdout), (2, ""), option)
                self.assertTrue(run.stderr.endswith(f": --{option}: --from-dump gives it already\n"), run.stderr)

    def test_traffic_shows_what_reorder_found(self):
        order = self.path("order.txt")
        found = json.loads(self.output(REORDER, GROUPS, *MACHINE, "--format", "json", errors=None))
        self.output(REORDER, GROUPS, *MACHINE, "--output", order, errors=None)
        shown = json.loads(self.output(TRAFFIC, GROUPS, *MACHINE, "--permutation", order, "--format", "json"))
        self.assertTrue(found["applied"])
        self.assertEqual(found["levels"], shown["levels"])
        self.assertEqual(found["seconds"], shown["seconds"])
        self.assertEqual(sorted(found["permutation"]), list(range(16)))

    def test_pictures_are_svg_and_need_nothing_else(self):
        order = self.path("order.txt")
        for ranks, nodes in ((4, 2), (16, 4), (96, 4), (1024, 32)):
            matrix = pattern(self.path("traffic.txt"), "stencil9", "--ranks", str(ranks), "--shuffle", "1")
            machine = ("--topology", f"synthetic:package:2 core:{ranks // nodes // 2}", "--nodes", str(nodes))
            self.output(REORDER, matrix, *machine, "--output", order, errors=None)
            picture = self.output(TRAFFIC, matrix, *machine, "--permutation", order, "--format", "svg")
            document = xml.dom.minidom.parseString(picture)
            self.assertEqual(document.documentElement.tagName, "svg")
            self.assertNotRegex(picture.replace("http://www.w3.org/2000/svg", ""), r"href|url\(|http")
            self.assertLess(len(picture), 400000)
            words = [text.firstChild.data for text in document.getElementsByTagName("text")]
            self.assertIn("Before", words)
            self.assertIn("After", words)
            self.assertIn("n0", words)

    def test_the_matrix_converts_there_and_back(self):
        monitored = os.path.join(FOLDER, "matrices", "ring")
        machine = ("--topology", "synthetic:core:4")
        sparse = self.path("ring.txt")
        self.output(TRAFFIC, monitored, *machine, "--format", "sparse", "--output", sparse)
        self.assertEqual(self.output(TRAFFIC, sparse, *machine), self.output(TRAFFIC, monitored, *machine))

    def test_output_that_cannot_be_written_fails(self):
        run = command(REORDER, GROUPS, *MACHINE, "--output", "/dev/full")
        self.assertEqual(run.returncode, 1)
        self.assertIn("--output: cannot write '/dev/full'", run.stderr)

    def test_pictures_are_not_made_whole_in_memory_first(self):
        matrix = self.path("traffic.txt")
        with open(matrix, "w", encoding="utf-8") as file:
            file.write("ranks 16384\n0 16383 5\n")
        machine = ("--topology", "synthetic:core:64", "--nodes", "256")
        # 512 MiB of text, within less memory.
        run = command("sh", "-c", 'ulimit -v 400000; exec "$@" | wc -lc', "sh", TRAFFIC, matrix, *machine, "--format",
                      "dense")
        if "ReserveShadowMemoryRange failed" in run.stderr or "Sanitizer: CHECK failed" in run.stderr:
            self.skipTest("a sanitizer reserves more than the limit of memory that is tested here")
        self.assertEqual((run.stdout.split(), run.stderr), (["16384", str(2 * 16384 * 16384)], ""))

    def test_dense_matrices_of_too_many_ranks_are_refused(self):
        matrix, output = self.path("traffic.txt"), self.path("dense.txt")
        with open(matrix, "w", encoding="utf-8") as file:
            file.write("ranks 20000\n")
        run = command(TRAFFIC, matrix, "--topology", "synthetic:core:100", "--nodes", "200", "--format", "dense",
                      "--output", output)
        self.assertEqual((run.returncode, run.stderr),
                         (2, "strata-traffic: --format: dense is for at most 16384 ranks, the matrix has 20000; "
                             "use sparse\n"))
        self.assertFalse(os.path.exists(output))

    def test_the_matrix_may_come_out_of_a_pipe(self):
        with open(GROUPS, encoding="utf-8") as file:
            run = command(TRAFFIC, "/dev/stdin", *MACHINE, input=file.read())
        self.assertEqual((run.returncode, run.stdout), (0, self.output(TRAFFIC, GROUPS, *MACHINE)), run.stderr)

    def run_program(self, *arguments, then="", cores=4):
        machine = ("--topology", f"synthetic:core:{cores}")
        return command(TRAFFIC, "--run", *machine, *arguments, "--", "sh", "-c", PROGRAM + then, cwd=self.scratch.name)

    def left(self):
        return sorted(os.listdir(self.scratch.name))

    def kept(self, run):
        """Returns the PREFIX of the files that the command reports to keep."""
        found = re.search(r"^strata-traffic: the traffic of the run stays in (\S+)$", run.stderr, re.MULTILINE)
        self.assertIsNotNone(found, run.stderr)
        return found.group(1)

    def test_traffic_is_shown_whatever_the_program_returns(self):
        for then, status in (("", 0), ("exit 3", 3), ("kill -9 $$", 137)):
            run = self.run_program(then=then)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertIn("4 ranks, 3.91 KiB, 4 messages", run.stdout)
            self.assertEqual(run.stderr, f"strata-traffic: --run: 'sh' ended with status {status}\n" if status else "")
            self.assertEqual(self.left(), ["has_run"])

    def test_a_program_without_traffic_fails(self):
        for program, status, why in (("false", 1, "ended with status 1 and left no traffic"),
                                     ("exit 7", 7, "ended with status 7 and left no traffic"),
                                     ("true", 1, "left no traffic")):
            run = command(TRAFFIC, "--run", "--", "sh", "-c", program, cwd=self.scratch.name)
            self.assertEqual((run.returncode, run.stdout), (status, ""))
            self.assertIn(f"strata-traffic: --run: 'sh' {why}: is it a job of Open MPI", run.stderr)
            self.assertEqual(self.left(), [])

    def test_nothing_runs_that_could_not_be_shown(self):
        wrong = {"none.txt": None, "twice.txt": "0\n1\n1\n3\n", "five.txt": "0\n1\n2\n3\n4\n"}
        for name, text in wrong.items():
            if text is not None:
                with open(self.path(name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assert_nothing_runs(2, "--permutation: ", "--permutation", name)
        for name in ("no_such_folder/x.svg", "."):
            self.assert_nothing_runs(1, "--output: cannot write '" + name, "--output", name)
        self.assert_nothing_runs(2, "--permutation: ", "--permutation", "twice.txt", machine=())
        self.assert_nothing_runs(2, "--format: ", "--format", "png")
        self.assert_nothing_runs(2, "--costs: ", "--costs", "street=3")
        self.assert_nothing_runs(2, "--from-dump: ", "--from-dump", "none.json", machine=())
        self.assert_nothing_runs(2, "--nodes: ", "--nodes", "0")

    def assert_nothing_runs(self, status, why, *arguments, machine=("--topology", "synthetic:core:4")):
        before = self.left()
        run = command(TRAFFIC, "--run", *machine, *arguments, "--", "touch", "has_run", cwd=self.scratch.name)
        self.assertEqual((run.returncode, run.stdout, self.left()), (status, "", before), run.stderr)
        self.assertTrue(run.stderr.startswith("strata-traffic: " + why), run.stderr)

    def test_files_stay_untouched_until_there_is_something_to_write(self):
        with open(self.path("x.svg"), "w", encoding="utf-8") as file:
            file.write("old")
        run = command(TRAFFIC, "--run", "--output", "x.svg", "--", "false", cwd=self.scratch.name)
        self.assertEqual((run.returncode, self.left()), (1, ["x.svg"]))
        with open(self.path("x.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_traffic_is_kept_where_it_cannot_be_shown(self):
        run = self.run_program("--output", "/dev/full", then="exit 3")
        self.assertEqual(run.returncode, 3)
        self.assertIn("--output: cannot write '/dev/full'", run.stderr)
        self.assertIn("4 ranks", self.output(TRAFFIC, self.kept(run), "--topology", "synthetic:core:4"))
        run = self.run_program(cores=5)
        self.assertEqual(run.returncode, 2)
        self.assertIn("the matrix has 4 ranks, the machine 5", run.stderr)
        self.assertIn("4 ranks", self.output(TRAFFIC, self.kept(run), "--topology", "synthetic:core:4"))
        run = self.run_program(then='rm "$OMPI_MCA_pml_monitoring_filename.0.prof"')
        self.assertEqual(run.returncode, 2)
        self.assertTrue(os.path.exists(self.kept(run) + ".1.prof"))

    def test_traffic_of_several_jobs_is_refused(self):
        dump = self.path("job.json")
        self.output(TOPO, *MACHINE, "--output", dump)
        for cores in (4, 16):
            run = self.run_program(then=f'cp {dump} "$OMPI_MCA_coll_strata_dump"', cores=cores)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("strata-traffic: --run: the traffic is of 4 ranks, the hierarchy of 16: --run supports one job",
                          run.stderr)
        self.output(TOPO, "--topology", "synthetic:core:4", "--output", dump)
        run = self.run_program(then=f'cp {dump} "$OMPI_MCA_coll_strata_dump"')
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def interrupted(self, program, send, trap=""):
        """Exit status after `send` of the command's Popen, which waits for `trap`, and the process of the program."""
        with subprocess.Popen([TRAFFIC, "--run", "--", "sh", "-c", f"{trap}\necho $$ >new; mv new pid; {program}"],
                              cwd=self.scratch.name, stderr=subprocess.DEVNULL, start_new_session=True) as run:
            until = time.monotonic() + 30
            while not os.path.exists(self.path("pid")) and time.monotonic() < until:
                time.sleep(0.02)
            send(run)
            try:
                status = run.wait(timeout=20)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(run.pid, signal.SIGKILL)
        with open(self.path("pid"), encoding="utf-8") as file:
            pid = int(file.read())
        os.remove(self.path("pid"))
        return status, pid

    def test_signals_end_the_program_and_not_the_cleaning_up(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            status, pid = self.interrupted("exec sleep 60", lambda run, number=number: run.send_signal(number))
            self.assertEqual((status, self.left()), (128 + number, []))
            self.assertRaises(ProcessLookupError, os.kill, pid, 0)

    def test_a_signal_to_all_reaches_the_program_once(self):
        # As `timeout` and terminals send it; of the second one mpirun would leave its processes behind.
        program = 'i=0; while [ $i -lt 10 ]; do sleep 0.1; i=$((i + 1)); done'
        status, _ = self.interrupted(program, lambda run: os.killpg(run.pid, signal.SIGTERM),
                                     trap='trap "echo x >>got" TERM')
        self.assertEqual((status, self.left()), (143, ["got"]))
        with open(self.path("got"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "x\n")

    def test_matrices_without_end_are_refused(self):
        run = command(REORDER, "/dev/zero", *MACHINE)
        self.assertEqual((run.returncode, run.stdout), (2, ""))

    def test_other_processes_answer_the_same(self):
        matrix = pattern(self.path("traffic.txt"), "stencil9", "--ranks", "1024", "--shuffle", "1")
        with open(matrix, encoding="utf-8") as file:
            first, *flows = (line for line in file.read().splitlines() if not line.startswith("#"))
        machine = ("--topology", "synthetic:package:2 core:16", "--nodes", "32")
        found = set()
        for variant in range(3):
            random.Random(variant).shuffle(flows)
            environment = dict(os.environ, MALLOC_PERTURB_=str(85 * variant), OMP_NUM_THREADS=str(variant + 1),
                               SCOTCH_PTHREAD_NUMBER=str(variant + 1))
            run = command(REORDER, "/dev/stdin", *machine, input="\n".join([first, *flows]), env=environment)
            self.assertEqual(run.returncode, 0, run.stderr)
            found.add(run.stdout + run.stderr)
        self.assertEqual(len(found), 1)

    def test_variables_of_runs_reach_other_nodes(self):
        # 4.1 passes them all; from 5.0 on those of a list.
        names = ["OMPI_MCA_pml_monitoring_" + name for name in ("enable", "enable_output", "filename")]
        mpirun, printed = self.path("mpirun"), self.path("environment")
        names.append("OMPI_MCA_coll_strata_dump")
        for version, listed in (("mpirun (Open MPI) 5.0.7", names), ("prterun (PRRTE) 3.0", names),
                                ("mpirun (Open MPI) 4.1.4", []), ("mpirun.openmpi (OpenRTE) 4.1.4", [])):
            with open(mpirun, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; else env >{printed}; fi\n')
            os.chmod(mpirun, 0o755)
            run = subprocess.run([TRAFFIC, "--run", *MACHINE, "--", mpirun], cwd=self.scratch.name, text=True,
                                 capture_output=True, timeout=60, env=os.environ | {"OMPI_MCA_mca_base_env_list": "GIVEN"})
            self.assertIn("left no traffic", run.stderr)
            with open(printed, encoding="utf-8") as file:
                found = re.findall("^OMPI_MCA_mca_base_env_list=(.*)$", file.read(), re.M)[0].split(";")
            self.assertEqual(found, ["GIVEN", *listed])

    def test_lists_of_components_get_monitoring(self):
        mpirun, printed = self.path("mpirun"), self.path("environment")
        with open(mpirun, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "mpirun (Open MPI) 5.0.7"; else env >{printed}; fi\n')
        os.chmod(mpirun, 0o755)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_MCA_")}
        for given, wanted in (("", ""), ("ob1", "ob1,monitoring"), ("ob1,monitoring", "ob1,monitoring"),
                              ("monitoring,ob1", "monitoring,ob1"), ("^cm", "^cm"), (None, None)):
            lists = {} if given is None else {f"OMPI_MCA_{name}": given for name in ("pml", "coll", "osc")}
            run = command(TRAFFIC, "--run", *MACHINE, "--", mpirun, cwd=self.scratch.name, env=plain | lists)
            self.assertIn("left no traffic", run.stderr)
            with open(printed, encoding="utf-8") as file:
                found = dict(line.split("=", 1) for line in file.read().splitlines() if line.startswith("OMPI_MCA_"))
            for name in ("pml", "coll", "osc"):
                self.assertEqual(found.get(f"OMPI_MCA_{name}"), wanted, given)
                self.assertEqual(f"OMPI_MCA_{name}" in found["OMPI_MCA_mca_base_env_list"].split(";"), given is not None)
            os.remove(printed)
        for excluded in ("^monitoring", "^cm,monitoring"):
            run = command(TRAFFIC, "--run", *MACHINE, "--", mpirun, cwd=self.scratch.name,
                          env=plain | {"OMPI_MCA_pml": excluded})
            self.assertEqual((run.returncode, run.stderr),
                             (2, f"strata-traffic: --run: OMPI_MCA_pml={excluded} leaves out the component that counts messages: remove "
                                 "monitoring from it\n"))
            self.assertEqual(self.left(), ["mpirun"])

    def test_only_an_mpirun_is_asked_for_its_version(self):
        # A user's script would run its work a second time.
        runs = self.path("runs")
        for name, asked in (("mpirun", True), ("mpiexec.openmpi", True), ("orterun-4.1", True),
                            ("mpirun.openmpi-5.0.7", True), ("mpirun_case3.sh", False), ("mpirun-5.sh", False),
                            ("mpirun-case3", False), ("mpirun-", False), ("mpirun5", False)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "run $*" >>{runs}\n')
            os.chmod(self.path(name), 0o755)
            command(TRAFFIC, "--run", *MACHINE, "--", self.path(name), "x", cwd=self.scratch.name)
            with open(runs, encoding="utf-8") as file:
                self.assertEqual(file.read().splitlines(), ["run --version"] * asked + ["run x"], name)
            os.remove(runs)

    def test_many_ranks_are_mapped(self):
        matrix = pattern(self.path("traffic.txt"), "cg", "--ranks", "8192", "--shuffle", "1")
        run = command(REORDER, matrix, "--topology", "synthetic:package:2 core:16", "--nodes", "256", "--verbose",
                      "--output", self.path("order.txt"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"mapped in [\d.]+ s")
        before, after = (float(amount) for amount in
                         re.findall(r"(?:before|after) +([\d.]+) MiB", run.stderr.split("node (")[0]))
        self.assertLess(after, 0.4 * before)


unittest.main()
