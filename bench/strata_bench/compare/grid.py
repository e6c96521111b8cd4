"""What there is to measure, in cells: one operation in one order of ranks with one root, at a few sizes."""

import dataclasses
import itertools
import random

from ..measuring import operations

ORDERS = ("block", "cyclic", "shuffle", "unequal")
SIZES = tuple(8 << power for power in range(20))  # 8 B to 4 MiB
GATED = ("bcast", "reduce", "allreduce", "allgather", "barrier", "gather", "scatter")
ROOTS = ("0", "middle", "last")  # as collective_latency --root takes them
PER_CELL = 4  # sizes
_PER_RUN = 8  # cells


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
    """The rank that collective_latency takes."""
    return {"last": ranks - 1, "middle": min(ranks // 2 + 1, ranks - 1)}[root] if root in ROOTS[1:] else int(root)


def cell(operation, order, sizes, root="0"):
    return Cell(operation, order, operations.sizes_of(operation, sizes),
                root if operations.ALL[operation].rooted else None)


def full(names, orders, sizes, seed=1):
    """All of it, each part with a root drawn by lot. The sizes of a cell lie far apart, so that each cell tells
    something about all sizes."""
    chance = random.Random(seed)
    groups = -(-len(sizes) // PER_CELL)
    parts = [sizes[first::groups] for first in range(groups)]
    # Once: of an operation without data all parts are the same cell.
    return list(dict.fromkeys(cell(operation, order, part, chance.choice(ROOTS))
                              for part in parts for operation in names for order in orders))


def sample(names, orders, sizes, seed):
    """Every operation in every order once, at sizes drawn by lot: one from each quarter of all; with a root drawn by
    lot. The same for the same seed, wherever it is drawn; in an order drawn by lot."""
    chance = random.Random(seed)
    quarters = [sizes[len(sizes) * part // PER_CELL:len(sizes) * (part + 1) // PER_CELL] for part in range(PER_CELL)]
    cells = [cell(operation, order, tuple(chance.choice(quarter) for quarter in quarters if quarter),
                  chance.choice(ROOTS))
             for operation in names for order in orders]
    chance.shuffle(cells)
    return cells


def runs(cells):
    """The cells in parts that a run of the program can measure one after another: of one order, which is where
    ranks are."""
    by_order = {}
    for one in cells:
        by_order.setdefault(one.order, []).append(one)
    waiting = [[its[first:first + _PER_RUN] for first in range(0, len(its), _PER_RUN)] for its in by_order.values()]
    return [part for turn in itertools.zip_longest(*waiting) for part in turn if part]
