"""Matrix multiplication by SUMMA with broadcasts by hierarchies: figures 11 to 13 of the paper on
communicators."""

import dataclasses

from ..measuring import gnuplot

from .figure import Figure
from .runs import Run

_BLOCK = 64  # bytes: 8 doubles
_SIMPLE, _TOPOLOGICAL, _OURS = "flat:binary", "whole:binary", "strata"
_GROUPS = (2, 4, 8)
_TITLES = {_SIMPLE: "one binary tree", **{f"{_TOPOLOGICAL}@groups:{groups}": f"two levels, {groups} groups of neighbours"
                                                  for groups in _GROUPS},
           _TOPOLOGICAL: "the machine's levels, binary trees", _OURS: "this plugin's choice"}
_SHORT = {_SIMPLE: "simple", **{f"{_TOPOLOGICAL}@groups:{groups}": f"{groups} groups" for groups in _GROUPS},
          _TOPOLOGICAL: "topological", _OURS: "strata"}
ORDERS = {"block": "block", "shuffled": "shuffle:1"}
_CONNECTING = 1000  # microseconds, by which Open MPI's openib made a connection: an estimate
_LOOP = ""
STEPS = {  # what may lie between the paper's measurement and a loop: label -> options
    _LOOP: (),
    "barrier between steps": ("--step-barrier",),
    "barrier, new connections": ("--step-barrier", "--connect-us", str(_CONNECTING)),
}


def _contenders(steps):
    """The plugin passes some broadcasts through, whose connections are not counted."""
    return tuple(name for name in _TITLES if name != _OURS or "--connect-us" not in STEPS[steps])


@dataclasses.dataclass(frozen=True)
class SummaRun(Run):
    rows: int = 1
    program = "strata_simulate_summa"

    def options(self):
        return ["--rows", str(self.rows), "--block", str(_BLOCK)]


@dataclasses.dataclass(frozen=True)
class Summa(Figure):
    name: str
    number: int  # number of the paper's figure
    machine: str
    grid: tuple  # rows and columns of processes
    greatest: float  # the paper's speed-up of topological over simple

    @property
    def title(self):
        return f"SUMMA on {self.machine.upper()}: {self.grid[0]} x {self.grid[1]} processes, a block of 8 doubles each"

    @property
    def statement(self):
        return (f"seed paper on hardware communicators, section 7.3, figure {self.number}: topological is "
                f"{self.greatest:g}x as fast as simple; it gives neither the shape of the grid nor the order of the ranks")

    def runs(self):
        return [SummaRun(self.machine, "summa", (_BLOCK,), _contenders(steps), ("--order", order, *STEPS[steps]),
                         rows=self.grid[0]) for order in ORDERS.values() for steps in STEPS]

    def us(self, found, order, contender, steps=_LOOP):
        return found.us("summa", contender, _BLOCK, ("--order", ORDERS[order], *STEPS[steps]))

    def factor(self, found, order, contender, steps=_LOOP):
        return self.us(found, order, _SIMPLE, steps) / self.us(found, order, contender, steps)

    def bound(self, found, order):
        """Returns the greatest possible speed-up over simple with any broadcasts: (factor, microseconds)."""
        row, = found.rows("summa", _SIMPLE, _BLOCK, ("--order", ORDERS[order]))
        return row["us"] / row["bound_us"], row["bound_us"]

    def text(self, found):
        lines = [self.title, "Microseconds until the last process has multiplied its last blocks, and the speed-up over "
                 "simple", "", f"  {'':12}" + "".join(f"{order:>22}" for order in ORDERS)]
        for contender, short in _SHORT.items():
            lines.append(f"  {short:12}" + "".join(
                f"{self.us(found, order, contender):>14.1f}{self.factor(found, order, contender):>7.2f}x"
                for order in ORDERS))
        lines.append(f"  {'bound':12}" + "".join("{1:>14.1f}{0:>7.2f}x".format(*self.bound(found, order))
                                                 for order in ORDERS))
        for steps in list(STEPS)[1:]:
            lines += ["", f"  {steps}"]
            lines += [f"  {short:12}" + "".join(
                f"{self.us(found, order, contender, steps):>14.1f}{self.factor(found, order, contender, steps):>7.2f}x"
                for order in ORDERS) for contender, short in _SHORT.items() if contender in _contenders(steps)]
        lines += ["", *(f"{_SHORT[name]}: {title}" for name, title in _TITLES.items()),
                  "bound: every root sends one message to each process of its row or column, all at once; processes wait "
                  "only for\n  blocks, so that steps overlap with simple, too; no broadcasts gain more than that",
                  f"new connections: the first message between two processes of different nodes takes {_CONNECTING} us longer"]
        return "\n".join([*lines, f"Paper: {self.statement}.", ""])

    def table(self, found):
        return ("order", "steps", "contender", "us"), [
            (order, steps, _SHORT[name], f"{self.us(found, order, name, steps):.3f}")
            for order in ORDERS for steps in STEPS for name in _contenders(steps)]

    def reached(self, found):
        """Checks the statement in some order, with the machine's levels and without barriers, of which the paper says
        nothing."""
        return max(self.factor(found, order, _TOPOLOGICAL) for order in ORDERS) >= self.greatest

    def draw(self, found, base):
        names = list(_SHORT)
        curves = [gnuplot.curve(f"c{number}", [(place, *[self.us(found, order, name) / 1000] * 3)
                                               for place, name in enumerate(names)], look, order)
                  for number, (order, look) in enumerate(zip(ORDERS, (("#1a7f37", 5), ("#d9822b", 7))))]
        values = [self.us(found, order, name) / 1000 for order in ORDERS for name in names]

        settings = gnuplot.name_tics([_SHORT[name] for name in names]) + \
            gnuplot.time_axis(min(values), max(values) * 3)
        return gnuplot.draw_panels([gnuplot.panel("total time, by the order of the ranks", curves)],
                                   self.title, settings, base)
