"""Jobs with a fault in them: what is done to whom, with which engine, and how such a job ended."""
import contextlib
import os
import re
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass, field

from nodes import TIMED_OUT

# Eight ranks; the plugin is told of two cards, for the lanes, and of packages, for levels inside nodes.
SLOTS = (2, 1, 3, 2)
PLACEMENT = "4@n0;8@n0;4@n1;0@n2;4@n2;8@n2;5@n3;9@n3"
MACHINE = {"coll_strata_topology": "synthetic:package:2 numa:2 core:4", "coll_strata_placement": PLACEMENT,
           "coll_strata_nic": "ib0@numa:1,ib1@numa:2",
           "coll_strata_network": "hosts:n[0-1]=top.site0;n[2-3]=top.site1"}
ONLY = {"ring": ("allgather", "allgatherv", "allreduce"),
        "lanes": ("bcast", "allreduce", "allgather", "allgatherv")}
REFERENCE = "tuned"
ENGINES = ("tree", "ring", "lanes", "levels", "auto")
# With so few repetitions the kernel gives a silent connection up after some six seconds, not after fifteen minutes.
IMPATIENCE = 4


@dataclass(frozen=True)
class Fault:
    """`link`: what happens to the cable of the victim's node, and for how many seconds (None: for good)."""
    kind: str = "none"  # of the program's --fault
    when: str = "inside"
    at: int = 6
    errors: str = "fatal"
    bytes: int = 1 << 20
    seconds: float = 2
    link: str = None
    options: dict = field(default_factory=dict)  # MCA parameters
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
    "kill inside the first": Fault("kill", at=0, errors="return"),
    "kill after": Fault("kill", "after"),
    "exit before": Fault("exit", "before"),
    "exit inside": Fault("exit", errors="return"),
    "exit after": Fault("exit", "after", bytes=2048),
    "abort before": Fault("abort", "before"),
    "abort after": Fault("abort", "after", errors="return"),
    # mpirun leaves the others alone: what they do is up to MPI.
    "kill inside, others stay": Fault("kill", errors="return", options={"orte_enable_recovery": "1"}, limit=12,
                                      bytes=1 << 16),
    "stop": Fault("stop", limit=20, each=10),
    "stop the first": Fault("stop", at=0, bytes=2048, limit=20, each=10),
    "cut": Fault("outside", link="cut", limit=20, each=15),
    "lossy": Fault("outside", link="lossy", limit=20, each=15),
    "cut for good": Fault("outside", link="cut", seconds=None, errors="return", limit=40),
}


def operations_of(engine, operations):
    return [operation for operation in operations if operation in ONLY.get(engine, operations)]


def parameters_of(engine, operations):
    if engine == REFERENCE:
        return {"coll": "^strata"}
    asked = {} if engine == "auto" else {f"coll_strata_{operation}_algorithm": engine for operation in operations}
    # Of an Allreduce only the topmost level is a ring, and only where that has more than two parts.
    return MACHINE | asked | ({"coll_strata_network": "none"} if engine == "ring" else {})


@dataclass
class Seen:
    """How a job ended. seconds: from the fault to the end."""
    end: str  # "success", "ended" or "no end"
    seconds: float
    struck: int
    wrong: list
    errors: list
    output: str


def node_of(rank):
    return next(node for node in range(len(SLOTS)) if rank < sum(SLOTS[:node + 1]))


class LinkChanger(threading.Thread):
    """Waits until the program says that its calls are under way, then does to the link what is to be done."""

    def __init__(self, nodes, fault, victim, folder, operations):
        super().__init__()
        self.call = lambda how: nodes.call("link", f"n{node_of(victim)}", how)
        self.fault, self.folder, self.operations = fault, folder, operations
        self.over = threading.Event()

    def run(self):
        for operation in self.operations:
            ready = os.path.join(self.folder, f"ready.{operation}")
            while not os.path.exists(ready):
                if self.over.wait(0.02):
                    return
            self.call(self.fault.link)
            with open(os.path.join(self.folder, f"struck.{operation}"), "w", encoding="ascii"):
                pass
            if self.fault.seconds is None:
                self.over.wait()
                return
            self.over.wait(self.fault.seconds)
            self.call("whole")
            os.unlink(ready)


def provoke(nodes, engine, operations, fault, victim=0, root=0, arguments=()):
    """Runs one job with the fault in each of the operations, one after the other."""
    folder = tempfile.mkdtemp(dir=nodes.folder)
    words = ["--folder", folder, "--collective", ",".join(operations), "--bytes", fault.bytes, "--root", root,
             "--victim", victim, "--errors", fault.errors, "--fault", fault.kind, "--when", fault.when,
             "--at", fault.at, "--iterations", fault.at + 30, "--seconds", round(fault.seconds or 0),
             "--watchdog", 0, *arguments]
    changer = LinkChanger(nodes, fault, victim, folder, operations) if fault.link else None
    if changer:
        changer.start()
    try:
        outcome = nodes.attempt("interrupted", words,
                                parameters_of(engine, operations) | fault.options,
                                timeout=fault.limit + fault.each * len(operations))
    finally:
        if changer:
            changer.over.set()
            changer.join()
            nodes.call("link", f"n{node_of(victim)}", "whole")
    seen = judge_files(folder, outcome)
    shutil.rmtree(folder, ignore_errors=True)
    return seen


def judge_files(folder, outcome):
    now = time.time()
    names = sorted(os.listdir(folder))
    struck = [name for name in names if name.startswith("struck.")]
    since = min([os.stat(os.path.join(folder, name)).st_mtime for name in struck], default=now)
    if outcome.status == TIMED_OUT:
        end = "no end"
    else:
        end = "success" if outcome.status == 0 and "passed on" in outcome.output else "ended"
    return Seen(end, now - since, len(struck), [name for name in names if name.startswith("wrong.")],
                sorted({name.split(".")[2] for name in names if name.startswith("error.")}), outcome.output)


def deviations(fault, operations, seen, reference, slack=6):
    """What is not as it must be, or not as without the plugin; nothing where all is well."""
    found = []
    if seen.wrong or "WRONG" in seen.output:
        found.append("WRONG data: " + "; ".join(re.findall(r"interrupted: .*WRONG.*", seen.output) or seen.wrong))
    if fault.kind != "none" and seen.struck != (len(operations) if fault.survivable else 1):
        found.append(f"the fault struck {seen.struck} times")
    if fault.survivable and seen.end != "success":
        found.append("no end within the limit" if seen.end == "no end" else "did not survive")
    if reference and not fault.survivable:
        if seen.end == "success" or (seen.end == "no end" and reference.end != "no end"):
            found.append(f"{seen.end} within the limit, tuned: {reference.end}")
        elif seen.end == reference.end == "ended" and seen.seconds > reference.seconds + slack:
            found.append(f"ended {seen.seconds:.1f} s after the fault, tuned: {reference.seconds:.1f} s")
    return found


@contextlib.contextmanager
def impatient(nodes):
    """Within it the kernel gives up soon what nobody answers."""
    def retries(count):
        for node in range(len(nodes.slots)):
            nodes.call("exec", f"n{node}", "--", "sh", "-c", f"echo {count} > /proc/sys/net/ipv4/tcp_retries2")
    retries(IMPATIENCE)
    try:
        yield
    finally:
        retries(15)
