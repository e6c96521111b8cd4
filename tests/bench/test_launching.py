#!/usr/bin/env python3
"""Tests of --launcher: scripts that replace a user's job starter, and how they end."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
import types
import unittest
from unittest import mock

from fakes import ROOT, Folder

from strata_bench.cluster import kernel
from strata_bench.cluster.runner import TIMED_OUT
from strata_bench.measuring import cluster, command, competitors, sessions
from strata_bench.measuring.launcher import Launcher

_CALLS = '"$@"\nexit $?\n'  # without exec: the called program is a separate process
_IN_THE_BACKGROUND = '"$@" &\nwhile [ ! -s pids ]; do sleep 0.05; done\n'
_HANG = ["sh", "-c", "echo $$ >>pids; exec sleep 300"]
_DEAF = ["sh", "-c", "trap '' TERM; echo $$ >>pids; exec sleep 300"]
_OWN_GROUP = [sys.executable, "-S", "-E", "-c", "import os, time; os.setpgid(0, 0)\n"
              "with open('pids', 'a') as file: file.write(f'{os.getpid()}\\n')\ntime.sleep(300)"]


class Scripts(Folder):
    def script(self, text, name="start-job"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def launch(self, script, program, seconds=60):
        return Launcher(script).run((), competitors.tuned(), program, os.path.join(self.folder, "logs", "job"), seconds,
                                    self.folder)


class Parameters(Scripts):
    """Variables that a launcher gets. mpirun passes those of its list to other nodes."""

    LIST = "OMPI_MCA_mca_base_env_list"

    def _given(self, name, version, **own):
        """Returns the environment of a launcher of that name and the number of its starts: one more if its
        version was queried."""
        path = self.script(f'echo x >>"{self.folder}/starts"\n[ "$1" = --version ] && echo "{version}" || env\n', name)
        with mock.patch.dict(os.environ, own):
            if not own:
                os.environ.pop(self.LIST, None)
            done = self.launch(path, ["program"])
        starts = os.path.join(self.folder, "starts")
        with open(starts, encoding="utf-8") as file:
            count = len(file.readlines())
        os.unlink(starts)
        return count, dict(line.split("=", 1) for line in done.output.splitlines() if "=" in line)

    def test_all_are_told_an_mpirun_of_release_5_and_later(self):
        for name, version in (("mpirun", "mpirun (Open MPI) 5.0.7"), ("mpirun.openmpi", "mpirun (Open MPI) 5.0.7"),
                              ("mpiexec-5.0.7", "mpiexec (Open MPI) 5.0.7"), ("mpirun", "mpirun (Open MPI) 10.1.0"),
                              ("prterun", "prterun (PRRTE) 3.0.8")):
            with self.subTest(name=name, version=version):
                count, given = self._given(name, version)
                self.assertEqual((count, given[self.LIST]), (2, "OMPI_MCA_coll;OMPI_MCA_coll_han_priority"))
                self.assertEqual(given["OMPI_MCA_coll"], "^strata")

    def test_the_user_s_own_list_stays(self):
        _, given = self._given("mpirun", "mpirun (Open MPI) 5.0.7", **{self.LIST: "FIRST;SECOND=2"})
        self.assertEqual(given[self.LIST], "FIRST;SECOND=2;OMPI_MCA_coll;OMPI_MCA_coll_han_priority")

    def test_but_for_what_changes_who_is_measured(self):
        own = "OMPI_MCA_coll_tuned_priority=90;FIRST;OMPI_MCA_coll;OMPI_MCA_opal_mca_base_component_path"
        _, given = self._given("mpirun", "mpirun (Open MPI) 5.0.7", **{self.LIST: own})
        self.assertEqual(given[self.LIST], "FIRST;OMPI_MCA_coll;OMPI_MCA_coll_han_priority")

    def test_others_are_left_alone(self):
        for count, name, version in ((2, "mpirun", "mpirun (Open MPI) 4.1.4"),
                                     (2, "orterun", "orterun (OpenRTE) 4.1.4"), (1, "srun", "slurm 24.05"),
                                     (1, "mpirun-job.sh", "mpirun (Open MPI) 5.0.7"),
                                     (1, "start-mpirun", "mpirun (Open MPI) 5.0.7")):
            with self.subTest(name=name, version=version):
                found, given = self._given(name, version)
                self.assertEqual((found, given.get(self.LIST), given["OMPI_MCA_coll"]), (count, None, "^strata"))
                self.assertEqual(self._given(name, version, **{self.LIST: "FIRST"})[1][self.LIST], "FIRST")


class Endings(Scripts):
    """Processes that a script has started without exec."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self._clear)
        for where, name, value in ((cluster, "_SECONDS_TO_END", 0.5), (sessions, "_SECONDS_TO_LINGER", 0.2)):
            patch = mock.patch.object(where, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def _pids(self):
        path = os.path.join(self.folder, "pids")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [int(line) for line in file if line.endswith("\n")]

    def _running(self):
        return [pid for pid in self._pids() if kernel.start_time(pid) is not None]

    def _clear(self):
        for pid in self._running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def test_time_is_over(self):
        for text, program in ((_CALLS, _HANG), (_CALLS, _DEAF), (_CALLS, _OWN_GROUP),
                              ("trap '' TERM\n" + _CALLS, _DEAF)):
            with self.subTest(script=text, program=program):
                done = self.launch(self.script(text), program, 2)
                self.assertEqual(done.status, TIMED_OUT)
                self.assertTrue(self._pids())
                self.assertEqual(self._running(), [])
                os.unlink(os.path.join(self.folder, "pids"))

    def test_a_script_that_does_not_wait(self):
        done = self.launch(self.script(_IN_THE_BACKGROUND), _DEAF)
        self.assertEqual((done.status, len(self._pids()), self._running()), (0, 1, []))

    def test_a_job_that_ends_is_not_waited_for(self):
        with mock.patch.object(sessions, "_SECONDS_TO_LINGER", 60):
            done = self.launch(self.script(_CALLS), ["sh", "-c", "echo said; exit 3"])
        self.assertEqual((done.status, done.output), (3, "said\n"))
        self.assertLess(done.seconds, 30)

    def _said_when_stopped(self):
        def body(_options, _progress):
            self.launch(self.script(_CALLS), _HANG, 2)
            raise cluster.Interrupted(signal.SIGTERM)

        output = io.StringIO()
        with mock.patch.object(command, "raise_on_signals"), contextlib.redirect_stderr(output):
            status = command.run("bench", body, types.SimpleNamespace(results=os.path.join(self.folder, "results")))
        self.assertEqual(status, 128 + signal.SIGTERM)
        return output.getvalue()

    def test_what_cannot_be_ended_is_said(self):
        with mock.patch.object(sessions, "_signal"), mock.patch.object(sessions, "_SECONDS_TO_DIE", 0.2):
            text = self._said_when_stopped()
        pid, = self._running()
        self.assertIn(str(pid), text)
        self.assertRegex(text, r"^bench: stopped by SIGTERM; still running: [0-9, ]+\n$")
        for member in map(int, text.split(": ")[-1].split(", ")):
            os.kill(member, signal.SIGKILL)
        self.assertTrue(kernel.wait_until(lambda: sessions.left() == "nothing is left running", 10))
        while sessions._not_ended:
            sessions._not_ended.pop().wait()

    def test_a_stopped_command(self):
        """The whole: bench/compare with the user's launcher and a signal."""
        for name in ("bench/collective_latency", "bench/relay", "plugin/mca_coll_strata.so"):
            path = os.path.join(self.folder, "build", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
        hang = self.script("echo $$ >>pids\nexec sleep 300\n", "hang")
        call = [os.path.join(ROOT, "bench", "compare"), "--build", os.path.join(self.folder, "build"), "--results",
                os.path.join(self.folder, "results"), "--launcher", self.script(f"{hang}\nexit $?\n"), "--no-plots",
                "--op", "bcast", "--sizes", "8", "--orders", "block"]
        with subprocess.Popen(call, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            self.assertTrue(kernel.wait_until(self._pids, 30))
            time.sleep(0.1)  # until it waits for its child
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
        self.assertEqual((process.returncode, self._running()), (128 + signal.SIGINT, []))
        self.assertEqual(said, "compare: stopped by SIGINT; nothing is left running\n")


if __name__ == "__main__":
    unittest.main()
