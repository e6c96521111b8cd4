"""The emulated cluster: brought up by bench/cluster and always taken down."""

import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import tempfile
import time

from ..cluster import state
from ..cluster.plan import UserError
from ..cluster.runner import TIMED_OUT

from . import sessions
from .competitors import clean_environment
from .folders import BENCH

NOT_SUPPORTED = 77
_PROGRAM = os.path.join(BENCH, "cluster")
_SECONDS_TO_END = 15
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked the command to stop."""

    def __init__(self, number):
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


class ClusterError(Exception):
    """The cluster cannot be made; `status` is the exit status for that."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def raise_on_signals():
    def stop(number, _frame):
        raise Interrupted(number)

    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)


@contextlib.contextmanager
def _signals_ignored():
    old = {number: signal.signal(number, signal.SIG_IGN) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _end(process, whole_session):
    with _signals_ignored():
        if whole_session:
            sessions.end(process, _SECONDS_TO_END)
            return
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process, seconds=None, whole_session=False):
    """Waits for the process; ends it when the command is stopped or time is over."""
    try:
        status = process.wait(seconds)
        if whole_session:
            sessions.end_rest(process, _SECONDS_TO_END)
        return status
    except subprocess.TimeoutExpired:
        _end(process, whole_session)
        return TIMED_OUT
    except BaseException:
        _end(process, whole_session)
        raise


def run_logged(call, environment, log, seconds=None, directory=None, whole_session=False):
    """Runs a command; after `timeout` seconds ends it with the status TIMED_OUT. Copies its output to the
    files `log`.out and `log`.err. `whole_session`: the command does not itself end its processes, as
    `cluster run` does."""
    start = time.monotonic()
    with open(log + ".out", "w+", encoding="utf-8", errors="replace") as out, \
            open(log + ".err", "w+", encoding="utf-8", errors="replace") as err:
        # Its own session: Ctrl-C reaches only this process, which ends the run in order.
        status = _wait(subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=directory,
                                        env=environment, start_new_session=True), seconds, whole_session)
        elapsed = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        return Run(status, elapsed, out.read(), err.read())


def check_support():
    """Raises ClusterError with the reason if no cluster can be made here."""
    done = subprocess.run([_PROGRAM, "check-support"], text=True, capture_output=True, check=False)
    if done.returncode:
        reason = (done.stdout + done.stderr).strip() or "no emulated clusters here, for an unknown reason"
        raise ClusterError(reason, done.returncode)


@dataclasses.dataclass(frozen=True)
class Run:
    """A finished run of mpirun."""

    status: int
    seconds: float
    output: str  # standard output
    errors: str  # standard error

    def complaint(self):
        """Returns the first and last lines for an error message: the first ones have the cause, the last ones the end."""
        lines = [line for line in (self.output + self.errors).splitlines()
                 if line.strip("- ") and "plm:rsh: Warning: setpgid" not in line]
        return "\n".join(lines if len(lines) <= 12 else [*lines[:4], "...", *lines[-8:]])

    def failure(self):
        """Returns why it failed; empty if it did not."""
        return (self.complaint() or f"exit status {self.status}") if self.status else ""

    def require_success(self):
        if failure := self.failure():
            raise ClusterError(failure)


class Cluster:
    """A cluster that lives for the `with` block, or longer with `keep`."""

    def __init__(self, shape, keep=False):
        """`shape` holds options of `cluster up`."""
        self._shape = shape
        self._keep = keep
        self._directory = None

    def __enter__(self):
        self._directory = tempfile.mkdtemp(prefix="strata-bench-")
        try:
            self._check(["up", "--state", self._directory, *self._shape])
            self.plan = state.State(self._directory).plan
        except BaseException:
            self._down()
            raise
        return self

    def __exit__(self, kind, _value, _trace):
        if not self._keep or kind is not None:
            self._down()

    @property
    def directory(self):
        return self._directory

    @property
    def kept(self):
        """Returns whether it outlives this command."""
        return self._keep

    @property
    def ranks(self):
        return sum(self.plan.slots)

    def write_topology(self, path):
        self._check(["topology", "--state", self._directory, "--file", path])

    def run(self, places, competitor, command, log, timeout, directory=None):
        """Runs a program; `places` are options of `cluster run` for the placement. Copies its output to the
        files `log`.out and `log`.err."""
        call = [_PROGRAM, "run", "--state", self._directory, "--timeout", str(timeout), *places]
        for name, value in competitor.environment:
            call += ["--env", f"{name}={value}"]
        call += ["--", *competitor.options, *command]
        return run_logged(call, clean_environment(), log, directory=directory)

    def _check(self, arguments):
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            status = _wait(subprocess.Popen([_PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=output, start_new_session=True))
            if status:
                output.seek(0)
                text = output.read().strip().removeprefix("cluster: ")
                raise ClusterError(text or f"'cluster {arguments[0]}' failed with status {status}", status)

    def _down(self):
        with _signals_ignored():
            subprocess.run([_PROGRAM, "down", "--state", self._directory], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, check=False, start_new_session=True)
            shutil.rmtree(self._directory, ignore_errors=True)


class StandingCluster(Cluster):
    """A running cluster that another command brought up and takes down."""

    def __init__(self, directory):
        super().__init__(())
        self._directory = directory

    def __enter__(self):
        try:
            found = state.State(self._directory)
            found.require_up()
            self.plan = found.plan
        except UserError as error:
            raise ClusterError(str(error)) from error
        return self

    def __exit__(self, *_):
        pass
