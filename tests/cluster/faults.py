"""Jobs with a fault: its kind, its victim, and the engine."""
import contextlib
import dataclasses
import re
import shutil
import tempfile
from dataclasses import dataclass

from endings import REFERENCE, judge_files
from links import LinkChanger

import collective_table

# Eight ranks; the plugin is given two NICs, for the rails, and packages, for levels inside nodes. Place of each
# local rank: on the emulated nodes, or on one node that stands in for four.
SLOTS = (2, 1, 3, 2)
ON_NODES, ON_ONE = "4;8;0", "4@n0;8@n0;4@n1;0@n2;4@n2;8@n2;5@n3;9@n3"
# The plugin serves short calls from the first one on.
MACHINE = {"coll_strata_topology": "synthetic:package:2 numa:2 core:4", "coll_strata_nic": "ib0@numa:1,ib1@numa:2",
           "coll_strata_network": "hosts:n[0-1]=top.site0;n[2-3]=top.site1", "coll_strata_setup_after": "0"}
ENGINES = ("tree", "ring", "rails", "levels", "auto")
# The option that makes mpirun leave the other ranks alone when one dies, by release.
RECOVERY = {4: ("--enable-recovery",), 5: ("--runtime-options", "recoverable")}
# mpirun 4.1 itself can crash when it writes a rank's warning, here about a connection to the dead rank.
MPIRUN_CRASHED = re.compile(r"libopen-rte\.so\S*\(pmix_server_log_fn\+")
ATTEMPTS = 3
# With so few repetitions the kernel gives up a silent connection after some three seconds, not after fifteen
# minutes.
IMPATIENCE = 3


@dataclass(frozen=True)
class Fault:
    """`link`: the fault of the cable of the victim's node, and its seconds (None: lasting). `outlived`: the other
    ranks must go on, which depends on mpirun, and then on MPI. `patience`: seconds after the fault after which a job
    counts as hanging, for faults that can hang a job even without the plugin; 0: it always ends."""
    kind: str = "none"  # of the program's --fault
    when: str = "inside"
    at: int = 6
    errors: str = "fatal"
    bytes: int = 1 << 20
    seconds: float = 2
    link: str = None
    outlived: bool = False
    patience: float = 0
    limit: float = 20
    each: float = 0  # more of the limit for each collective of the job

    @property
    def survivable(self):
        return self.kind in ("none", "stop") or (self.kind == "outside" and self.seconds is not None)


FAULTS = {
    "kill before": Fault("kill", "before", errors="return"),
    "kill inside": Fault("kill"),
    "kill inside, returned": Fault("kill", errors="return"),
    "kill inside, short": Fault("kill", bytes=2048, errors="return"),
    "kill in the agreement": Fault("kill", "message", at=0, errors="return"),
    "kill after": Fault("kill", "after"),
    "exit before": Fault("exit", "before"),
    "exit inside": Fault("exit", errors="return"),
    "exit after": Fault("exit", "after", bytes=2048),
    "abort before": Fault("abort", "before"),
    "abort after": Fault("abort", "after", errors="return"),
    "kill inside, others stay": Fault("kill", errors="return", outlived=True, limit=8, patience=3, bytes=1 << 16),
    "stop": Fault("stop", limit=20, each=10),
    "stop in the agreement": Fault("stop", "message", at=0, bytes=2048, limit=20, each=10),
    "cut": Fault("outside", link="cut", limit=20, each=15),
    "lossy": Fault("outside", link="lossy", limit=20, each=15),
    # Open MPI 4.1 reports connections that have timed out, and keeps waiting.
    "cut for good": Fault("outside", link="cut", seconds=None, errors="return", limit=20, patience=10),
}


def operations_of(engine, operations):
    return tuple(operation for operation in operations if operation in collective_table.of_engine(engine))


def parameters_of(engine, operations, nodes=len(SLOTS)):
    """`nodes`: number of emulated nodes."""
    if engine == REFERENCE:
        return {"coll": "^strata"}
    asked = {} if engine == "auto" else {f"coll_strata_{operation}_algorithm": engine for operation in operations}
    # In an Allreduce only a topmost level with more than two parts can be a ring.
    network = {"coll_strata_network": "none"} if engine == "ring" else {}
    return MACHINE | asked | network | {"coll_strata_placement": ON_NODES if nodes > 1 else ON_ONE}


@dataclass(frozen=True)
class Job:
    """A job with a fault in each of the operations, one after the other."""
    fault: Fault
    operations: tuple
    engine: str
    victim: int = 0
    root: int = 0
    arguments: tuple = ()  # further options of the program
    parameters: dict = None  # parameters besides those of the engine
    changer: type = LinkChanger
    recovery: bool = True  # false: mpirun does not know that the others must go on
    ranks: int = sum(SLOTS)

    def words(self, folder):
        fault = self.fault
        return ["--folder", folder, "--collective", ",".join(self.operations), "--bytes", fault.bytes,
                "--root", self.root, "--victim", self.victim, "--errors", fault.errors, "--fault", fault.kind,
                "--when", fault.when, "--at", fault.at, "--iterations", fault.at + 30,
                "--seconds", round(fault.seconds or 0), "--watchdog", 0,
                *(["--outlived"] if fault.outlived else []), *self.arguments]


def node_of(rank, slots):
    return next(node for node in range(len(slots)) if rank < sum(slots[:node + 1]))


def provoke(nodes, job):
    """Runs a job; if it hangs unexpectedly, or ran out of time, runs it once more with three times the limit: the
    machine may be busy. A job whose mpirun itself crashed is repeated too."""
    fault = job.fault
    with impatient(nodes) if fault.link and fault.seconds is None else contextlib.nullcontext():
        for _ in range(ATTEMPTS):
            seen = once(nodes, job)
            if not MPIRUN_CRASHED.search(seen.output):
                break
            print("mpirun itself crashed: once more")
        if seen.end == "no end" and (fault.survivable or not seen.struck or seen.seconds < fault.patience):
            longer = dataclasses.replace(fault, limit=3 * fault.limit, each=3 * fault.each)
            seen = once(nodes, dataclasses.replace(job, fault=longer))
    return seen


def once(nodes, job):
    fault, operations = job.fault, job.operations
    folder = tempfile.mkdtemp(dir=nodes.folder)
    changer = None
    if fault.link:
        changer = job.changer(nodes, fault, node_of(job.victim, nodes.slots), folder, operations)
        changer.start()
    parameters = job.parameters
    if parameters is None:
        parameters = parameters_of(job.engine, operations, len(nodes.slots))
    try:
        outcome = nodes.attempt("interrupted", job.words(folder), parameters,
                                timeout=fault.limit + fault.each * len(operations),
                                options=RECOVERY[nodes.release] if fault.outlived and job.recovery else ())
    finally:
        if changer:
            changer.end()
    seen = judge_files(folder, outcome, job, changer.complaints if changer else ())
    shutil.rmtree(folder, ignore_errors=True)
    return seen


@contextlib.contextmanager
def impatient(nodes):
    """Inside this context the kernel soon gives up unanswered connections."""
    def retries(count):
        for node in range(len(nodes.slots)):
            nodes.call("exec", f"n{node}", "--", "sh", "-c", f"echo {count} > /proc/sys/net/ipv4/tcp_retries2")
    retries(IMPATIENCE)
    try:
        yield
    finally:
        retries(15)
