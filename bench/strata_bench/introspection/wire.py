"""Sessions between nodes compared with the counters of the nodes' NICs.

A NIC counts packets with all headers. TCP packets have the same headers whether they carry data or only an
acknowledgement, so the NIC's bytes less the headers of all packets are the data, without acknowledgements.
(After a loss, a packet with selective acknowledgements has a few bytes more.) The excess over the session's
bytes is then Open MPI's own headers and answers, and TCP's retransmissions: a run with too many of these is
repeated.
"""

import dataclasses
import os

from ..measuring import competitors, place, series, units
from ..measuring.files import read_json

TOLERANCE = 0.02  # of the session's bytes
_ATTEMPTS = 3  # tries until few packets are sent twice
_SECONDS = 100  # seconds of a run
_KIB = 1 << 10


@dataclasses.dataclass(frozen=True)
class Pattern:
    name: str
    bytes: int  # of a message, or of a rank's chunk
    contenders: tuple = ("tuned",)  # name of the component

    def title(self):
        return f"{self.name}, {units.size_text(self.bytes)}"


_BOTH = ("tuned", "strata")
PATTERNS = (Pattern("shift", 256 * _KIB), Pattern("shift", 4096 * _KIB), Pattern("random", 4096 * _KIB),
            Pattern("bcast", 4096 * _KIB, _BOTH), Pattern("reduce", 4096 * _KIB, _BOTH),
            Pattern("allgather", 256 * _KIB, _BOTH), Pattern("alltoall", 256 * _KIB))


def monitored(competitor):
    """Returns the competitor with Open MPI's monitoring added to ob1, the only layer in the cluster's settings."""
    return competitors.with_parameters(competitor, {"pml": "ob1,monitoring", "pml_monitoring_enable": "1"})


@dataclasses.dataclass(frozen=True)
class Traffic:
    """Traffic of one node with other nodes: bytes by the session, and data by its NIC."""

    sent: int
    received: int
    nic_sent: int
    nic_received: int
    raw_sent: int  # by the NIC, with headers and acknowledgements

    def complaint(self, tolerance=TOLERANCE):
        """Returns the mismatch, or "". A direction without data carries the answers to the other one."""
        for what, session, other, nic in (("sent", self.sent, self.received, self.nic_sent),
                                           ("received", self.received, self.sent, self.nic_received)):
            if abs(nic - session) > tolerance * (session or other):
                return f"its NIC {what} {nic} bytes of data, by the session {session}"
        return ""


@dataclasses.dataclass(frozen=True)
class Run:
    pattern: Pattern
    by: str  # competitor, and the plugin's engines
    nodes: tuple = ()  # of Traffic
    messages: int = 0  # between nodes
    resent: int = 0  # packets that TCP sent twice
    failure: str = ""  # why it did not run

    def total(self, field):
        return sum(getattr(node, field) for node in self.nodes)

    def excess(self, field="nic_sent"):
        """Returns the share by which the NICs' bytes exceed the session's."""
        return self.total(field) / self.total("sent") - 1

    def worst(self):
        """Returns the greatest such share of a node that sends."""
        return max((node.nic_sent / node.sent - 1 for node in self.nodes if node.sent), key=abs, default=0)

    def complaint(self):
        if self.failure:
            return self.failure
        if not self.total("sent"):
            return "the session saw nothing between nodes"
        wrong = [f"n{number}: {text}" for number, node in enumerate(self.nodes) if (text := node.complaint())]
        sent_twice = f"; {self.resent} packets were sent twice" if wrong and self.resent else ""
        return "; ".join(wrong) + sent_twice


def understand(record, pattern, by):
    """Makes a Run from wire_patterns's output."""
    node_of, matrix, header = record["node_of"], record["matrix"], record["header_bytes"]
    ranks, count = len(node_of), max(node_of) + 1
    sent, received, messages = [0] * count, [0] * count, 0
    for sender in range(ranks):
        for receiver in range(ranks):
            if node_of[sender] != node_of[receiver]:
                sent[node_of[sender]] += matrix[sender * ranks + receiver]
                received[node_of[receiver]] += matrix[sender * ranks + receiver]
                messages += record["messages"][sender * ranks + receiver]
    nics = [[0] * 5 for _ in range(count)]
    for rank in range(ranks):  # all but one rank of a node have zeros
        nics[node_of[rank]] = [one + more for one, more in zip(nics[node_of[rank]], record["nics"][5 * rank:5 * rank + 5])]
    nodes = tuple(Traffic(sent[node], received[node], out - header * out_packets, back - header * back_packets, out)
                  for node, (out, out_packets, back, back_packets, _) in enumerate(nics))
    return Run(pattern, by, nodes, messages, sum(nic[4] for nic in nics))


class Measurement:
    def __init__(self, cluster, built, folder, calls):
        self._cluster = cluster
        self._built = built
        self._folder = folder
        self._calls = calls
        self.runs = []

    def run(self, progress, patterns=PATTERNS):
        plugin = competitors.strata(self._built.plugin_folder, place.network(self._cluster, self._folder))
        by_name = {"tuned": competitors.tuned(), "strata": competitors.explaining(plugin)}
        cases = [(pattern, by_name[name]) for pattern in patterns for name in pattern.contenders]
        for number, (pattern, one) in enumerate(cases):
            progress.show(f"wire: {pattern.title()}, {one.name}", share=number / len(cases))
            for _ in range(_ATTEMPTS):
                run = self._once(pattern, one)
                if run.failure or not (run.resent and run.complaint()):
                    break
            self.runs.append(run)

    def _once(self, pattern, competitor):
        log = os.path.join(self._folder, "logs", f"wire-{pattern.name}-{pattern.bytes}-{competitor.name}")
        command = [self._built.tool(os.path.join("bench", "wire_patterns")), "--pattern", pattern.name, "--bytes",
                   str(pattern.bytes), "--calls", str(self._calls), "--json", log + ".json"]
        done = self._cluster.run(["--order", "block"], monitored(competitor), command, log, _SECONDS)
        if failure := done.failure():
            return Run(pattern, competitor.name, failure=failure)
        by = competitor.name
        if competitor.is_plugin:
            plans = series.plans_in(done.errors, pattern.name, may_step_aside=True)
            if not plans:
                return Run(pattern, by, failure=f"the plugin made no plan: it was not used\n{done.complaint()}")
            by += ": " + ", ".join(sorted({engine for engine, _ in plans.values()}))
        return understand(read_json(log + ".json"), pattern, by)


def table(runs, paint):
    lines = [paint("Traffic between nodes by a session, compared with the nodes' NICs", "bold"),
             f"  {'pattern':20}{'by':16}{'messages':>9}{'session':>13}{'NICs: data':>13}{'more':>8}{'worst node':>12}"
             f"{'all bytes':>11}{'sent twice':>12}"]
    for run in runs:
        start = f"  {run.pattern.title():20}{run.by:16}"
        if run.failure:
            lines.append(start + "failed")
        elif not run.total("sent"):
            lines.append(start + paint("nothing", "red"))
        else:
            row = (f"{run.messages:9}{run.total('sent'):13}{run.total('nic_sent'):13}{run.excess():8.2%}{run.worst():12.2%}"
                   f"{run.excess('raw_sent'):11.2%}{run.resent:12}")
            lines.append(start + (paint(row, "red") if run.complaint() else row))
    return lines + [
        "Bytes. Data: sent by the NICs less the headers of all packets, so without acknowledgements. More: excess over the",
        "session's bytes, of all nodes and of the worst one. All bytes: with headers and acknowledgements. Sent twice:",
        "packets, by TCP; the session counts them once."]


def verdict(runs):
    good = [run for run in runs if not run.failure and run.total("sent")]
    if not good:
        return []
    worst = max(abs(run.worst()) for run in good)
    state = "within" if worst <= TOLERANCE else "MORE THAN"
    return [f"Every node's NIC and the session agree to {worst:.2%}: {state} the {TOLERANCE:.0%} allowed.",
            "Paper, section 6.1: the monitoring sees precisely what is actually sent to the network."]
