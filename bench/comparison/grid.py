"""What there is to measure, in cells: one operation in one order of ranks, at a few sizes."""

import dataclasses
import random

from measuring import operations

ORDERS = ("block", "cyclic", "shuffle", "unequal")
SIZES = tuple(8 << power for power in range(20))  # 8 B to 4 MiB
GATED = ("bcast", "reduce", "allreduce", "allgather", "barrier", "gather", "scatter")
PER_CELL = 4  # sizes


@dataclasses.dataclass(frozen=True)
class Cell:
    operation: str
    order: str
    sizes: tuple
    root: str = None

    def short_title(self):
        return f"{operations.ALL[self.operation].title}, {self.order}"

    def name(self):
        """For files."""
        return "-".join([self.operation, self.order, *(str(size) for size in self.sizes if size)])


def cell(operation, order, sizes):
    return Cell(operation, order, operations.sizes_of(operation, sizes),
                "0" if operations.ALL[operation].rooted else None)


def full(names, orders, sizes):
    """All of it. The sizes of a cell lie far apart, so that each cell tells something about all sizes."""
    groups = -(-len(sizes) // PER_CELL)
    parts = [sizes[first::groups] for first in range(groups)]
    return list(dict.fromkeys(cell(operation, order, part)
                              for part in parts for operation in names for order in orders))


def sample(names, orders, sizes, seed):
    """Every operation in every order once, at sizes drawn by lot: one from each quarter of all. The same for the
    same seed, wherever it is drawn; in an order drawn by lot."""
    chance = random.Random(seed)
    quarters = [sizes[len(sizes) * part // PER_CELL:len(sizes) * (part + 1) // PER_CELL] for part in range(PER_CELL)]
    cells = [cell(operation, order, tuple(chance.choice(quarter) for quarter in quarters if quarter))
             for operation in names for order in orders]
    chance.shuffle(cells)
    return cells
