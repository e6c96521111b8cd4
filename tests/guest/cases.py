"""The booted machines, and the expected findings on each."""
import dataclasses
import json
import re
import typing

RANKS = 8


class Failure(Exception):
    """A failed check of a test."""


@dataclasses.dataclass(frozen=True)
class Nic:
    """A NIC behind a NUMA node; None: firmware does not report its place. Only a NIC in use has an address."""

    node: typing.Optional[int]
    in_use: bool = True


@dataclasses.dataclass(frozen=True)
class Case:
    """`near`: the NUMA nodes of the NICs in use, as far as they are known. `mapping`: how mpirun places
    ranks."""

    title: str
    nics: tuple
    near: frozenset
    mapping: str = "core"

    def macs(self):
        return [f"52:54:00:00:00:{number:02x}" for number in range(1, len(self.nics) + 1)]


CASES = {
    "near": Case("one NIC, behind NUMA node 1", (Nic(1),), frozenset({1})),
    "moved": Case("the NIC in use behind NUMA node 3, one without an address behind node 1",
                  (Nic(1, in_use=False), Nic(3)), frozenset({3}), mapping="socket"),
    "two": Case("two NICs, behind NUMA nodes 1 and 2", (Nic(1), Nic(2)), frozenset({1, 2})),
    "unknown": Case("one NIC, whose place firmware does not report", (Nic(None),), frozenset()),
}


class Report:
    """The guest's report: sections between lines "=== NAME"."""

    def __init__(self, text):
        text = text.replace("\r", "")
        found = re.findall(r"^=== (\w+)\n(.*?)(?=^=== |\Z)", text, re.MULTILINE | re.DOTALL)
        self.sections = {name: body for name, body in found}
        if "end" not in self.sections:
            last = found[-1][0] if found else "the beginning"
            raise Failure(f"the guest's report ends at: {last}")

    def lines(self, section):
        return [line.split() for line in self.sections[section].splitlines()]

    def nics(self):
        """Returns MAC address -> (NUMA node or None, in use), from the kernel."""
        return {mac: (int(node) if int(node) >= 0 else None, use == "addressed")
                for mac, _, _, node, use in self.lines("nics")}

    def interfaces(self):
        return [f"{interface} ({pci}) numa_node {node}" for _, pci, interface, node, _ in self.lines("nics")]

    def node_of_rank(self):
        """Returns rank -> the only NUMA node on whose processors the kernel runs it."""
        nodes = {int(node): _numbers(cpus) for node, cpus in self.lines("nodes")}
        result = {}
        for word, *values in self.lines("run"):
            if word != "rank":
                continue
            cpus = _numbers(values[1])
            own = [node for node, of_node in nodes.items() if cpus & of_node]
            if len(own) != 1:
                raise Failure(f"rank {values[0]} runs on CPUs {values[1]}: NUMA nodes {own}, expected one")
            result[int(values[0])] = own[0]
        return result

    def nic_leaders(self):
        found = [values for word, *values in self.lines("run") if word == "nic_leaders"]
        if len(found) != 1:
            raise Failure(f"lines 'nic_leaders': {len(found)}, expected 1")
        return [int(rank) for rank in found[0]]

    def hierarchy(self):
        try:
            return json.loads(self.sections["hierarchy"])
        except ValueError as error:
            raise Failure(f"the hierarchy is no JSON: {error}") from None

    def top_leader(self):
        return self.hierarchy()["levels"][0]["groups"][0]["leader"]


def _numbers(text):
    """{0, 1, 4} of "0-1,4"."""
    result = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        result |= set(range(int(first), int(last or first) + 1))
    return result


def _expect(condition, what):
    if not condition:
        raise Failure(what)


def check_machine(report, case):
    """Checks that the kernel shows the requested machine, and that the job ran on all of it without messages."""
    wanted = {mac: (nic.node, nic.in_use) for mac, nic in zip(case.macs(), case.nics)}
    _expect(report.nics() == wanted, f"the kernel's NICs: {report.nics()}, expected {wanted}")
    _expect(["status", "0"] in report.lines("run"), "mpirun failed")
    messages = report.sections["messages"].strip()
    _expect(not messages, f"messages where none were expected:\n{messages}")
    places = report.node_of_rank()
    _expect(sorted(places) == list(range(RANKS)), f"ranks: {sorted(places)}, expected 0 to {RANKS - 1}")


def check_leaders(report, near):
    """Checks the elected leaders, with NICs in use behind the NUMA nodes `near` (empty: unknown)."""
    places = report.node_of_rank()
    hierarchy = report.hierarchy()
    top = hierarchy["levels"][0]["groups"]
    _expect(len(top) == 1 and top[0]["members"] == list(range(RANKS)), f"the top holds not all ranks: {top}")
    domains = {}
    for rank, node in sorted(places.items()):
        domains.setdefault(node, []).append(rank)
    groups = sorted(group["members"] for group in hierarchy["levels"][1]["groups"])
    _expect(groups == sorted(domains.values()), f"groups {groups}, expected one for each of {domains}")

    leader = report.top_leader()
    on_nics = report.nic_leaders()
    nodes = sorted(places[rank] for rank in on_nics)
    if near:
        _expect(places[leader] in near, f"the leader is rank {leader} on NUMA node {places[leader]}, "
                                        f"expected one on {sorted(near)}")
        _expect(nodes == sorted(near), f"leaders of NICs: ranks {on_nics} on NUMA nodes {nodes}, expected "
                                       f"one on each of {sorted(near)}")
    else:
        for level in hierarchy["levels"]:
            for group in level["groups"]:
                _expect(group["leader"] == group["members"][0],
                        f"rank {group['leader']} leads {group['members']}, expected the lowest")
        _expect(on_nics == [0], f"leaders of NICs: ranks {on_nics}, expected rank 0 alone")


def check_refusal(text, case):
    """Judges the report of a guest whose plugin chose the lowest ranks: check_leaders() must reject them."""
    report = Report(text)
    check_machine(report, case)
    try:
        check_leaders(report, case.near)
    except Failure as refusal:
        _expect(str(refusal).startswith("the leader is rank 0 "), f"refused for another reason: {refusal}")
        return f"refused, as it must be: {refusal}"
    raise Failure(f"rank 0 was accepted as the leader for: {case.title}")


def check(text, case):
    """Judges the guest's report on a case; returns the findings as text."""
    report = Report(text)
    check_machine(report, case)
    check_leaders(report, case.near)
    for other in CASES.values():
        if other.near == case.near:
            continue
        try:
            check_leaders(report, other.near)
        except Failure:
            continue
        raise Failure(f"the same leaders would have passed for: {other.title}")
    places = report.node_of_rank()
    leader = report.top_leader()
    per_nic = ", ".join(f"rank {rank} on {places[rank]}" for rank in report.nic_leaders())
    return (f"{', '.join(report.interfaces())}; elected: rank {leader} on NUMA node {places[leader]}; "
            f"one per NIC: {per_nic}")
