"""Slurm on an emulated cluster, for one test: Debian's slurmctld on n0 and a slurmd on every node, with all
their files in the test's folder. Nothing outlives the test, even one that is killed."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

from nodes import SKIPPED, Failure, Nodes, environment  # noqa: E402

from strata_bench.cluster import runner, state  # noqa: E402

PROGRAMS = ("slurmctld", "slurmd", "srun", "salloc", "sbatch", "scontrol", "sinfo")
SECONDS_TO_START = 30

# auth/none needs no munged. TmpFS: all nodes share one /tmp, and Slurm's PMIx plugin has a folder there.
CONFIGURATION = """\
ClusterName=strata
SlurmctldHost=n0
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
TopologyPlugin=topology/tree
SchedulerParameters=batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={nodes} CPUs={cpus}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin")


def require_slurm():
    missing = [program for program in PROGRAMS if find(program) is None]
    if missing:
        skip(f"no {missing[0]} here; Debian packages: slurmctld slurmd slurm-client")
    if os.geteuid() != 0:
        skip("Slurm's daemons need root: they call setgroups, which a user's own namespace forbids")


def slurm_release():
    """The year of this Slurm: of 22.05.8 it is 22."""
    said = subprocess.run([find("slurmctld"), "-V"], text=True, stdout=subprocess.PIPE, check=True).stdout
    return int(re.search(r"(\d+)\.\d+\.\d+", said)[1])


def when_gone(command, folder):
    """Makes `command` run and `folder` disappear at any end of this process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:  # no longer a child: a test's time limit kills all children
            os.close(writer)
            with open(os.devnull, "r+", encoding="utf-8") as null:
                for descriptor in (0, 1, 2):
                    os.dup2(null.fileno(), descriptor)
            os.read(reader, 1)
            with contextlib.suppress(OSError):
                subprocess.run(command, check=False)
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)
    os.close(reader)
    os.waitpid(child, 0)


def read_network(reader, *words):
    """Runs the program of that name; returns its exit status and output."""
    done = subprocess.run([reader, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.returncode, done.stdout


class SlurmNodes(Nodes):
    """`with SlurmNodes(paths) as nodes:` is an emulated cluster that runs Slurm: four nodes at two sites, two
    processors each. `topology`: the text of topology.conf, if not the cluster's own. Without `daemons`
    nothing of Slurm runs yet."""

    def __init__(self, paths, topology=None, daemons=True):
        super().__init__(paths, slots=(2, 2, 2, 2))
        self.given_topology = topology
        self.with_daemons = daemons
        self.daemons = []

    def __enter__(self):
        require_slurm()
        super().__enter__()
        try:
            if self.given_topology is not None:
                self.write_topology(self.given_topology)
            self._write_configuration()
            if self.with_daemons:
                self._start("n0", "slurmctld", "-D")
                for name in self.names:
                    self._start(name, "slurmd", "-D", "-N", name)
                self._wait_for_nodes()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in self.daemons:
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()
        self.daemons = []
        super().__exit__()

    def call(self, action, *arguments, check=True):
        if action == "up":
            when_gone([self.paths["cluster"], "down", "--state", self.state_folder], self.folder)
        return super().call(action, *arguments, check=check)

    @property
    def state_folder(self):
        return os.path.join(self.folder, "state")

    @property
    def slurm_folder(self):
        return os.path.join(self.folder, "slurm")

    @property
    def network_file(self):
        """Returns the folder where Slurm looks for it: beside slurm.conf."""
        os.makedirs(self.slurm_folder, exist_ok=True)
        return os.path.join(self.slurm_folder, "topology.conf")

    @property
    def names(self):
        return [f"n{node}" for node in range(len(self.slots))]

    def write_topology(self, text):
        with open(self.network_file, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def _write_configuration(self):
        for name in ("state", *(f"tmp.{node}" for node in self.names)):
            os.makedirs(os.path.join(self.slurm_folder, name))
        with open(os.path.join(self.slurm_folder, "slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=self.slurm_folder, cpus=max(self.slots),
                                            nodes=f"n[0-{len(self.slots) - 1}]"))

    def environment(self, parameters=None):
        """Returns the environment of every process here: the plugin, mpirun's settings for this cluster,
        `parameters` (without OMPI_MCA_), and no variables of a Slurm around the test."""
        own = {name: value for name, value in environment(self.paths, {}).items()
               if not name.startswith(("SLURM", "SALLOC_", "SBATCH_", "SRUN_"))}
        own |= runner.mpirun_environment(state.State(self.state_folder), self.release)
        own |= {f"OMPI_MCA_{name}": value for name, value in (parameters or {}).items()}
        own["SLURM_CONF"] = os.path.join(self.slurm_folder, "slurm.conf")
        # Slurm 22.05's PMIx fence as a tree releases some processes too early: even without the plugin one job in
        # twenty of `srun --mpi=pmix` dies in MPI_Init, from a message that it is not ready for.
        own["SLURM_PMIX_FENCE"] = "ring"
        own["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        return own

    def _command(self, node, words, timeout=None):
        limit = ["--timeout", str(timeout)] if timeout else []
        return [self.paths["cluster"], "exec", "--state", self.state_folder, *limit, node, "--", *words]

    def _start(self, node, *words):
        with open(os.path.join(self.slurm_folder, f"{words[0]}.{node}.out"), "w", encoding="utf-8") as out:
            self.daemons.append(subprocess.Popen(self._command(node, words), env=self.environment(),
                                                 stdin=subprocess.DEVNULL, stdout=out,
                                                 stderr=subprocess.STDOUT))

    def execute(self, *words, parameters=None, timeout=40, node="n0"):
        """Runs a command on a node; its exit status and output."""
        done = subprocess.run(self._command(node, words, timeout), env=self.environment(parameters),
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, errors="replace")
        return done.returncode, done.stdout

    def must(self, *words, **options):
        """As execute(), for a command that must work; its output."""
        status, output = self.execute(*words, **options)
        if status != 0:
            raise Failure(f"{' '.join(words)} ended with {status}:\n{output}\n{self.logs()}")
        return output

    def _wait_for_nodes(self):
        """Until Slurm could start a job on every node."""
        deadline = time.monotonic() + SECONDS_TO_START
        while True:
            _, output = self.execute("sinfo", "--noheader", "--Node", "--format=%N %T")
            if output.split() == [word for name in self.names for word in (name, "idle")]:
                return
            if time.monotonic() > deadline:
                raise Failure(f"Slurm has not started after {SECONDS_TO_START} s:\n{output}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        """The ends of the daemons' logs."""
        texts = []
        for name in sorted(os.listdir(self.slurm_folder)):
            if name.endswith((".log", ".out")):
                with open(os.path.join(self.slurm_folder, name), encoding="utf-8", errors="replace") as file:
                    texts.append(f"--- {name}\n" + "".join(file.readlines()[-8:]))
        return "\n".join(texts)
