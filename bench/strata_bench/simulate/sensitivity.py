"""Whether the plugin's choice stays the fastest if the simulated machine differs from the assumptions."""

import dataclasses
import math

from ..measuring import gnuplot, units

from . import variation
from .choice import ORDERS, OURS, SELECTORS, STOCK
from .figure import Figure
from .runs import Run

SIZES = (8, 4 << 10, 64 << 10, 1 << 20)
OPERATIONS = ("bcast", "reduce", "allreduce", "allgather")
_LEAST = 0.97
_AS_IT_IS = "as described"
_OTHERS = " and ".join((f"coll/{STOCK}", *SELECTORS.values()))


@dataclasses.dataclass(frozen=True)
class Sensitivity(Figure):
    name: str
    machine: str
    ranks: int
    operations: tuple = OPERATIONS
    sizes: tuple = SIZES

    @property
    def title(self):
        return f"{self.machine.upper()}, {self.ranks} ranks: every number of the machine halved and doubled"

    @property
    def statement(self):
        return f"goal: the plugin's choice stays at least {_LEAST}x as fast as those of {_OTHERS}"

    def _variations(self):
        return [(_AS_IT_IS, ()), *((label, change) for label, *change in variation.variations(self.machine))]

    def _job(self, label, order, selector):
        return ("--order", ORDERS[order], "--selector", selector, label)

    def runs(self):
        return [Run(self.machine, operation, self.sizes, (OURS, STOCK, "mpi") if selector == "ompi" else ("mpi",),
                    self._job(label, order, selector)[:-1], change=tuple(change), label=label)
                for label, change in self._variations() for order in ORDERS for operation in self.operations
                for selector in SELECTORS]

    def factor(self, found, label, order, operation, size):
        job = self._job(label, order, "ompi")
        others = min(found.us(operation, "mpi", size, self._job(label, order, selector)) for selector in SELECTORS)
        return min(others, found.us(operation, STOCK, size, job)) / found.us(operation, OURS, size, job)

    def _cells(self):
        return [(order, operation, size) for order in ORDERS for operation in self.operations for size in self.sizes]

    def rows(self, found):
        """Returns [(label, geometric mean, least factor, its cell, cells below the goal)]."""
        rows = []
        for label, _ in self._variations():
            factors = {cell: self.factor(found, label, *cell) for cell in self._cells()}
            least = min(factors, key=factors.get)
            rows.append((label, math.exp(sum(map(math.log, factors.values())) / len(factors)), factors[least], least,
                         sum(factor < _LEAST for factor in factors.values())))
        return rows

    def text(self, found):
        lines = [self.title, f"Times as fast as the best of {_OTHERS}, over "
                 f"{len(self._cells())} cells ({', '.join(self.operations)}; {units.size_text(self.sizes[0])} to "
                 f"{units.size_text(self.sizes[-1])}; {', '.join(ORDERS)})", "",
                 f"  {'':34}{'mean':>8}{'least':>8}  {'of':34}{f'below {_LEAST}':>10}"]
        for label, mean, least, (order, operation, size), below in self.rows(found):
            cell = f"{operation} {units.size_text(size)} {order}"
            lines.append(f"  {label:34}{mean:7.2f}x{least:7.2f}x  {cell:34}{below:10d}")
        return "\n".join([*lines, "", f"{self.statement[0].upper()}{self.statement[1:]}.", ""])

    def table(self, found):
        return ("variation", "mean", "least", "order", "operation", "bytes", "below"), [
            (label, f"{mean:.4f}", f"{least:.4f}", *cell, below) for label, mean, least, cell, below in self.rows(found)]

    def reached(self, found):
        return all(below == 0 for *_, below in self.rows(found))

    def draw(self, found, base):
        rows = self.rows(found)
        names = [label.replace("_", " ") for label, *_ in rows]  # gnuplot shows the character after _ as a subscript
        mean = gnuplot.curve("mean", [(place, *[row[1]] * 3) for place, row in enumerate(rows)], ("#1a7f37", 5), "mean")
        least = gnuplot.curve("least", [(place, *[row[2]] * 3) for place, row in enumerate(rows)], ("#d9822b", 7),
                              "least")
        same = gnuplot.dashed("same", [(place, 1) for place in range(len(rows))], "the best of the others")
        tics = gnuplot.name_tics(names).replace("nomirror", "rotate by 60 right nomirror")

        settings = (tics + "set logscale y\nset format y '%g x'\nset ylabel 'faster'\nset bmargin 15\n"
                    "set ytics (0.5, 0.7, 1, 1.5, 2, 3, 5)\n"
                    f"set yrange [0.5:{max(row[1] for row in rows) * 2:.3g}]\nset key top left reverse Left\n")
        return gnuplot.draw_panels([gnuplot.panel("mean, and the worst cell", [mean, least, same])],
                                   self.title, settings, base)
