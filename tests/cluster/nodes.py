"""An emulated cluster for one test: created at the beginning, removed at the end, also after failures."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "plugin"), os.path.join(HERE, "..", "..", "bench")]

from strata_bench.cluster.support import release_of  # noqa: E402
from job import ON_SOME, SKIPPED, Failure, Outcome, environment  # noqa: E402

TIMED_OUT = 124  # of `cluster run`


class Nodes:
    """`with Nodes(paths, slots=[2, 3]) as nodes:` is a cluster of that many nodes; its links are not limited,
    as these tests count and do not time."""

    def __init__(self, paths, slots=(4, 4, 4, 4), sites=2, options=()):
        """`options`: further options of `cluster up`."""
        self.paths = paths
        self.slots = list(slots)
        self.sites = sites
        self.options = options
        self.folder = None

    def __enter__(self):
        support = subprocess.run([self.paths["cluster"], "check-support"], text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, check=False)
        if support.returncode == SKIPPED:
            print(f"skipped: {support.stdout.strip()}")
            sys.exit(SKIPPED)
        self.folder = tempfile.mkdtemp(prefix="strata-test-")
        try:
            self.call("up", "--nodes", len(self.slots), "--sites", self.sites, "--slots",
                      ",".join(map(str, self.slots)), "--nic", "none", "--uplink", "none", *self.options)
            self.call("topology", "--file", self.network_file)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.call("down", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def network_file(self):
        return os.path.join(self.folder, "topology.conf")

    @property
    def ranks(self):
        return sum(self.slots)

    def call(self, action, *arguments, check=True):
        command = [self.paths["cluster"], action, "--state", os.path.join(self.folder, "state")]
        done = subprocess.run([*command, *map(str, arguments)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if check and done.returncode != 0:
            raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def run(self, program, arguments=(), parameters=None, order="block", some=None, timeout=45, options=(), wrapper=()):
        """As job.run(), on all slots of the cluster. Passes parameters by --mca, like a user."""
        outcome = self.attempt(program, arguments, parameters, order, some, timeout, options, wrapper)
        if outcome.status == TIMED_OUT:
            raise Failure(f"no end after {timeout} s: {program} {' '.join(map(str, arguments))}\n{outcome.output}")
        return outcome

    @property
    def release(self):
        """Returns Open MPI's major version: 4 or 5."""
        return release_of(self.paths["mpirun"])

    def attempt(self, program, arguments=(), parameters=None, order="block", some=None, timeout=45, options=(),
                wrapper=()):
        """As run(), but a hang is an outcome too: the status is TIMED_OUT. `options`: options of mpirun."""
        command = [self.paths["cluster"], "run", "--state", os.path.join(self.folder, "state"),
                   "--order", order, "--np", str(self.ranks), "--timeout", str(timeout), "--"]
        # Other nodes have only their daemon's environment; mpirun forwards the options that it was given.
        command += [*options, "-x", "OMPI_MCA_opal_mca_base_component_path"]
        # Tests count calls that are passed through.
        for name, value in ({"pml": "ob1", "coll_strata_hand_back": "0"} | (parameters or {})).items():
            command += ["--mca", name, value]
        if some:
            command += [ON_SOME, *some, "--"]
        command += [*wrapper, self.paths[program], *map(str, arguments)]
        done = subprocess.run(command, env=environment(self.paths, {}), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, errors="replace")
        return Outcome(done.returncode, done.stdout)
