"""The least time that the cluster's links allow an operation, for any algorithm: pure arithmetic.

Bytes that one set of ranks has and another needs must cross the links between the two: the NIC of a node,
the link of a site. Every link works in both directions at once, and all links work at the same time, so the
slowest crossing is the limit.
"""

from ..cluster.plan import rank_nodes
from . import operations, units


def least_flow(operation, size, blocks, sources, targets, root):
    """Returns the least bytes that must move from one set of ranks to another, disjoint one.

    `blocks` holds the bytes of every rank's chunk. A reduction combines on the way: one vector leaves the
    sources, and one enters the targets, for any number of them. `root` is None for operations without one.
    """
    if not (operation.sized and sources and targets):
        return 0
    if operation.rooted and root not in (targets if operation.to_root else sources):
        return 0
    if not operation.blocks:
        return size
    those = targets if operation.rooted and not operation.to_root else sources
    return sum(blocks[rank] for rank in those)


def _rate(*rates):
    """Returns the least of rates in bit/s, where None is no limit."""
    return min((rate for rate in rates if rate), default=None)


def _for_root(plan, operation, nodes, size, root):
    """Like least_ms, given the nodes of all ranks and one root."""
    ranks = range(len(nodes))
    blocks = operation.block_bytes(size, len(nodes))
    sites = [plan.site_of(node) for node in nodes]
    nic = units.bits_per_second(plan.nic)
    uplink = _rate(units.bits_per_second(plan.uplink), plan.relay_mbit * 1e6)
    delay_ms = plan.delay_us / 1e3
    least = []

    def cross(inside, outside, rate, waiting_ms):
        one, other = set(inside), set(outside)
        both = [least_flow(operation, size, blocks, *pair, root) for pair in ((one, other), (other, one))]
        if max(both) or (waiting_ms and not operation.sized and other):
            least.append((max(both) * 8e3 / rate if rate else 0) + waiting_ms)

    for node in set(nodes):
        its = [rank for rank in ranks if nodes[rank] == node]
        site = plan.site_of(node)
        cross(its, set(ranks) - set(its), nic, 0)
        cross(its, [rank for rank in ranks if sites[rank] != site], nic, delay_ms)
    for site in set(sites):
        its = [rank for rank in ranks if sites[rank] == site]
        cross(its, set(ranks) - set(its), uplink, delay_ms)
    return max(least, default=0) or None


def least_ms(plan, operation, order, root, size):
    """Returns the least milliseconds of an operation (by name) on a cluster with all slots taken, or None
    if nothing limits it. `root` is a rank, "rotate" (the root with the least time), or None."""
    operation = operations.ALL[operation]
    nodes = rank_nodes(plan.slots, order)
    roots = [None] if not operation.rooted else range(len(nodes)) if root == "rotate" else [int(root)]
    limits = [_for_root(plan, operation, nodes, size, one) for one in roots]
    return min(limits) if all(limits) else None
