"""Loads of an emulated cluster's links by a monitored matrix, in the old order of ranks and in a new one."""

import dataclasses

from ..measuring import units


@dataclasses.dataclass(frozen=True)
class Busiest:
    """The link that takes longest for its bytes in one direction. If messages wait for their turn, no
    algorithm that sends these messages can be faster."""

    link: str
    bytes: int
    ms: float


def read_matrix(path):
    """Reads bytes by sender and receiver, as MPI_M_rootflush writes them."""
    with open(path, encoding="utf-8") as file:
        return [[int(word) for word in line.split()] for line in file if line.strip()]


def read_order(path):
    """Reads the new rank of every process."""
    with open(path, encoding="utf-8") as file:
        return [int(line) for line in file]


def _loads(matrix, nodes, order, site_of):
    """Returns (kind of link, index, direction) -> bytes. `nodes` holds the node of every process."""
    process = {rank: one for one, rank in enumerate(order)}
    loads = {}

    def add(kind, one, other, size):
        for link in ((kind, one, "sends"), (kind, other, "receives")):
            loads[link] = loads.get(link, 0) + size

    for sender, row in enumerate(matrix):
        for receiver, size in enumerate(row):
            one, other = nodes[process[sender]], nodes[process[receiver]]
            if size and one != other:
                add("node", one, other, size)
                if site_of(one) != site_of(other):
                    add("site", site_of(one), site_of(other), size)
    return loads


def _rate(plan, kind):
    """Returns the bit/s of a node's NIC or of a site's link; None without a limit."""
    rates = [plan.nic] if kind == "node" else [plan.uplink, f"{plan.relay_mbit}mbit" if plan.relay_mbit else "none"]
    return min(filter(None, map(units.bits_per_second, rates)), default=None)


def busiest(plan, matrix, nodes, order):
    """Returns the busiest link with a limited rate; None if no message crosses one. `order` holds the rank
    of every process."""
    found = [Busiest(f"{kind} {number} {direction}", size, 8e3 * size / _rate(plan, kind))
             for (kind, number, direction), size in sorted(_loads(matrix, nodes, order, plan.site_of).items())
             if _rate(plan, kind)]
    return max(found, key=lambda link: link.ms, default=None)
