#!/usr/bin/env python3
"""Tests of the program collective_latency with stock Open MPI on this machine, one operation at a time:

    test_collective_latency.py MPIRUN PROGRAM SPOILED OPERATION|help

SPOILED is the same program with collective operations that go wrong (spoil.cc)."""

import json
import os
import re
import subprocess
import sys
import unittest

from fakes import Folder, mpirun_environment

from strata_bench.measuring import operations
from strata_bench.measuring.competitors import STOCK

MPIRUN = PROGRAM = SPOILED = OPERATION = ""
RANKS = 4
SIZES = (1, 8, 1000, 100000)
NODES = {"equal": ("0,0,1,1", "0,1,1,0"), "unequal": ("0,1,1,1",)}  # of four ranks


class Runs(Folder):
    verbose = ()  # parameters of Open MPI

    def run_program(self, *options, program=None, spoil="flip"):
        """Returns (exit status, output)."""
        call = [MPIRUN, "--oversubscribe", "-n", str(RANKS), *STOCK, "--mca", "mpi_yield_when_idle", "1",
                *self.verbose, program or PROGRAM, *options]
        done = subprocess.run(call, env=mpirun_environment(STRATA_SPOIL=spoil), text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    def read(self, *options):
        """Checks every line of a good run's output."""
        path = os.path.join(self.folder, "times.json")
        status, output = self.run_program("--reps", "3", "--json", path, *options)
        self.assertEqual(status, 0, output)
        self.assertNotIn("WRONG", output)
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path


class Program(Runs):
    def records(self, *options):
        return self.read("--op", OPERATION, "--warm-up", "2", *options)

    def test_right_results(self):
        operation = operations.ALL[OPERATION]
        records = self.records("--root", "rotate", "--sizes", ",".join(map(str, SIZES)))
        self.assertEqual([record["size"] for record in records], list(operations.sizes_of(OPERATION, SIZES)))
        for record in records:
            self.assertEqual((record["operation"], record["ranks"], record["reps"], len(record["times"])),
                             (OPERATION, RANKS, 3, 3))
            self.assertEqual((record["wrong_bytes"], record["left_early"]), (0, 0))
            self.assertEqual(record["root"], "rotate" if operation.rooted else None)
            self.assertGreater(min(record["times"]), 0)
            size = record["size"]
            rounded = -(-size // 8) * 8 if "reduce" in OPERATION else size
            blocks = operation.block_bytes(size, RANKS) if operation.blocks else (rounded,)
            self.assertEqual(record["bytes"], sum(blocks))

    def test_a_root_that_is_not_there(self):
        status, output = self.run_program("--op", OPERATION, "--root", str(RANKS), "--reps", "1")
        if operations.ALL[OPERATION].rooted:
            self.assertNotEqual(status, 0)
            self.assertIn(f"--root {RANKS}: there are only {RANKS} ranks", output)
        else:
            self.assertEqual(status, 0, output)

    def test_orders(self):
        for order, ranks in (("block", 4), ("cyclic", 4), ("shuffle", 4), ("unequal", 3)):
            record = self.records("--order", order, "--nodes", "0,1,0,1", "--sizes", "64K", "--root", "1")[-1]
            self.assertEqual((record["order"], record["ranks"]), (order, ranks))

    def wrong(self, spoil, *options):
        """Returns the numbers that a spoiled run reports, by size."""
        status, output = self.run_program("--op", OPERATION, "--sizes", "64K", "--reps", "3", *options,
                                          program=SPOILED, spoil=spoil)
        self.assertEqual(status, 1, output)
        return [int(number) for number in re.findall(r"WRONG: (?:left )?(\d+)", output)]

    def test_one_wrong_bit_is_seen(self):
        wrong, = self.wrong("flip")
        if OPERATION == "barrier":  # of 5 repetitions and as many with a late rank
            self.assertGreaterEqual(wrong, 5)
        else:
            self.assertEqual(wrong, 1)

    def test_what_never_arrives_is_seen(self):
        wrong, = self.wrong("drop")
        if OPERATION == "barrier":  # the highest rank is itself late in one of five
            self.assertGreaterEqual(wrong, 4)
        else:
            self.assertGreaterEqual(wrong, 8000)

    def mockups(self):
        return [name for name, its in operations.MOCKED.items() if OPERATION in its]

    def test_mockups_are_right(self):
        for mockup in self.mockups():
            for nodes in NODES["equal"] + (() if mockup == "lane" else NODES["unequal"]):
                records = self.records("--with", mockup, "--nodes", nodes, "--root", "rotate", "--sizes",
                                       ",".join(map(str, SIZES)))
                self.assertEqual({record["with"] for record in records}, {mockup})

    def test_wrong_parts_of_a_mockup_are_seen(self):
        for mockup in self.mockups():
            if (mockup, OPERATION) == ("composed", "barrier"):
                continue  # an Allreduce with a wrong result delays all ranks as well
            wrong, = self.wrong("every", "--with", mockup, "--nodes", "0,1,1,0")
            self.assertGreaterEqual(wrong, 1, mockup)

    def test_what_a_mockup_cannot_do_is_refused(self):
        for mockup in operations.MOCKED.keys() - set(self.mockups()):
            status, output = self.run_program("--op", OPERATION, "--with", mockup)
            self.assertNotEqual(status, 0)
            self.assertIn(f"--with {mockup}: it has no {OPERATION}", output)
        if "lane" in self.mockups():
            status, output = self.run_program("--op", OPERATION, "--with", "lane", "--nodes", "0,1,1,1")
            self.assertNotEqual(status, 0)
            self.assertIn("lanes need equally many ranks on every node", output)


    def test_errors_go_to_files_by_rank(self):
        """The files have all lines of all ranks, MPI's included; without the folder, standard error has
        them."""
        prefix = os.path.join(self.folder, "errors")
        path = self.file("contenders.json", [{"name": "a"}, {"name": "b"}])
        call = ("--op", OPERATION, "--sizes", "8", "--reps", "1", "--contenders", path, "--errors")
        self.verbose = ("--mca", "coll_base_verbose", "10")
        status, output = self.run_program(*call, prefix)
        self.assertEqual(status, 0, output)
        for rank in range(RANKS):
            with open(f"{prefix}.{rank}", encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertFalse([line for line in lines if not line.startswith("[")], lines)
            # The two contenders' communicators, and temporary ones before them.
            self.assertGreaterEqual(sum("new communicator" in line for line in lines), 2)
        status, output = self.run_program(*call, os.path.join(self.folder, "missing", "errors"))
        self.assertEqual(status, 0, output)
        self.assertIn("new communicator", output)

    def test_contenders_in_turn(self):
        """All contenders are measured equally often, on right data; one that cannot take part reports it."""
        everybody = ("mpi", *operations.MOCKED)
        path = self.file("contenders.json", [{"name": f"the-{name}", "with": name} for name in everybody])
        found = self.records("--contenders", path, "--nodes", "0,1,1,1", "--sizes", "8,64K")
        skipped = {line["contender"] for line in found if "skipped" in line}
        able = {"mpi", *self.mockups()} - {"lane"}  # of unequal nodes
        self.assertEqual(skipped, {f"the-{name}" for name in everybody if name not in able})
        times = {(line["contender"], line["size"]): len(line["times"]) for line in found if "times" in line}
        self.assertEqual(set(times), {(f"the-{name}", size) for name in able
                                      for size in operations.sizes_of(OPERATION, (8, 64 << 10))})
        self.assertEqual(len({line["communicator"] for line in found if "communicator" in line}), len(everybody))

    def test_wrong_data_is_charged_to_who_delivered_it(self):
        """The third call goes wrong: d's, because the first repetition has the order a, b, d, c."""
        names = ("a", "b", "c", "d")
        path = self.file("contenders.json", [{"name": name} for name in names])
        times = os.path.join(self.folder, "times.json")
        status, output = self.run_program("--op", OPERATION, "--contenders", path, "--nodes", "0,0,1,1", "--sizes",
                                          "64K", "--reps", "3", "--json", times, program=SPOILED)
        self.assertEqual(status, 1, output)
        with open(times, encoding="utf-8") as file:
            wrong = {line["contender"]: line["wrong_bytes"] + line["left_early"]
                     for line in map(json.loads, file) if "times" in line}
        if OPERATION == "barrier":  # none of them waits
            self.assertGreater(min(wrong.values()), 0, wrong)
        else:
            self.assertEqual(wrong, {"a": 0, "b": 0, "c": 0, "d": 1})


class Help(Runs):
    def test_cells(self):
        """Operations one after another, each with its root and its sizes, up and down again, some of which
        leave a contender out."""
        contenders = self.file("contenders.json", [{"name": "a"}, {"name": "b", "sizes": [8, 64]}, {"name": "c"}])
        cells = self.file("cells.json", [
            {"op": "bcast", "root": "last", "sizes": [8, 64, 512], "except": {"c": [8, 64]}},
            {"op": "barrier"}, {"op": "gather", "root": "middle", "sizes": [64]}])
        found = [line for line in self.read("--contenders", contenders, "--cells", cells) if "times" in line]
        self.assertEqual([(line["cell"], line["operation"], line["size"], line["root"], line["contender"])
                          for line in found],
                         [(0, "bcast", 512, 3, "a"), (0, "bcast", 512, 3, "c"), (0, "bcast", 64, 3, "a"),
                          (0, "bcast", 64, 3, "b"), (0, "bcast", 8, 3, "a"), (0, "bcast", 8, 3, "b"),
                          (1, "barrier", 0, None, "a"), (1, "barrier", 0, None, "c"),
                          (2, "gather", 64, 3, "a"), (2, "gather", 64, 3, "b"), (2, "gather", 64, 3, "c")])

    def test_several_operations(self):
        found = self.read("--op", "reduce,barrier", "--sizes", "8")
        self.assertEqual([(line["operation"], line["size"], line["contender"]) for line in found],
                         [("reduce", 8, "mpi"), ("barrier", 0, "mpi")])

    def test_files_that_say_nothing(self):
        for content, text in (("{", "parse error"), ("[]", "at least one entry"), ({"name": "a"}, "expected a list"),
                              ([{"name": "a"}, {"nam": "b"}], "entry 2: unknown key 'nam'; known: name, with"),
                              ([{"name": "a b"}], "expected a name"), ([{"with": "mpi"}], "'name' not found"),
                              ([{"name": "a"}, {"name": "a"}], "two contenders are called 'a'"),
                              ([{"name": "a", "with": "b"}], "no algorithm 'b'"),
                              ([{"name": "a", "info": {"k" * 36: ""}}], "keys of up to 35 characters")):
            status, output = self.run_program("--contenders", self.file("bad.json", content), "--order", "unequal",
                                              "--nodes", "0,0,1,1")
            self.assertNotEqual(status, 0, content)
            self.assertIn("bad.json: ", output)
            self.assertIn(text, output)
        for content, text in (([{"op": "alltoall"}], "no operation 'alltoall'"), ([{"op": "bcast"}], "'sizes' not"),
                              ([{"op": "bcast", "sizes": []}], "expected at least one"),
                              ([{"op": "bcast", "sizes": [8], "root": "first"}], "expected a rank, 'middle'")):
            status, output = self.run_program("--cells", self.file("bad.json", content))
            self.assertNotEqual(status, 0, content)
            self.assertIn(text, output)
        status, output = self.run_program("--contenders", os.path.join(self.folder, "none.json"))
        self.assertNotEqual(status, 0)
        self.assertIn("none.json: cannot be read", output)

    _SHIFT = ("unshare", "--time", "--monotonic", "1000", "--fork")  # seconds

    def test_clocks_that_differ(self):
        """Imitates several machines: every second rank's clock is far ahead."""
        if subprocess.run([*self._SHIFT, "true"], capture_output=True, check=False).returncode:
            self.skipTest("no time namespaces here")
        shifted = os.path.join(self.folder, "shifted")
        with open(shifted, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nif [ $((OMPI_COMM_WORLD_RANK % 2)) = 1 ]; then\n'
                       f'    exec {" ".join(self._SHIFT)} {PROGRAM} "$@"\nfi\nexec {PROGRAM} "$@"\n')
        os.chmod(shifted, 0o755)
        path = os.path.join(self.folder, "times.json")
        for operation in ("bcast", "barrier"):
            status, output = self.run_program("--op", operation, "--sizes", "8", "--json", path, program=shifted)
            self.assertEqual(status, 0, output)
            with open(path, encoding="utf-8") as file:
                times = json.loads(file.read())["times"]
            self.assertGreater(min(times), 0)
            self.assertLess(max(times), 100e6)  # 100 s: a clock used without correction would show 1000

    def test_operations_are_listed(self):
        status, output = self.run_program("--help")
        self.assertEqual(status, 0, output)
        self.assertIn("{" + ",".join(operations.ALL) + "}", output)

    def test_unknown_operation(self):
        status, output = self.run_program("--op", "bcats")
        self.assertNotEqual(status, 0)
        self.assertIn("bcats", output)


if __name__ == "__main__":
    MPIRUN, PROGRAM, SPOILED, OPERATION = sys.argv[1:5]
    unittest.main(argv=[sys.argv[0], "Help" if OPERATION == "help" else "Program"])
