"""Shared by the scripts of this folder: runs mpirun with the plugin and checks the outcome."""
import json
import os
import re
import subprocess
import sys
import time

SKIPPED = 77
SYSTEM_FOLDERS = "SYSTEM_DEFAULT:USER_DEFAULT"
ON_DEMAND = {"pmix_base_collect_data": "0", "pmix_base_async_modex": "1"}
ON_SOME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "on_some.sh")

# Messages for users, each with a unique piece of its text.
MESSAGES = {
    "release": "is built for Open MPI",
    "missing": "is not loaded by the processes on node",
    "switched_off": "is switched off on node",
    "version": "is of another version than on node",
    "settings": "has other parameters or files than node",
    "bad_parameters": "does not understand these parameters",
    "bad_info_keys": "does not understand these info keys",
    "info_keys": "have given different info keys",
    "contradiction": "contradict each other: the same switch",
    "network": "coll_strata_network does not name",
    "nics": "coll_strata_nic has no effect on node",
    "methods": "cannot use these requested level algorithms on",
    "unable": "cannot serve",
    "plans": "has computed other plans",
    "different_plans": "have computed different plans",
    "obstacle": "cannot find out in time whether",
}


class Failure(Exception):
    """A failed check of a test."""


class Paths(dict):
    """Files and folders of this build, as CMake wrote them."""

    def __init__(self, file):
        with open(file, encoding="utf-8") as opened:
            super().__init__(json.load(opened))

    def folder(self, plugin="plugin"):
        return os.path.dirname(self[plugin])


def component_path(folder):
    return f"OMPI_MCA_opal_mca_base_component_path={folder}:{SYSTEM_FOLDERS}"


def environment(paths, parameters, folder=None):
    """Returns the caller's environment without its MCA parameters, with the plugin and `parameters` (without
    OMPI_MCA_)."""
    foreign = ("OMPI_MCA_", "PMIX_MCA_")
    result = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    result |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    result["OMPI_MCA_odls_base_sigkill_timeout"] = "0"  # after SIGTERM mpirun would sleep for a second
    result["OMPI_MCA_opal_mca_base_component_path"] = f"{folder or paths.folder()}:{SYSTEM_FOLDERS}"
    result |= {f"OMPI_MCA_{name}": value for name, value in parameters.items()}
    return result


def synthetic(nodes, ranks_per_node):
    """Returns the parameters of a synthetic cluster: ranks in block order, on cores of two packages."""
    cores = [0, 1, 8, 9, 4, 5, 12, 13]
    places = [f"{cores[i]}@p{node}" for node in range(nodes) for i in range(ranks_per_node)]
    return {"coll_strata_topology": "synthetic:package:2 numa:2 core:4",
            "coll_strata_placement": ";".join(places)}


class Outcome:
    """Exit status and output of a job, and the values that `probe` printed."""

    def __init__(self, status, output):
        self.status = status
        self.output = output
        # mpirun forwards standard output in pieces: look everywhere, not at line starts only.
        self.pvars = {name: int(value) for name, value in re.findall(r"pvar coll_strata_(\w+) (\d+)", output)}
        self.nodes = {int(rank): name for rank, name in re.findall(r"node (\d+) (\S+)", output)}
        started = re.search(r"start (\d+)", output)
        self.start_ms = int(started.group(1)) if started else None
        with_plugin = re.search(r"plugin (\d+)", output)
        self.with_plugin = int(with_plugin.group(1)) if with_plugin else None

    def pvar(self, name):
        return self.pvars.get(name, 0)

    def pvar_sum(self, prefix):
        return sum(value for name, value in self.pvars.items() if name.startswith(prefix))

    def expect(self, condition, what):
        if not condition:
            raise Failure(what)

    def expect_messages(self, **wanted):
        """Checks the number of messages of each kind, and that unnamed kinds do not occur."""
        for kind, text in MESSAGES.items():
            count = self.output.count(text)
            self.expect(count == wanted.get(kind, 0),
                        f"messages of kind {kind}: {count}, expected {wanted.get(kind, 0)}")

    def expect_success(self):
        self.expect(self.status == 0, f"exit status {self.status}")
        for warning in ("ORTE_ERROR_LOG", "was unable to open", "undefined symbol", "Segmentation"):
            self.expect(warning not in self.output, f"the output has '{warning}'")


def run(paths, ranks, program, arguments=(), parameters=None, some=None, timeout=60, folder=None, options=(),
        wrapper=()):
    """Runs a program of this build on one machine. `some`: a selection and variables for on_some.sh; `options`:
    options of mpirun; `wrapper`: a command that becomes the program."""
    command = [paths["mpirun"], "--oversubscribe", *options, "-n", str(ranks)]
    if some:
        command += [ON_SOME, *some, "--"]
    command += [*wrapper, paths[program], *arguments]
    # Most tests count passed-through calls; handed_back.py tests the default.
    # Open MPI would choose this here; setting it saves loading libfabric in every rank.
    settings = {"pml": "ob1", "btl": "self,vader", "mpi_yield_when_idle": "1",
                "coll_strata_hand_back": "0"} | (parameters or {})
    try:
        done = subprocess.run(command, env=environment(paths, settings, folder), timeout=timeout, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, errors="replace")
    except subprocess.TimeoutExpired as error:
        raise Failure(f"no end after {timeout} s: {' '.join(command)}\n{error.output or ''}") from None
    return Outcome(done.returncode, done.stdout)


# The limit of docs/user-guide/limits.md; the load of the machine may hide as much again in starts without the plugin.
MOST_EXTRA_MS = 1000
_QUIET_MS, _ALIKE_MS = 1000, 250
_MOST_STARTS, _MOST_SECONDS = 6, 50
_ONE_LATE = ["sh", "-c", 'if [ "$OMPI_COMM_WORLD_RANK" = 3 ]; then sleep 3; fi; exec "$@"', "sh"]


def late_start():
    """Returns a `wrapper` that makes one rank sleep before it starts."""
    return list(_ONE_LATE)


def expect_quick_start(ours, plain):
    """Alternates jobs with and without the plugin, by functions that run one and return its Outcome, and compares
    the shortest starts: other load only adds time. Returns whether the comparison is possible; a start without the
    plugin counts as undisturbed if it takes less than a second, or as long as another one."""
    begin = time.monotonic()
    own, stock = [], []
    while True:
        own.append(ours().start_ms)
        stock.append(plain().start_ms)
        stock.sort()
        extra = min(own) - stock[0]
        undisturbed = stock[0] < _QUIET_MS or (len(stock) > 2 and stock[1] - stock[0] < _ALIKE_MS)
        over = len(own) == _MOST_STARTS or time.monotonic() - begin > _MOST_SECONDS
        if undisturbed and (extra < MOST_EXTRA_MS or over or len(own) == 3):
            break
        if over:
            print(f"skipped: the machine is too busy to time a start: {stock} ms without the plugin")
            return False
    print(f"start-up in ms: {own} with the plugin, {stock} without")
    if extra >= MOST_EXTRA_MS:
        raise Failure(f"start-up takes {extra} ms longer with the plugin")
    return True


def require_component(paths, component):
    """`component`: as ompi_info lists it, "pml: ucx". Ends the test if this Open MPI lacks it."""
    listed = subprocess.run([paths["ompi_info"]], text=True, stdout=subprocess.PIPE, check=True).stdout
    if f"MCA {component} " not in listed:
        print(f"skipped: this Open MPI has no component {component}")
        sys.exit(SKIPPED)


def conclude(test):
    """Runs a test function and ends the script with its result."""
    try:
        test()
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
    print("passed")


def check(outcome, test):
    """Runs `test(outcome)`; prints the job's output first when it fails."""
    try:
        test(outcome)
    except Failure:
        print(outcome.output)
        raise
    return outcome
