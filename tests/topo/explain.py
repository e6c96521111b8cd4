#!/usr/bin/env python3
"""Tests that strata-explain reports the path of a job's calls, the reason, and predicted and measured times."""
import fcntl
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "plugin"))
from job import Failure, Paths, check, conclude, environment, run  # noqa: E402

RANKS = 8
F_SETPIPE_SZ = 1031  # of Linux; module fcntl names it from Python 3.10 on
CALLS = ["--sizes", "8,100000", "--calls", "3", "--roots", "0"]
SETTINGS = {"coll_strata_topology": "synthetic:package:2 core:2", "btl": "self,vader", "mpi_yield_when_idle": "1",
            "coll_strata_placement": ";".join(f"{core}@n{node}" for node in range(2) for core in range(4)),
            "coll_strata_setup_after": "0"}


def explain(program, *arguments, status=0):
    done = subprocess.run([program, *arguments], text=True, capture_output=True, timeout=60)
    if done.returncode != status:
        raise Failure(f"exit status {done.returncode}, expected {status}:\n{done.stdout}{done.stderr}")
    return done.stdout if status == 0 else done.stderr


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text):
            raise Failure(f"is not reported: {pattern}\n{text}")


def job(paths, scratch, parameters, calls=CALLS):
    dump = os.path.join(scratch, "job.json")
    settings = SETTINGS | {"coll_strata_dump": dump} | parameters
    check(run(paths, RANKS, "probe", calls, settings), lambda o: (o.expect_success(), o.expect_messages()))
    return dump


def test_hint(program, dump):
    """Calls that take far longer than predicted, and calls that do not."""
    with open(dump, encoding="utf-8") as file:
        content = json.load(file)
    for factor, calls, hinted in ((0.25, 2, True), (0.5, 2, False), (0.25, 1, False)):
        for call in content["communicators"][0]["calls"]:
            call["predicted_us"] = factor * call["least_us"]
            call["calls"] = calls
        with open(dump + ".changed", "w", encoding="utf-8") as file:
            json.dump(content, file)
        text = explain(program, dump + ".changed")
        if ("  hint      the fastest call took 4 times as long as expected: ranks arrive late" in text) != hinted:
            raise Failure(f"a hint is {'missing' if hinted else 'needless'}:\n{text}")


def test_calls(paths, program, scratch):
    dump = job(paths, scratch, {"coll_strata_bcast_level_algorithms": "cluster=linear"})
    every = explain(program, dump)
    expect(every, r"bcast of 100000 B on MPI_COMM_WORLD, 8 ranks\n  path +tree: cluster linear[^,]*, node ",
           r"  set by +algorithm of cluster from coll_strata_bcast_level_algorithms\n",
           r"  expected +\S+ us; by the underlying component \S+ us\n",
           r"  measured +\S+ us on average over 3 calls, from \S+ to \S+ us, on process 0\n")
    test_hint(program, dump)
    one = explain(program, dump, "--op", "bcast", "--bytes", "8")
    expect(one, r"^bcast of 8 B on")
    if "100000" in one:
        raise Failure(f"calls of another size are reported:\n{one}")
    expect(explain(program, dump, "--op", "allgather", "--bytes", "1M"),
           r"^allgather of 1 MiB on MPI_COMM_WORLD\n  path +\S", r"\n  expected +[^\n]*, for \S+ \wi?B\n",
           r"  measured +process 0 has recorded no such call\n")
    expect(explain(program, dump, "--op", "bcast", "--bytes", "96"),
           r"^bcast of 96 B on MPI_COMM_WORLD\n", r"\n  as for +\d+ B - ", r"\n  measured +process 0 has recorded no such call\n")
    expect(explain(program, dump, "--communicator", "none such"), r"^process 0 has recorded no such call\n$")
    expect(explain(program, dump, "--communicator", "none such", "--op", "bcast"),
           r"^bcast on none such: process 0 has recorded no such call; the choices in the dump are those of MPI_COMM_WORLD\n$")
    expect(explain(program, dump, "--communicator", "MPI_COMM_WORLD", "--op", "allgather"),
           r"^allgather of .* on MPI_COMM_WORLD\n  path +\S")
    with open(dump, encoding="utf-8") as file:
        use = json.load(file)["communicators"][0]
    if use["setup_us"] <= 0 or use["memory"] <= 0 or not any(level["bytes"] > 0 for level in use["levels"]):
        raise Failure(f"set-up, memory and bytes are not reported: {use}")
    text = os.path.join(scratch, "job.txt")
    check(run(paths, RANKS, "probe", CALLS, SETTINGS | {"coll_strata_dump": text}), lambda o: o.expect_success())
    with open(text, encoding="utf-8") as file:
        expect(file.read(), r"calls of the job, as process 0 recorded them\n\n"
                            r"MPI_COMM_WORLD, 8 ranks, set up in \S+ us, \d+ B of memory\n"
                            r"  sent by this rank: cluster \d+ messages, \d+ B",
               r"\n  3 +tree +bcast +100000 B ")


def test_bound(paths, program, scratch, rules="ethernet-cluster"):
    """Given 1170 bytes/us between the two nodes: 100000 bytes take 85.5 us, and half of 8 gathered ones 0.00342 us."""
    dump = job(paths, scratch, {"coll_strata_rules": rules})
    expect(explain(program, dump),
           r"bcast of 100000 B on .*\n(  .*\n)+  bound +85\.5 us by the given bandwidths alone, "
           r"\S+ % of the fastest call\n")
    expect(explain(program, dump, "--op", "gather", "--bytes", "8"),
           r"\n  bound +0\.00342 us by the given bandwidths alone(, for 8 B)?\n$")
    with open(dump, encoding="utf-8") as file:
        calls = json.load(file)["communicators"][0]["calls"]
    for call in calls:
        if call["collective"] == "bcast" and call["bound_us"] != float(f"{call['bytes'] / 1170:.9g}"):
            raise Failure(f"the bound of {call} is wrong")
    if "bound" in explain(program, job(paths, scratch, {})):
        raise Failure("built-in bandwidths give a bound")


def test_early(paths, program, scratch):
    dump = job(paths, scratch, {"coll_strata_setup_after": "2"})
    expect(explain(program, dump), r"bcast of 8 B on MPI_COMM_WORLD, 8 ranks\n  path +the underlying component\n"
                                   r"  why +the first short calls do not pay for the communicator's set-up\n",
           r"\n  expected +[\d.]+ us; by tree, once set up, [\d.]+ us, for 8 B\n",
           r"on average over 2 calls", r"\n  measured +\S+ us, on process 0\n")
    # A program of short calls only has a picture, too.
    dump = job(paths, scratch, {"coll_strata_setup_after": "1000"}, ["--sizes", "8", "--calls", "3", "--roots", "0"])
    expect(explain(program, dump), r"on average over 3 calls")
    with open(dump, encoding="utf-8") as file:
        if json.load(file)["ranks"] != RANKS:
            raise Failure("there is no picture of a communicator that is not set up")


class Pipe:
    """A reader that reads nothing for `delay` seconds, then everything."""

    def __init__(self, path, delay):
        os.mkfifo(path)
        self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self._file, F_SETPIPE_SZ, 4096)
        self._delay, self._parts, self._done = delay, [], False
        self.held_up, self.first_read = 0.0, 0.0  # seconds in which the writer's bytes lay; when they were taken
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self):
        select.select([self._file], [], [], 60)
        written = time.monotonic()
        time.sleep(self._delay)
        self.first_read = time.monotonic()
        self.held_up = self.first_read - written
        while True:
            try:
                part = os.read(self._file, 1 << 16)
            except BlockingIOError:
                part = b""
            self._parts.append(part)
            if not part and self._done:
                return
            if not part:
                time.sleep(0.01)

    def text(self):
        self._done = True
        self._thread.join()
        os.close(self._file)
        return b"".join(self._parts).decode()


def test_waiting(paths, program, scratch, delay=1.5):
    """The dump's writing process is not part of a call, nor of its set-up."""
    for setup_after in ("2", "0"):
        dump = os.path.join(scratch, f"after{setup_after}.json")
        pipe = Pipe(dump, delay)
        settings = SETTINGS | {"coll_strata_dump": dump, "coll_strata_setup_after": setup_after}
        check(run(paths, RANKS, "probe", CALLS, settings), lambda o: (o.expect_success(), o.expect_messages()))
        end, text = time.monotonic(), pipe.text()
        if pipe.held_up < 1.5 or end < pipe.first_read:
            raise Failure(f"no process waited: {pipe.held_up:.1f} s before the reader, the job ended "
                          f"{end - pipe.first_read:.1f} s later")
        decoder = json.JSONDecoder()
        picture = decoder.raw_decode(text)[1]
        use = decoder.raw_decode(text[picture:].lstrip())[0]["communicators"][0]
        times = {"setup_us": use["setup_us"]} | {f"{call['calls']} of {call['collective']} by {call['path']}": call["most_us"]
                                                 for call in use["calls"]}
        late = {what: us for what, us in times.items() if us >= 1e6}
        if late or use["setup_us"] <= 0:
            raise Failure(f"setup_after {setup_after}: {late or times}")


def test_run(paths, program, scratch):
    command = [paths["mpirun"], "--oversubscribe", "-n", str(RANKS), paths["probe"], *CALLS]
    done = subprocess.run([program, "--run", "--op", "bcast", "--output", "explained.txt", "--", *command], text=True,
                          capture_output=True, timeout=60, cwd=scratch, env=environment(paths, SETTINGS))
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
    with open(os.path.join(scratch, "explained.txt"), encoding="utf-8") as file:
        expect(file.read(), r"^bcast of 100000 B on MPI_COMM_WORLD, 8 ranks\n  path +tree: ")
    if os.listdir(scratch) != ["explained.txt"]:
        raise Failure(f"files are left: {os.listdir(scratch)}")
    # Unexplainable parts are named, and stay.
    done = subprocess.run([program, "--run", "--", "sh", "-c", """echo '{"plans": []}' >"$OMPI_MCA_coll_strata_dump" """],
                          text=True, capture_output=True, timeout=60, cwd=scratch)
    expect(done.stderr, r"too many ranks to list its choices; strata-topo --plans --from-dump (\S+) lists them")
    if done.returncode != 1 or not os.path.exists(re.search(r"dump is kept: (\S+)", done.stderr)[1]):
        raise Failure(f"exit status {done.returncode}, expected 1, and the dump:\n{done.stderr}")


def test_killed(paths, program, scratch):
    """A dump of a job that died is reported, and that it has no measurements."""
    dump = job(paths, scratch, {})
    with open(dump, encoding="utf-8") as file:
        picture = json.load(file)
    use = {name: picture.pop(name) for name in ("communicators", "other_communicators")}

    def explained(content, *arguments, status=0):
        with open(dump, "w", encoding="utf-8") as file:
            json.dump(content, file)
        done = subprocess.run([program, dump, *arguments], text=True, capture_output=True, timeout=60)
        if done.returncode != status:
            raise Failure(f"exit status {done.returncode}, expected {status}:\n{done.stdout}{done.stderr}")
        if status == 0:
            expect(done.stderr, r"did not end in MPI_Finalize, or is still running: nothing measured|^$")
        return done.stdout if status == 0 else done.stderr

    unknown = "unknown: the dump was not completed by MPI_Finalize"
    expect(explained(picture, "--op", "bcast"), rf"  measured +{unknown}\n")
    expect(explained(picture, "--op", "bcast", "--communicator", "sub"),
           rf"^bcast on sub: {unknown}; the choices in the dump are those of MPI_COMM_WORLD\n$")
    expect(explained(picture), rf"^{unknown}; --op LIST asks for choices\n$")
    # More ranks than a job lists choices of.
    expect(explained(picture | {"plans": []}, "--op", "bcast", status=1),
           r"has too many ranks to list its choices; strata-topo --plans --from-dump \S+job.json lists them")
    use["communicators"][0]["calls"] = []
    expect(explained(picture | use | {"plans": []}, "--op", "bcast"),
           r"^bcast: process 0 has recorded no such call; the dump lists no choices: strata-topo --plans --from-dump does\n$")
    # The report covers the communicators with the most time.
    expect(explained(picture | use | {"other_communicators": 3}, "--op", "bcast"),
           r"  measured +process 0 has recorded no such call on the listed communicators\n",
           r"\nNot listed: 3 more communicators, on which process 0 spent less time.\n$")
    del picture["plans_of"]
    expect(explained(picture, "--op", "bcast", "--communicator", "sub"),
           "those of a communicator that it does not name")


def test_mistakes(_paths, program, scratch):
    wrong = os.path.join(scratch, "wrong.json")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write('{"communicators": [{"name": "x"}]}')
    expect(explain(program, wrong, status=2), r"wrong.json:1: .*'ranks' is missing")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write('{"ranks": 4}')
    expect(explain(program, wrong, status=2), r"wrong.json: not a dump of a job; coll_strata_dump=NAME.json writes one")
    expect(explain(program, status=2), r"the dump of a job is missing; see strata-explain --help")
    expect(explain(program, "/no/such.json", status=2), r"/no/such.json: cannot be opened")
    expect(explain(program, wrong, "--op", "scan", status=2), r"--op: unknown operation 'scan'; known: all, bcast,")
    expect(explain(program, wrong, "--bytes", "8,9", status=2), r"--bytes: takes one size")
    expect(explain(program, wrong, "--bytes", "much", status=2), r"--bytes: ")
    expect(explain(program, "--run", status=2), r"the command is missing")
    expect(explain(program, wrong, "--", "true", status=2), r"a command behind -- needs --run")
    expect(explain(program, "--run", "--", "true", status=1), r"left nothing to explain")
    expect(explain(program, "--help"), r"--communicator NAME", r"Exit status:")


def test_can_fail_waiting(paths, program, scratch):
    test_waiting(paths, program, scratch, delay=0)


def test_can_fail_bound(paths, program, scratch):
    test_bound(paths, program, scratch, rules="")


def test_can_fail(paths, program, scratch):
    expect(explain(program, job(paths, scratch, {})), r"path +ring")


def main():
    paths, program, case = Paths(sys.argv[1]), sys.argv[2], sys.argv[3]
    with tempfile.TemporaryDirectory() as scratch:
        conclude(lambda: globals()[f"test_{case}"](paths, program, scratch))


main()
