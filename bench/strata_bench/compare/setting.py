"""Placement of ranks: by bench/cluster or, under the user's launcher, by collective_latency itself."""

import dataclasses

from ..measuring import limits

from . import grid


def unequal(slots):
    """Returns the ranks on every node, with fewer on some, by the rule of collective_latency --order
    unequal."""
    return tuple(count - min(node % 3 * max(1, count // 4), count - 1) for node, count in enumerate(slots))


class OnCluster:
    def __init__(self, cluster):
        self.runner = cluster

    def places(self, order):
        """Returns options of `cluster run`."""
        if order != "unequal":
            return ("--order", order)
        return ("--order", "block", "--per-node", ",".join(map(str, unequal(self.runner.plan.slots))))

    def program_options(self, _order):
        return ()

    def limit_ms(self, cell, size):
        """Returns the least milliseconds in which the links can carry the bytes that have to cross them, or
        None."""
        plan, order = self.runner.plan, cell.order
        if order == "unequal":
            plan, order = dataclasses.replace(plan, slots=unequal(plan.slots)), "block"
        root = None if cell.root is None else str(grid.root_rank(cell.root, sum(plan.slots)))
        return limits.least_ms(plan, cell.operation, order, root, size)


class ByLauncher:
    def __init__(self, launcher):
        self.runner = launcher

    def places(self, _order):
        return ()

    def program_options(self, order):
        return ("--order", order)

    def limit_ms(self, _cell, _size):
        return None  # the rates of the links are unknown
