"""The machines that are booted, and what has to be found out on each."""
import dataclasses
import json
import re
import typing

RANKS = 8


class Failure(Exception):
    """What a test found wrong."""


@dataclasses.dataclass(frozen=True)
class Card:
    """A network card behind a NUMA node; None: firmware does not tell where it is. Only a card in use has an
    address."""

    node: typing.Optional[int]
    in_use: bool = True


@dataclasses.dataclass(frozen=True)
class Case:
    """`near`: the NUMA nodes of the cards in use, as far as they are known. `mapping`: how mpirun places
    ranks."""

    title: str
    cards: tuple
    near: frozenset
    mapping: str = "core"

    def macs(self):
        return [f"52:54:00:00:00:{number:02x}" for number in range(1, len(self.cards) + 1)]


CASES = {
    "near": Case("one card, behind NUMA node 1", (Card(1),), frozenset({1})),
    "moved": Case("the card in use behind NUMA node 3, one without an address behind node 1",
                  (Card(1, in_use=False), Card(3)), frozenset({3}), mapping="socket"),
    "two": Case("two cards, behind NUMA nodes 1 and 2", (Card(1), Card(2)), frozenset({1, 2})),
    "unknown": Case("one card, and firmware does not tell where", (Card(None),), frozenset()),
}


class Report:
    """What the guest sent: sections between lines "=== NAME"."""

    def __init__(self, text):
        text = text.replace("\r", "")
        found = re.findall(r"^=== (\w+)\n(.*?)(?=^=== |\Z)", text, re.MULTILINE | re.DOTALL)
        self.sections = {name: body for name, body in found}
        if "end" not in self.sections:
            last = found[-1][0] if found else "the beginning"
            raise Failure(f"the guest's report ends at: {last}")

    def lines(self, section):
        return [line.split() for line in self.sections[section].splitlines()]

    def cards(self):
        """MAC address -> (NUMA node or None, in use), as the kernel tells."""
        return {mac: (int(node) if int(node) >= 0 else None, use == "addressed")
                for mac, _, _, node, use in self.lines("cards")}

    def interfaces(self):
        return [f"{interface} ({pci}) numa_node {node}" for _, pci, interface, node, _ in self.lines("cards")]

    def node_of_rank(self):
        """Rank -> the only NUMA node on whose processors the kernel lets it run."""
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

    def card_leaders(self):
        found = [values for word, *values in self.lines("run") if word == "card_leaders"]
        if len(found) != 1:
            raise Failure(f"lines 'card_leaders': {len(found)}, expected 1")
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
    """The kernel shows the machine that was asked for, and the job ran on all of it without a word."""
    wanted = {mac: (card.node, card.in_use) for mac, card in zip(case.macs(), case.cards)}
    _expect(report.cards() == wanted, f"the kernel's cards: {report.cards()}, expected {wanted}")
    _expect(["status", "0"] in report.lines("run"), "mpirun failed")
    messages = report.sections["messages"].strip()
    _expect(not messages, f"messages where none were expected:\n{messages}")
    places = report.node_of_rank()
    _expect(sorted(places) == list(range(RANKS)), f"ranks: {sorted(places)}, expected 0 to {RANKS - 1}")


def check_leaders(report, near):
    """Who was elected, with cards in use behind the NUMA nodes `near` (empty: unknown)."""
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
    on_cards = report.card_leaders()
    nodes = sorted(places[rank] for rank in on_cards)
    if near:
        _expect(places[leader] in near, f"the leader is rank {leader} on NUMA node {places[leader]}, "
                                        f"expected one on {sorted(near)}")
        _expect(nodes == sorted(near), f"leaders of cards: ranks {on_cards} on NUMA nodes {nodes}, expected "
                                       f"one on each of {sorted(near)}")
    else:
        for level in hierarchy["levels"]:
            for group in level["groups"]:
                _expect(group["leader"] == group["members"][0],
                        f"rank {group['leader']} leads {group['members']}, expected the lowest")
        _expect(on_cards == [0], f"leaders of cards: ranks {on_cards}, expected rank 0 alone")


def check_refusal(text, case):
    """Judges the report of a guest whose plugin chose the lowest ranks: check_leaders() must refuse them."""
    report = Report(text)
    check_machine(report, case)
    try:
        check_leaders(report, case.near)
    except Failure as refusal:
        _expect(str(refusal).startswith("the leader is rank 0 "), f"refused for another reason: {refusal}")
        return f"refused, as it must be: {refusal}"
    raise Failure(f"rank 0 was accepted as the leader for: {case.title}")


def check(text, case):
    """Judges the guest's report on a case; returns what was found, in words."""
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
    per_card = ", ".join(f"rank {rank} on {places[rank]}" for rank in report.card_leaders())
    return (f"{', '.join(report.interfaces())}; elected: rank {leader} on NUMA node {places[leader]}; "
            f"one per card: {per_card}")
