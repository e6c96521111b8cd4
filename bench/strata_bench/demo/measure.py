"""Cases of the demonstration and their limits."""

import dataclasses
import os

from ..measuring import limits, operations, units
from ..measuring.rounds import Rounds
from ..measuring.table import DELAY_THAT_COUNTS_US, WORTH_A_SHARE, WORTH_COMPARING


@dataclasses.dataclass(frozen=True)
class Case:
    order: str
    root: str = "0"  # a rank or "rotate"; None: the operation has none
    operation: str = "bcast"

    @property
    def places(self):
        return ("--order", self.order)

    @property
    def operation_title(self):
        return operations.ALL[self.operation].title

    def short_title(self):
        order = "round-robin" if self.order == "cyclic" else self.order
        root = {None: "", "rotate": ", rotating root"}.get(self.root, f", root {self.root}")
        return f"{self.operation_title}, {order} order{root}"

    def title(self):
        meaning = {"block": "node by node", "cyclic": "one on each node, then the next",
                   "shuffle": "at random"}
        return f"{self.short_title()} (ranks are placed {meaning[self.order]})"

    def name(self):
        root = "" if self.root in ("0", None) else f"-root-{self.root}"
        return f"{self.operation}-{self.order}{root}"


def cases_of(names, orders, roots):
    """Returns every operation in every order and, if it is rooted, with every root."""
    return [Case(order, root, name) for name in names for order in orders
            for root in (roots if operations.ALL[name].rooted else (None,))]


class Measurement(Rounds):
    """All series, by operation, order, root and competitor."""

    def __init__(self, *arguments, draws=True):
        """`draws`: the hierarchies."""
        super().__init__(*arguments)
        self._draws = draws

    def picture_of(self, case, _competitor):
        """Chooses one case of each order."""
        if not self._draws or case != next(one for one in self.cases if one.order == case.order):
            return None
        return os.path.join(self.folder, f"hierarchy-{case.order}.svg")

    def limit(self, case, size):
        """Returns the least milliseconds in which the links can carry the bytes that have to cross them, or
        None."""
        return limits.least_ms(self.cluster.plan, case.operation, case.order, case.root, size)

    @property
    def delay_counts(self):
        """Returns whether the delay between sites, not the cores, dominates small messages."""
        return self.cluster.plan.sites > 1 and self.cluster.plan.delay_us >= DELAY_THAT_COUNTS_US

    def comparable(self, size):
        """Returns whether times of this size exceed noise."""
        return size >= WORTH_COMPARING or self.delay_counts

    def limit_reached(self, case, size):
        """Returns the limit where a comparison makes sense, or None."""
        return self.limit(case, size) if size >= WORTH_A_SHARE or self.delay_counts else None

    def to_json(self):
        return super().to_json() | {
            "ranks": self.cluster.ranks,
            "cases": [{"operation": case.operation, "order": case.order, "root": case.root,
                       "limits": {size: self.limit(case, size) for size in self.sizes_of(case)},
                       "competitors": {name: series.to_json() for name, series in by_name.items()}}
                      for case, by_name in self.series.items()],
        }

    def describe_sizes(self):
        sizes = dict.fromkeys(size for case in self.cases for size in self.sizes_of(case) if size)
        return ", ".join(map(units.size_text, sizes)) or units.size_text(0)
