"""The conjugate gradient kernel of the NAS Parallel Benchmarks, without and with reordered ranks, in runs of its own.
Open MPI's monitoring is on in both.

Source: the paper on introspection monitoring, section 6.5, figure 7.
"""

import dataclasses
import os
import re
import statistics

from ..cluster.plan import ORDERS
from ..measuring import cli

from . import conjugate_gradient_report, slow_links
from .figure import Findings

FIGURES = ("cg",)
FILES = rf"{slow_links.FILES}|cg\.(svg|png|csv)"
# Class of the kernel -> seconds of a run.
_CLASSES = {"S": 120, "W": 120, "A": 240, "B": 1800, "C": 3600, "D": 36000}
# mpirun's option --bind-to; nodes share the machine's cores, so that several ranks may have the same.
_BINDINGS = {"unbound": "none", "bound": "core:overload-allowed"}
_LINE = re.compile(r"^class \w, \d+ ranks: execution ([0-9.]+) communication ([0-9.]+) mean ([0-9.]+) rank 0 ([0-9.]+) "
                   r"reordering (-?[0-9.]+) data ([0-9.]+), (\d+) of \d+ ranks moved, residual \S+ zeta (\S+), "
                   r"verified yes$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Case:
    letter: str  # class of the kernel
    order: str  # order of the ranks along the nodes
    binding: str

    def name(self):
        return f"cg-{self.letter}-{self.order}-{self.binding}"

    def title(self):
        return f"class {self.letter}, {self.order} order, {self.binding}"


@dataclasses.dataclass(frozen=True)
class Measured:
    """A run's seconds; those in MPI calls are of the slowest process, the mean, and rank 0."""

    execution: float
    communication: float
    mean: float
    rank_0: float
    reordering: float
    data: float  # to make the matrix for new ranks
    moved: int  # number of moved ranks
    zeta: float

    def total(self):
        return self.execution + self.reordering + self.data


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two runs, one after the other."""

    without: Measured
    reordered: Measured

    def faster(self, what):
        """Returns the speed-up; `what` returns the seconds of a run."""
        return what(self.without) / what(self.reordered)

    def gain(self, what):
        """Returns the same in percent of the seconds without."""
        return 100 * (1 - 1 / self.faster(what))


def parse(output):
    """Returns Measured. Raises ValueError unless there is one result, which is verified."""
    found = _LINE.findall(output)
    if len(found) != 1:
        raise ValueError("no verified result")
    *seconds, moved, zeta = found[0]
    return Measured(*map(float, seconds), int(moved), float(zeta))


class Series:
    """Results of a case on a network."""

    def __init__(self):
        self.pairs = []
        self.failures = []  # one per round that failed

    def rounds(self):
        return len(self.pairs) + len(self.failures)

    def add(self, without, reordered):
        """Reads the two runs of a round."""
        try:
            pair = Pair(*(self._read(run) for run in (without, reordered)))
            # The new order changes no arithmetic.
            if pair.without.zeta != pair.reordered.zeta:
                raise ValueError(f"zeta is {pair.without.zeta!r}, with reordering {pair.reordered.zeta!r}")
            self.pairs.append(pair)
        except ValueError as error:
            self.failures.append(f"round {self.rounds() + 1}: {error}")

    @staticmethod
    def _read(run):
        if run.status:
            raise ValueError(f"exit status {run.status}\n{run.complaint()}")
        return parse(run.output)

    def values(self, what):
        """Returns what(Pair) of all pairs."""
        return [what(pair) for pair in self.pairs]

    def median(self, what):
        return statistics.median(self.values(what))


def add_options(parser):
    group = parser.add_argument_group("conjugate gradient (cg)")
    group.add_argument("--classes", metavar="LIST", type=cli.some_of(tuple(_CLASSES)), default=("S", "W"),
                       help=f"classes of the kernel, by size: all, or some of {','.join(_CLASSES)} (S,W)")
    group.add_argument("--bindings", metavar="LIST", type=cli.some_of(tuple(_BINDINGS)), default=tuple(_BINDINGS),
                       help=f"whether ranks are bound to cores: all, or some of {','.join(_BINDINGS)} (all)")


class Measurement:
    def __init__(self, setting):
        self._setting = setting
        self.networks = slow_links.networks(setting.options)
        self.cases = [Case(letter, order, binding) for binding in setting.options.bindings
                      for letter in setting.options.classes for order in ORDERS]
        self.series = {(network.name, case): Series() for network in self.networks for case in self.cases}

    def run(self):
        rounds = self._setting.options.rounds
        for network in self.networks:
            with slow_links.opened(network, self._setting) as (cluster, stock):
                for turn in range(rounds):
                    for number, case in enumerate(self.cases):
                        self._setting.progress.show(f"{network.name}, round {turn + 1} of {rounds}: {case.title()} "
                                                    f"({number + 1} of {len(self.cases)})")
                        # Every other round begins with the new order.
                        runs = {reorder: self._run_one(cluster, network, case, stock, turn, reorder)
                                for reorder in ((False, True) if turn % 2 == 0 else (True, False))}
                        self.series[network.name, case].add(runs[False], runs[True])

    def _run_one(self, cluster, network, case, stock, turn, reorder):
        program = [self._setting.built.tool(os.path.join("introspection", "examples", "conjugate_gradient")),
                   "--class", case.letter]
        bound = dataclasses.replace(stock, options=(*stock.options, "--bind-to", _BINDINGS[case.binding]))
        log = os.path.join(self._setting.folder, "logs", f"{network.name}-{case.name()}-{turn}")
        if reorder:
            program, log = [*program, "--reorder"], f"{log}-reordered"
        return cluster.run(["--order", case.order], bound, program, log, _CLASSES[case.letter])

    def failures(self):
        return [f"{network}, {case.title()}, {failure}" for (network, case), series in self.series.items()
                for failure in series.failures]


def measure(names, setting):
    del names  # there is one figure
    measurement = Measurement(setting)
    measurement.run()
    return ConjugateGradientFindings(measurement)


class ConjugateGradientFindings(Findings):
    def __init__(self, measurement):
        self._measurement = measurement

    def text(self, paint):
        return conjugate_gradient_report.text(self._measurement, paint)

    def failures(self):
        return self._measurement.failures()

    def to_json(self):
        return [{"network": network, **dataclasses.asdict(case), "failures": series.failures,
                 "pairs": [dataclasses.asdict(pair) for pair in series.pairs]}
                for (network, case), series in self._measurement.series.items()]

    def draw(self, folder):
        path = conjugate_gradient_report.write_csv(self._measurement, folder)
        pictures, complaint = conjugate_gradient_report.draw(self._measurement, folder)
        return [path, *pictures], complaint
