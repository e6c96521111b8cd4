"""Example applications that use hierarchies of communicators: that of the hardware, and others."""

import dataclasses
import os
import re
import statistics

from ..measuring import cli, competitors, place, units

from .figure import Findings

ORDERS = ("block", "cyclic", "shuffle")
TOPOLOGICAL = "topological"
OWN_CHOICE = ", own choice"
_SECONDS = 120  # seconds of a run
_TIME = re.compile(r"^(\S+) +([0-9.]+) us", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Example:
    name: str
    title: str
    program: str
    options: tuple
    hierarchies: tuple  # the others are compared with the first one
    size: str  # size of its messages, in words
    bytes: int  # size of its longest message, which determines the repetitions
    statement: str  # of the paper
    own_choice: tuple = ()  # hierarchies that are measured a second time, with coll/tuned's own choice of a Bcast
    broadcasts: str = ""  # algorithm of its Bcast otherwise

    def rows(self):
        """Returns (hierarchy, suffix of its name)."""
        return [(name, "") for name in self.hierarchies] + [(name, OWN_CHOICE) for name in self.own_choice]


def _summa(block):
    size = 8 * block * block
    return Example(f"summa-{block}", f"SUMMA on a grid of 2 x 8 processes, blocks of {block} x {block} doubles", "hierarchical_summa",
                   ("--rows", "2", "--block", str(block)), ("simple", "2", "4", TOPOLOGICAL), units.size_text(size), size,
                   "section 7.3: 5x to 12x as fast as simple, on machines of 96 to 240 cores", ("simple", TOPOLOGICAL),
                   "Bcast is coll/tuned's binary tree, as in the paper; \"own choice\": what coll/tuned itself takes")


def _gather(elements):
    size = 16 * elements
    return Example(f"gather-{elements}", f"Vectors of {elements} complex numbers, gathered and combined level by level",
                   "gather_combine", ("--elements", str(elements)), ("simple", "2,2", "2,4", "4,2", TOPOLOGICAL), units.size_text(size),
                   size, "section 7.4: about 10x as fast as four hierarchies that ignore the hardware, on 576 cores")


ALL = {"summa": (_summa(8), _summa(96)), "gather": (_gather(64), _gather(16384))}


def binary_broadcasts(competitor):
    """As in the paper; coll/tuned carries out Gather."""
    return competitors.with_parameters(competitor, {"coll_tuned_use_dynamic_rules": "1",
                                                    "coll_tuned_bcast_algorithm": "5"})


class Times:
    """Microseconds by hierarchy, one value per run: the median of its repetitions."""

    def __init__(self):
        self.us = {}
        self.failure = None

    def add(self, run, suffix=""):
        if run.status or "\n0 wrong elements" not in run.output:
            self.failure = run.complaint() or f"exit status {run.status}"
            return
        for name, us in _TIME.findall(run.output):
            self.us.setdefault(name + suffix, []).append(float(us))

    def median(self, hierarchy):
        return statistics.median(self.us[hierarchy]) if self.us.get(hierarchy) else None

    def gain(self, hierarchy, suffix):
        """Returns the speed-up by the topological hierarchy; None where one of them failed, or both are the
        same."""
        us, ours = self.median(hierarchy + suffix), self.median(TOPOLOGICAL + suffix)
        return us / ours if us and ours and hierarchy != TOPOLOGICAL else None


_SHAPE = ("--nodes", "4", "--sites", "2", "--slots", "4")
FIGURES = tuple(ALL)
FILES = r"topology\.conf"


def add_options(parser):
    group = parser.add_argument_group(f"example applications ({', '.join(FIGURES)})")
    group.add_argument("--reps", metavar="N", type=cli.count, default=10, help="repetitions in each run (10)")


def measure(names, setting):
    options = setting.options
    chosen = [example for name in names for example in ALL[name]]
    links = ["--delay-us", str(options.delay_us), "--relay-mbit", str(options.relay_mbit)]
    with setting.cluster([*_SHAPE, *links], f"4 nodes at 2 sites, 4 ranks each, {options.delay_us} us and "
                         f"{options.relay_mbit} Mbit/s between the sites") as cluster:
        measurement = Measurement(cluster, setting.built, setting.folder, options.reps, options.rounds)
        measurement.run(chosen, setting.progress)
    return ExampleFindings(measurement, chosen)


class Measurement:
    def __init__(self, cluster, built, folder, repetitions, rounds):
        self._cluster = cluster
        self._built = built
        self._folder = folder
        self._repetitions = repetitions
        self._rounds = rounds
        self.times = {}  # (example, order) -> Times

    def run(self, examples, progress):
        network = place.network(self._cluster, self._folder)["network"]
        stock = dataclasses.replace(competitors.tuned(), environment=(("STRATA_NETWORK", network),))
        cases = [(example, order) for example in examples for order in ORDERS]
        for turn in range(self._rounds):
            for number, (example, order) in enumerate(cases):
                progress.show(f"round {turn + 1} of {self._rounds}: {example.name}, {order} order ({number + 1} of {len(cases)})")
                times = self.times.setdefault((example, order), Times())
                log = f"{example.name}-{order}-{turn}"
                times.add(self._run(example, example.hierarchies, order, binary_broadcasts(stock), log))
                if example.own_choice:
                    times.add(self._run(example, example.own_choice, order, stock, f"{log}-own"), OWN_CHOICE)

    def _run(self, example, hierarchies, order, competitor, log):
        command_line = [self._built.tool(os.path.join("introspection", "examples", example.program)), *example.options,
                        "--hierarchies", ";".join(hierarchies), "--repetitions", str(self._repetitions)]
        return self._cluster.run(["--order", order], competitor, command_line, os.path.join(self._folder, "logs", log), _SECONDS)

    def failures(self):
        return [f"{example.name}, {order}: {times.failure}" for (example, order), times in self.times.items() if times.failure]


def table(measurement, examples, paint):
    lines = []
    for example in examples:
        lines += ["", paint(example.title, "bold"),
                  f"  {'milliseconds':24}" + "".join(f"{order:>22}" for order in ORDERS)]
        for hierarchy, suffix in example.rows():
            cells = []
            for order in ORDERS:
                times = measurement.times[example, order]
                us, gain = times.median(hierarchy + suffix), times.gain(hierarchy, suffix)
                cells.append(f"{units.three_digits(us / 1000) if us else 'failed':>13}{f'{gain:.2f}x' if gain else '':>9}")
            lines.append(f"  {hierarchy + suffix:24}" + "".join(cells))
        lines += [f"  {example.broadcasts}."] if example.broadcasts else []
    return lines + ["", "simple: no hierarchy. 2,4: two parts of neighbours by rank, each in four parts. topological: the levels of",
                    "the hardware, which here are 2,2 in block order. After a time: speed-up by topological."]


def verdict(measurement, examples):
    lines = []
    for example in examples:
        # In block order 2,2 is the hardware's hierarchy by another name.
        gains = [measurement.times[example, order].gain(hierarchy, suffix) for hierarchy, suffix in example.rows()
                 for order in ORDERS if (hierarchy, order) != ("2,2", "block")]
        gains = [gain for gain in gains if gain]
        if gains:
            lines.append(f"{example.name} ({example.size}): topological is {min(gains):.2f} to {max(gains):.2f} times as fast as "
                         f"the others. Paper, {example.statement}.")
    return lines


class ExampleFindings(Findings):
    def __init__(self, measurement, examples):
        self._measurement = measurement
        self._examples = examples

    def text(self, paint):
        return table(self._measurement, self._examples, paint) + [""] + verdict(self._measurement, self._examples)

    def failures(self):
        return self._measurement.failures()

    def to_json(self):
        return [{"example": example.name, "order": order, "us": times.us, "failure": times.failure}
                for (example, order), times in self._measurement.times.items()]
