"""Ranks reordered by the traffic of a program's first iteration: before and after, in the same run.

Source: the paper on introspection monitoring, sections 6.3 (Broadcast and Reduce), 6.4 (group Allgathers)
and 6.5 (CG).
"""

import dataclasses
import os
import re
import statistics

from ..cluster.plan import rank_nodes
from ..measuring import cli, competitors

from . import heat_map, link_loads, reordering_report, slow_links
from .figure import Findings

FIGURES = ("reordering",)
FILES = rf"{slow_links.FILES}|reordering\.(svg|png)"
_SECONDS = 240  # seconds of a run, besides those that the cells of the heat map may take
_LINE = re.compile(r"^(\d+) bytes, (\d+) iterations: t1 ([0-9.]+) t2 (-?[0-9.]+) t3 ([0-9.]+) .* (\d+) of \d+ ranks moved, "
                   r"watched ([0-9.]+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program and its arguments."""

    pattern: str  # pattern of iterative_reordering
    algorithm: str  # algorithm of coll/tuned, in words
    order: str  # order of the ranks along the nodes
    parameters: tuple = ()  # parameters of coll/tuned

    def name(self):
        return "-".join(word.replace(" ", "_") for word in (self.pattern, self.algorithm, self.order) if word)


def _algorithms(operation, **numbers):
    """Returns coll/tuned's own choice, and algorithms forced by number."""
    yield "its own choice", ()
    for name, number in numbers.items():
        yield name, (("coll_tuned_use_dynamic_rules", "1"), (f"coll_tuned_{operation}_algorithm", str(number)))


# In block order a rank is on the leftmost free core (the paper's "round robin"), in cyclic order on the
# next node.
TREES = tuple(Case(operation, algorithm, order, parameters)
              for operation, numbers in (("bcast", {"binary": 5, "binomial": 6}), ("reduce", {"binary": 4, "binomial": 5}))
              for algorithm, parameters in _algorithms(operation, **numbers) for order in ("block", "cyclic"))
GRID = tuple(Case("cg", "", order) for order in ("block", "cyclic", "shuffle"))
GROUPS = Case("groups", "", "cyclic")


def add_options(parser):
    group = parser.add_argument_group("reordering of ranks (reordering)")
    cli.add_sizes(group, "256K,1M", "messages of Broadcasts, Reduces and CG", "--tree-sizes")
    group.add_argument("--tree-reps", metavar="N", type=cli.count, default=3, help="repetitions of those in each run (3)")
    cli.add_sizes(group, "1K,4K,16K,64K,256K,1M", "bytes per rank's chunk of group Allgathers", "--group-sizes")
    group.add_argument("--group-iterations", metavar="LIST", type=cli.counts, default=cli.counts("1,10,100,1000"),
                       help="numbers of iterations of group Allgathers (1,10,100,1000)")
    group.add_argument("--cell-seconds", metavar="N", type=cli.count, default=15,
                       help="leave out numbers of iterations that take longer (15)")


@dataclasses.dataclass(frozen=True)
class Measured:
    """One run's seconds for a size and a number of iterations."""

    iterations: int
    before: float  # t1 of the paper
    reordering: float  # t2
    after: float  # t3
    watched: float  # of the monitored iteration
    moved: int  # number of moved ranks

    def faster(self):
        return self.before / self.after

    def gain(self):
        """Returns the gain in percent as in section 6.4."""
        return 100 * (self.before - self.reordering - self.after) / self.before

    def gain_of_program(self):
        """Returns the gain in percent if the monitored iteration, in the old order, is the first one
        (figure 1)."""
        first, others = self.before / self.iterations, (self.iterations - 1) / self.iterations
        return 100 * (self.before - first - self.reordering - self.after * others) / self.before


def parse(output):
    """Returns (size, iterations) -> Measured. Raises ValueError unless all results are right."""
    if not re.search(r"^0 wrong results$", output, re.MULTILINE):
        raise ValueError("not all results are right")
    return {(int(size), int(iterations)): Measured(int(iterations), float(t1), float(t2), float(t3), float(watched), int(moved))
            for size, iterations, t1, t2, t3, moved, watched in _LINE.findall(output)}


class Series:
    """Results of a case on a network."""

    def __init__(self):
        self.runs = {}  # (size, iterations) -> [Measured]
        self.links = {}  # size -> busiest link before and after, from the last run
        self.failure = None

    def add(self, run, needed):
        """Reads a run. Returns whether it was good; `needed` cells must not be missing."""
        try:
            found = parse(run.output)
        except ValueError as error:
            self.failure = f"{error}; exit status {run.status}\n{run.complaint()}"
            return False
        missing = [cell for cell in needed if cell not in found]
        if run.status or missing:
            self.failure = f"exit status {run.status}, {len(missing)} of {len(needed)} results are missing\n{run.complaint()}"
            return False
        for cell, measured in found.items():
            self.runs.setdefault(cell, []).append(measured)
        return True

    def values(self, cell, what):
        """Returns of(Measured) of all runs."""
        return [what(measured) for measured in self.runs.get(cell, ())]

    def median(self, cell, what):
        values = self.values(cell, what)
        return statistics.median(values) if values else None


class Measurement:
    def __init__(self, setting):
        self._setting = setting
        self.options = setting.options
        self.networks = slow_links.networks(setting.options)
        self.series = {}  # (name of a network, Case) -> Series

    def _program(self, case, log):
        """Returns the command and the cells that it has to report."""
        options = self.options
        sizes, iterations, most = (options.tree_sizes, (options.tree_reps,), 0)
        if case.pattern == "groups":
            sizes, iterations, most = options.group_sizes, options.group_iterations, options.cell_seconds
        program = self._setting.built.tool(os.path.join("introspection", "examples", "iterative_reordering"))
        return ([program, "--pattern", case.pattern, "--bytes", ",".join(map(str, sizes)),
                 "--iterations", ",".join(map(str, iterations)), "--most-seconds", str(most), "--record", log],
                [(size, iterations[0]) for size in sizes])

    def _cases(self, network):
        """Runs group Allgathers on one network only: one heat map is enough."""
        return [*TREES, *GRID, *([GROUPS] if network == self.networks[0] else [])]

    def run(self):
        for network in self.networks:
            with slow_links.opened(network, self._setting) as (cluster, stock):
                for turn in range(self.options.rounds):
                    for number, case in enumerate(cases := self._cases(network)):
                        self._setting.progress.show(f"{network.name}, round {turn + 1} of {self.options.rounds}: {case.name()} "
                                                    f"({number + 1} of {len(cases)})")
                        self._run_one(cluster, network, case, stock, turn)

    def _run_one(self, cluster, network, case, stock, turn):
        log = os.path.join(self._setting.folder, "logs", f"{network.name}-{case.name()}-{turn}")
        program, needed = self._program(case, log)
        series = self.series.setdefault((network.name, case), Series())
        # Numbers of iterations grow so that the last one takes most of the time of a size.
        seconds = _SECONDS + (2 * self.options.cell_seconds * len(needed) if case == GROUPS else 0)
        run = cluster.run(["--order", case.order], competitors.with_parameters(stock, dict(case.parameters)), program,
                          log, seconds)
        if not series.add(run, needed):
            return
        nodes = rank_nodes(cluster.plan.slots, case.order)
        for size, _ in needed:
            matrix = link_loads.read_matrix(f"{log}-{size}_sizes.0.prof")
            series.links[size] = (link_loads.busiest(cluster.plan, matrix, nodes, range(len(nodes))),
                                  link_loads.busiest(cluster.plan, matrix, nodes, link_loads.read_order(f"{log}-{size}.order")))

    def failures(self):
        return [f"{network}, {case.name()}: {series.failure}" for (network, case), series in self.series.items() if series.failure]


def measure(names, setting):
    del names  # there is one figure
    measurement = Measurement(setting)
    measurement.run()
    return ReorderingFindings(measurement)


class ReorderingFindings(Findings):
    def __init__(self, measurement):
        self._measurement = measurement

    def text(self, paint):
        return reordering_report.text(self._measurement, paint)

    def failures(self):
        return self._measurement.failures()

    def to_json(self):
        return [{"network": network, "pattern": case.pattern, "algorithm": case.algorithm, "order": case.order, "bytes": size,
                 "failure": series.failure, "links": [link and dataclasses.asdict(link) for link in series.links.get(size, ())],
                 "runs": [dataclasses.asdict(measured) | {"gain_percent": measured.gain()} for measured in runs]}
                for (network, case), series in self._measurement.series.items()
                for (size, _), runs in series.runs.items() or {(0, 0): ()}.items()]

    def draw(self, folder):
        gains = reordering_report.gains(self._measurement)
        return heat_map.draw(gains, os.path.join(folder, "reordering")) if gains else ([], "")
