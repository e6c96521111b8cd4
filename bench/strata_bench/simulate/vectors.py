"""Vectors gathered and combined level by level: figure 14 of the paper on communicators."""

import dataclasses

from ..measuring import gnuplot, units

from .figure import Figure
from .runs import Run

SIZES = (64, 1 << 10, 16 << 10, 256 << 10)
ORDERS = ("block", "nodes:1", "cyclic", "shuffle:1")
REDUCE, GATHER = "whole:linear", "gathers"
_OURS = "strata"
_LOOKS = (("#c4549e", 13), ("#1a7f37", 5), ("#5b7db1", 9), ("#d9822b", 7), ("#999999", 11), ("#555555", 3))


def grouped(sizes):
    """Returns a view of the ranks in rank order: `sizes` are those of each level's groups, topmost first."""
    ranks, view, inside = 1, [], 1
    for size in sizes:
        ranks *= size
    for size in reversed(sizes[1:]):
        inside *= size
        view.append("+".join(f"[{first}..{first + inside - 1}]" for first in range(0, ranks, inside)))
    return "/".join(view)


@dataclasses.dataclass(frozen=True)
class Vectors(Figure):
    """One rank of each group receives every vector in one piece and adds them up, as they arrive (REDUCE) or after an
    MPI_Gather (GATHER): with the machine's levels, and with as many levels of ranks in rank order."""
    name: str
    number: int  # number of the paper's figure
    machine: str
    made_up: tuple  # group sizes
    greatest: float  # the paper's speed-up of the machine's levels
    method: str = REDUCE
    uplink: float = 1  # change of the bandwidth between switches, a guess
    sizes: tuple = SIZES

    @property
    def title(self):
        how = "an MPI_Gather" if self.method == GATHER else "a Reduce"
        uplink = f", {self.uplink:g} times the bandwidth between switches" if self.uplink != 1 else ""
        return f"Vectors gathered and combined on {self.machine.upper()}, level by level, {how} each{uplink}"

    @property
    def statement(self):
        return (f"seed paper on hardware communicators, section 7.4, figure {self.number}: about {self.greatest:g}x as "
                "fast as with levels that ignore the hardware; it does not give the order of the ranks")

    @property
    def contenders(self):
        """{name: label}"""
        return {self.method: "the machine's levels", _OURS: "this plugin's choice",
                **{f"{self.method}@{grouped(sizes)}": ", ".join(map(str, sizes)) for sizes in self.made_up}}

    def runs(self):
        change = ("switch1", "mbytes_per_s", self.uplink) if self.uplink != 1 else ()
        return [Run(self.machine, "reduce", self.sizes, (name,), ("--order", order), change=change)
                for order in ORDERS for name in self.contenders]

    def us(self, found, order, name, size):
        return found.us("reduce", name, size, ("--order", order))

    def factors(self, found, order, name, size):
        """Returns the speed-ups over each artificial hierarchy."""
        return [self.us(found, order, other, size) / self.us(found, order, name, size)
                for other in list(self.contenders)[2:]]

    def text(self, found):
        lines = [self.title, "Microseconds, by the order of the ranks along the cores"]
        for order in ORDERS:
            lines += ["", f"  {order:10}" + "".join(f"{label:>22}" for label in self.contenders.values())]
            lines += [f"  {units.size_text(size):10}" +
                      "".join(f"{units.three_digits(self.us(found, order, name, size)):>22}"
                              for name in self.contenders) for size in self.sizes]
        lines.append("")
        for order in ORDERS:
            for name in (self.method, _OURS):
                factors = [factor for size in self.sizes for factor in self.factors(found, order, name, size)]
                lines.append(f"{order}, {self.contenders[name]}: {min(factors):.2f} to {max(factors):.1f} times as fast "
                             "as artificial levels")
        return "\n".join([*lines, f"Paper: {self.statement}.", ""])

    def table(self, found):
        return ("order", "levels", "bytes", "us"), [
            (order, label, size, f"{self.us(found, order, name, size):.3f}")
            for order in ORDERS for name, label in self.contenders.items() for size in self.sizes]

    def reached(self, found):
        """Checks the statement with the same algorithm and in some order of the ranks, and that no case is
        slower."""
        factors = [factor for order in ORDERS for size in self.sizes
                   for factor in self.factors(found, order, self.method, size)]
        return min(factors) >= 1 and max(factors) >= self.greatest

    def draw(self, found, base):
        values = [self.us(found, order, name, size) / 1000 for order in ORDERS for name in self.contenders
                  for size in self.sizes]

        def panel(number, order):
            curves = [gnuplot.curve(f"c{number}_{place}",
                                    [(size, *[self.us(found, order, name, size) / 1000] * 3) for size in self.sizes],
                                    _LOOKS[place], label)
                      for place, (name, label) in enumerate(self.contenders.items())]
            return gnuplot.panel(f"ranks: {order}", curves)

        settings = gnuplot.size_tics(self.sizes, "vector") + gnuplot.time_axis(min(values), max(values) * 4)
        return gnuplot.draw_panels([panel(number, order) for number, order in enumerate(ORDERS)],
                                   self.title, settings, base)
