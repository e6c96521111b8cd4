"""Everything to measure, in cells: one operation in one order of ranks with one root, at a few sizes."""

import dataclasses
import itertools
import random

from ..measuring import operations

ORDERS = ("block", "cyclic", "shuffle", "unequal")
SIZES = tuple(8 << power for power in range(20))  # 8 B to 4 MiB
GATED = ("bcast", "reduce", "allreduce", "allgather", "barrier", "gather", "scatter")
ROOTS = ("0", "middle", "last")  # as collective_latency --root takes them
PER_CELL = 4  # sizes per cell
_PER_RUN = 8  # cells per run


@dataclasses.dataclass(frozen=True)
class Cell:
    operation: str
    order: str
    sizes: tuple
    root: str = None

    def short_title(self):
        return f"{operations.ALL[self.operation].title}, {self.order}" + root_text(self.root)

    def name(self):
        """For files."""
        root = f"root-{self.root}" if self.root else ""
        sizes = [str(size) for size in self.sizes if size]
        return "-".join(filter(None, [self.operation, self.order, root, *sizes]))


def root_text(root):
    return f", root {root}" if root else ""


def root_rank(root, ranks):
    """Returns the root's rank for collective_latency."""
    return {"last": ranks - 1, "middle": min(ranks // 2 + 1, ranks - 1)}[root] if root in ROOTS[1:] else int(root)


def cell(operation, order, sizes, root="0"):
    return Cell(operation, order, operations.sizes_of(operation, sizes),
                root if operations.ALL[operation].rooted else None)


def full(names, orders, sizes, seed=1):
    """Returns the whole grid, each cell with a random root. The sizes of a cell lie far apart, so that each
    cell covers the whole range."""
    chance = random.Random(seed)
    groups = -(-len(sizes) // PER_CELL)
    parts = [sizes[first::groups] for first in range(groups)]
    # An operation without data has one cell, because all its parts are the same.
    return list(dict.fromkeys(cell(operation, order, part, chance.choice(ROOTS))
                              for part in parts for operation in names for order in orders))


def sample(names, orders, sizes, seed):
    """Returns every operation in every order once, at random sizes, one from each quarter of all, with a
    random root, in random order. The same seed gives the same sample everywhere."""
    chance = random.Random(seed)
    quarters = [sizes[len(sizes) * part // PER_CELL:len(sizes) * (part + 1) // PER_CELL] for part in range(PER_CELL)]
    cells = [cell(operation, order, tuple(chance.choice(quarter) for quarter in quarters if quarter),
                  chance.choice(ROOTS))
             for operation in names for order in orders]
    chance.shuffle(cells)
    return cells


def runs(cells):
    """Splits the cells into parts that one run of the program can measure: of one order, because it places
    the ranks."""
    by_order = {}
    for one in cells:
        by_order.setdefault(one.order, []).append(one)
    waiting = [[its[first:first + _PER_RUN] for first in range(0, len(its), _PER_RUN)] for its in by_order.values()]
    return [part for turn in itertools.zip_longest(*waiting) for part in turn if part]
