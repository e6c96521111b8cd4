"""Runs a test of a suite by stock mpirun: without the plugin, or with it on a synthetic layout."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

_HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(_HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "plugin"))

import collective_table  # noqa: E402
import job  # noqa: E402

ONE_NODE = "one-node"
ENGINES = ("auto", "tree", "levels", "ring", "rails", "node")
_SECONDS_TO_END = 10
# The plugin's output under coll_strata_verbose, and the part that names the engine.
_SAID = re.compile(r"^\[.*\] coll:strata: .*\n?", re.MULTILINE)
_SERVED = re.compile(r"coll:strata: .* ranks: (tree|levels|ring|rails|node)[ ,]")


class Stopped(Exception):
    """No run is to be started any more."""


class Ended:
    """The results of a run: its exit status (None: stopped, because it did not end), output and folder."""

    def __init__(self, status, output, folder):
        self.status = status
        self.output = output
        self.folder = folder


def layout_parameters(folder, name, ranks):
    """Returns the MCA parameters of the layout `name` (tests/mpi/layouts.cmake, written to `folder` by the build). A
    job with more ranks than places reuses the places from the first one."""
    if name == ONE_NODE:
        return {}
    with open(os.path.join(folder, f"{name}.conf"), encoding="utf-8") as file:
        parameters = dict(re.findall(r"^(\w+) = (.*)$", file.read(), re.MULTILINE))
    places = parameters["coll_strata_placement"].split(";")
    repeated = [places[rank % len(places)] for rank in range(max(ranks, len(places)))]
    return parameters | {"coll_strata_placement": ";".join(repeated)}


class Runner:
    """`build`: a build folder with tests; `plugin`: the folder of the plugin, if not that of the build;
    `work`: where the tests run and their logs stay."""

    def __init__(self, build, work, plugin=None, mpirun=None, limit=None):
        self.mpirun = mpirun or shutil.which("mpirun.openmpi") or "mpirun"
        self.plugin = os.path.abspath(plugin or os.path.join(build, "plugin"))
        self.layouts = os.path.join(build, "tests", "mpi", "layouts")
        self.work = os.path.abspath(work)
        self.limit = limit
        self._processes = set()
        self._lock = threading.Lock()
        self._stopped = False

    def stop(self):
        """Ends all runs; further ones raise Stopped."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.send_signal(signal.SIGTERM)

    def missing(self, layouts):
        """Files that have not been built."""
        wanted = [os.path.join(self.plugin, "mca_coll_strata.so")]
        wanted += [os.path.join(self.layouts, f"{name}.conf") for name in layouts if name != ONE_NODE]
        return [path for path in wanted if not os.path.exists(path)]

    def parameters(self, layout, engine, ranks):
        """Returns the MCA parameters of a run; `engine` None: without the plugin. Point-to-point is the same both
        ways. More ranks than cores: a waiting rank must yield to the others."""
        result = {"pml": "ob1", "btl": "self,vader", "mpi_yield_when_idle": "1"}
        if engine:
            result |= layout_parameters(self.layouts, layout, ranks) | {"coll_strata_verbose": "1"}
            if engine != "auto":
                # For collectives that the engine lacks, the plugin chooses.
                result |= {f"coll_strata_{name}_algorithm": engine for name in collective_table.of_engine(engine)}
        return result

    def run(self, test, layout, engine):
        """Returns (verdict, whether `engine` served a collective; auto: any engine of the plugin). None: without the
        plugin."""
        ranks = test.ranks_on(layout)
        environment = job.environment({}, self.parameters(layout, engine, ranks), self.plugin)
        if not engine:
            del environment["OMPI_MCA_opal_mca_base_component_path"]
        command = [self.mpirun, "--oversubscribe", "-n", str(ranks), *test.command]
        folder = tempfile.mkdtemp(dir=self.work, prefix="run-")
        try:
            for path in test.files:
                shutil.copy(path, folder)
            limit = self.limit or test.limit
            status, text = self._output(command, environment | dict(test.environment), folder, limit)
            ended = Ended(status, _SAID.sub("", text), folder)
            verdict = f"hang (no end after {limit} s)" if status is None else test.judge(ended)
            self._log(test, layout, engine, command, verdict, text)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        served = set(_SERVED.findall(text))
        return verdict, bool(served if engine == "auto" else served & {engine})

    def _output(self, command, environment, folder, limit):
        """Returns (exit status or None, output). mpirun ends its ranks on a signal to stop."""
        with tempfile.TemporaryFile() as output:
            with self._lock:
                if self._stopped:
                    raise Stopped
                process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                           stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
                self._processes.add(process)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
                _stop(process)
            finally:
                with self._lock:
                    self._processes.discard(process)
            if self._stopped:
                raise Stopped
            output.seek(0)
            return status, output.read().decode(errors="replace")

    def forget_logs(self, suite):
        """Removes logs of an earlier call."""
        shutil.rmtree(os.path.join(self.work, "logs", suite), ignore_errors=True)

    def _log(self, test, layout, engine, command, verdict, text):
        folder = os.path.join(self.work, "logs", test.suite, f"{layout}-{engine}" if engine else "without")
        os.makedirs(folder, exist_ok=True)
        name = re.sub(r"[^\w.-]+", "_", test.name)
        with open(os.path.join(folder, f"{name}.txt"), "a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{text}\n=== {verdict}\n\n")


def _stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
