"""The plugin's automatic choice compared with MPI libraries' choices, at all sizes."""

import dataclasses
import math

from ..measuring import gnuplot, units

from .figure import Figure
from .runs import Run

SIZES = (8, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 16 << 20)
OPERATIONS = ("bcast", "reduce", "allreduce", "allgather")
# Selectors of SMPI; its Open MPI is not 4.1.
SELECTORS = {"ompi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI", "mvapich2": "MVAPICH2"}
# Choices that fail in SMPI 3.32 where nodes do not hold such numbers of ranks: crashing calls of Intel
# MPI's, and MPICH's two-level algorithms, for which MPICH then gets no nodes.
CRASHES = {("impi", "allreduce", 256 << 10)}
WORKING = (1, 2, 4, 8, 16)
STOCK = "tuned"  # Open MPI 4.1's, as the plugin describes it
ORDERS = {"block": "block", "shuffle": "shuffle:1"}
OURS = "strata"
_LARGE = 1 << 20  # from this size on the links' rates dominate
# Goals: the least speed-up, the mean, and the share of the links' limit for large messages.
_LEAST, _MEAN, _SHARE = 0.97, {"block": 1.5, "shuffle": 3.0}, 0.85
_LOOKS = {"bcast": ("#1a7f37", 5), "reduce": ("#d9822b", 7), "allreduce": ("#5b7db1", 9), "allgather": ("#c4549e", 13)}


@dataclasses.dataclass(frozen=True)
class Choice(Figure):
    name: str
    machine: str
    ranks: int
    per_node: int
    job: tuple = ()
    operations: tuple = OPERATIONS
    sizes: tuple = SIZES
    limits: tuple = ()  # (operation, largest size): larger ones would take hours to simulate
    crashes: frozenset = frozenset()  # (selector, operation, size) on this machine

    def sizes_of(self, operation):
        most = dict(self.limits).get(operation, self.sizes[-1])
        return tuple(size for size in self.sizes if size <= most)

    @property
    def title(self):
        return f"{self.machine.upper()}, {self.ranks} ranks: the plugin's choice compared with coll/tuned, " + \
            ", ".join(SELECTORS.values())

    @property
    def statement(self):
        return (f"goals: nowhere below {_LEAST}x the best of the others, {_MEAN['block']:g}x in the mean with ranks in "
                f"block order, {_MEAN['shuffle']:g}x shuffled, {_SHARE:.0%} of the links' limit from 1 MiB")

    def _job(self, order, selector):
        return (*self.job, "--order", ORDERS[order], "--selector", selector)

    @property
    def _crashes(self):
        return self.crashes | (CRASHES if self.per_node not in WORKING else set())

    def _sizes_with(self, selector, operation):
        return tuple(size for size in self.sizes_of(operation) if (selector, operation, size) not in self._crashes)

    def runs(self):
        return [Run(self.machine, operation, self._sizes_with(selector, operation),
                    (OURS, STOCK, "mpi") if selector == "ompi" else ("mpi",), self._job(order, selector))
                for order in ORDERS for operation in self.operations for selector in SELECTORS]

    def us(self, found, order, operation, size):
        return found.us(operation, OURS, size, self._job(order, "ompi"))

    def others(self, found, order, operation, size):
        """{name: microseconds}"""
        us = {selector: found.us(operation, "mpi", size, self._job(order, selector)) for selector in SELECTORS
              if size in self._sizes_with(selector, operation)}
        return {STOCK: found.us(operation, STOCK, size, self._job(order, "ompi")), **us}

    def best_other(self, found, order, operation, size):
        """(microseconds, name)"""
        return min((us, name) for name, us in self.others(found, order, operation, size).items())

    def factor(self, found, order, operation, size):
        return self.best_other(found, order, operation, size)[0] / self.us(found, order, operation, size)

    def share(self, found, order, operation, size):
        """Returns the share of the speed that links and buses allow."""
        row, = found.rows(operation, OURS, size, self._job(order, "ompi"))
        return row["bound_us"] / row["us"]

    def _cells(self, order):
        return [(order, operation, size) for operation in self.operations for size in self.sizes_of(operation)]

    def mean(self, found, order):
        """Geometric."""
        factors = [self.factor(found, *cell) for cell in self._cells(order)]
        return math.exp(sum(map(math.log, factors)) / len(factors))

    def _large(self):
        return [cell for order in ORDERS for cell in self._cells(order) if cell[2] >= _LARGE]

    def text(self, found):
        lines = [self.title, "Times of the plugin, its speed-up over the best of the others, and from 1 MiB the share "
                 "of the links' limit", ""]
        for operation in self.operations:
            lines.append(f"  {operation:10}" + "".join(f"{order:>40}" for order in ORDERS))
            for size in self.sizes_of(operation):
                lines.append(f"  {units.size_text(size):10}" + "".join(
                    f"{self._cell(found, order, operation, size):>40}" for order in ORDERS))
            lines.append("")
        for order in ORDERS:
            least, operation, size = min((self.factor(found, *cell), *cell[1:]) for cell in self._cells(order))
            lines.append(f"{order}: in the mean {self.mean(found, order):.2f}x, least {least:.2f}x ({operation}, "
                         f"{units.size_text(size)})")
        if self._large():
            share, order, operation, size = min((self.share(found, *cell), *cell) for cell in self._large())
            lines.append(f"Share of the links' limit from 1 MiB: at least {share:.0%} ({order}, {operation}, "
                         f"{units.size_text(size)})")
        lines += [f"Left out: {SELECTORS[selector]}'s {operation} of {units.size_text(size)}, which crashes in SMPI."
                  for selector, operation, size in sorted(self._crashes) if size in self.sizes_of(operation)]
        if self.per_node.bit_count() != 1:
            lines.append("MPICH gets no nodes: its two-level Bcast does not work in SMPI with so many ranks on each.")
        lines += [f"Not simulated: {operation} above {units.size_text(most)}." for operation, most in self.limits]
        if self.sizes[-1] < SIZES[-1]:
            lines.append(f"Not simulated: anything above {units.size_text(self.sizes[-1])}.")
        return "\n".join([*lines, f"{self.statement[0].upper()}{self.statement[1:]}.", ""])

    def _cell(self, found, order, operation, size):
        us, selector = self.best_other(found, order, operation, size)
        own = self.us(found, order, operation, size)
        share = f" {self.share(found, order, operation, size):4.0%}" if size >= _LARGE else f"{'':5}"
        return f"{units.three_digits(own)} us {us / own:6.2f}x {selector:8}{share}"

    def table(self, found):
        columns = ("order", "operation", "bytes", "us", *(f"{name}_us" for name in (STOCK, *SELECTORS)), "bound_us")

        def row(order, operation, size):
            own, = found.rows(operation, OURS, size, self._job(order, "ompi"))
            others = self.others(found, order, operation, size)
            us = (own["us"], *(others.get(name) for name in (STOCK, *SELECTORS)), own["bound_us"])
            return (order, operation, size, *("" if one is None else f"{one:.3f}" for one in us))

        return columns, [row(*cell) for order in ORDERS for cell in self._cells(order)]

    def reached(self, found):
        return all(self.mean(found, order) >= mean and
                   all(self.factor(found, *cell) >= _LEAST for cell in self._cells(order))
                   for order, mean in _MEAN.items()) and \
            all(self.share(found, *cell) >= _SHARE for cell in self._large())

    def draw(self, found, base):
        values = [self.factor(found, *cell) for order in ORDERS for cell in self._cells(order)]

        def panel(number, order):
            curves = [gnuplot.curve(f"c{number}_{place}",
                                    [(size, *[self.factor(found, order, operation, size)] * 3)
                                     for size in self.sizes_of(operation)],
                                    _LOOKS[operation], operation.capitalize())
                      for place, operation in enumerate(self.operations)]
            limit = gnuplot.dashed(f"same{number}", [(size, 1) for size in self.sizes], "best other")
            return gnuplot.panel(f"{order} order of the ranks", [*curves, limit])

        settings = (gnuplot.size_tics(self.sizes) + "set logscale y\nset format y '%g x'\nset ylabel 'faster'\n"
                    "set ytics (0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50)\n"
                    f"set yrange [{min(0.7, *values) * 0.9:.3g}:{max(values) * 2:.3g}]\n"
                    "set key top left maxrows 3 reverse Left samplen 2\n")
        return gnuplot.draw_panels([panel(number, order) for number, order in enumerate(ORDERS)],
                                   self.title, settings, base)
