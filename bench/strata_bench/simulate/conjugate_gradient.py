"""The conjugate gradient kernel with its compute time, without and with reordered ranks: figure 7 of the paper on
introspection monitoring."""

import dataclasses

from ..introspection.conjugate_gradient import Pair, parse
from ..measuring import files, gnuplot

from .figure import Figure
from .runs import Run

ORDERS = ("block", "cyclic", "shuffle:1")
_KEPT, _REORDERED = "kept", "reordered"
_COMMUNICATION = 1.9  # the paper's greatest gain
_SECONDS = {"execution": lambda run: run.total(), "communication": lambda run: run.communication,
            "communication of rank 0": lambda run: run.rank_0}


@dataclasses.dataclass(frozen=True)
class KernelRun(Run):
    program = "strata_simulate_cg"

    def command(self, programs, machine, output):
        reorder = ["--reorder"] if self.contenders == (_REORDERED,) else []
        return [programs[self.program], machine, *self.job, *reorder, "--output", output]

    def read(self, path):
        contender, = self.contenders
        measured = parse("\n".join(files.read_lines(path)))
        return [{"op": self.operation, "contender": contender, "bytes": 0, "measured": measured}]


@dataclasses.dataclass(frozen=True)
class ConjugateGradient(Figure):
    name: str
    letter: str  # class of the kernel
    ranks: int
    places: str  # how they lie on the nodes
    hosts: str
    per_node: str
    plan_us: int  # of rank 0: strata-reorder takes this on the same matrix
    machine: str = "opa22"

    @property
    def title(self):
        return f"Conjugate gradient of class {self.letter}, {self.ranks} ranks on {self.places}"

    @property
    def statement(self):
        return ("seed paper on introspection monitoring, section 6.5, figure 7: with reordered ranks classes B to D "
                f"execute faster in all cases; communication of rank 0 is up to {_COMMUNICATION}x as fast")

    def _job(self, order):
        return ("--hosts", self.hosts, "--ppn", self.per_node, "--class", self.letter, "--plan-us", str(self.plan_us),
                "--order", order)

    def runs(self):
        return [KernelRun(self.machine, "cg", (0,), (contender,), self._job(order))
                for order in ORDERS for contender in (_KEPT, _REORDERED)]

    def _measured(self, found, order, contender):
        row, = found.rows("cg", contender, 0, self._job(order))
        return row["measured"]

    def pair(self, found, order):
        return Pair(*(self._measured(found, order, contender) for contender in (_KEPT, _REORDERED)))

    def text(self, found):
        lines = [self.title, "Seconds without and with reordering, and the speed-up; every eigenvalue verified", "",
                 f"  {'':11}{'moved':>6}{'reordering':>12}{'new matrix':>12}"
                 + "".join(f"{what:>32}" for what in _SECONDS)]
        for order in ORDERS:
            pair = self.pair(found, order)
            lines.append(f"  {order:11}{pair.reordered.moved:>6}{pair.reordered.reordering:>12.4f}"
                         f"{pair.reordered.data:>12.4f}" + "".join(
                f"{seconds(pair.without):>13.4f}{seconds(pair.reordered):>11.4f}{pair.faster(seconds):>7.2f}x"
                for seconds in _SECONDS.values()))
        lines += ["", "execution: with reordering, and making the matrix anew, included"]
        return "\n".join([*lines, f"Paper: {self.statement}.", ""])

    def table(self, found):
        return ("order", "ranks", "execution_s", "communication_s", "communication_rank_0_s", "reordering_s",
                "matrix_s", "moved"), [
            (order, contender, run.execution, run.communication, run.rank_0, run.reordering, run.data, run.moved)
            for order in ORDERS for contender in (_KEPT, _REORDERED)
            for run in (self._measured(found, order, contender),)]

    def reached(self, found):
        pairs = [self.pair(found, order) for order in ORDERS]
        return (min(pair.faster(_SECONDS["execution"]) for pair in pairs) > 1
                and max(pair.faster(_SECONDS["communication of rank 0"]) for pair in pairs) >= _COMMUNICATION)

    def draw(self, found, base):
        looks = (("#5b7db1", 9), ("#1a7f37", 7), ("#d9822b", 5))
        values = {what: [self.pair(found, order).faster(seconds) for order in ORDERS]
                  for what, seconds in _SECONDS.items()}
        curves = [gnuplot.curve(f"c{number}", [(place, *[value] * 3) for place, value in enumerate(values[what])],
                                look, what)
                  for number, (what, look) in enumerate(zip(values, looks))]
        most = max(value for row in values.values() for value in row)
        settings = gnuplot.name_tics(ORDERS) + f"set ylabel 'times as fast'\nset yrange [0:{most * 1.3:.3g}]\n"
        panel = gnuplot.panel("gain, by the order of the ranks", curves)
        return gnuplot.draw_panels([panel], self.title, settings, base)
