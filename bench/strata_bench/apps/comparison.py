"""One application without and with the plugin: its times, and whether its numbers agree."""

import collections
import dataclasses
import os
import re
import shutil
import statistics

from ..measuring.competitors import explaining
from ..measuring.table import SLOWER, apart_times

from .profile import Profile

WITHOUT, WITH = 0, 1  # index in all pairs; WITH is the plugin
NAMES = ("stock", "strata")
TOTAL = "total, mpirun included"
_PLAN = re.compile(r"coll:strata: why: .+? ([a-z]+)(?: of \d+ bytes)?(?: (?:from|to) rank \d+)?: ([a-z]+)")


@dataclasses.dataclass
class Comparison:
    title: str
    tolerance: float
    times: dict = dataclasses.field(default_factory=dict)  # seconds by label: (list of stock, list of strata)
    profiles: tuple = dataclasses.field(default_factory=lambda: ([], []))  # of stock's runs, of strata's
    numbers: dict = dataclasses.field(default_factory=dict)  # of the first stock run
    identical: int = 0  # numbers equal as printed in all runs
    worst: float = 0.0  # greatest relative difference
    where: str = ""  # number with that difference
    plans: str = ""
    failure: str = ""

    def speed_up(self, label=TOTAL):
        stock, strata = self.times[label]
        return statistics.median(stock) / statistics.median(strata)

    def succeeded(self):
        return not self.failure and self.worst <= self.tolerance

    def behind(self):
        """Returns whether the plugin's median total is longer by more than the general noise tolerance."""
        return not self.failure and self.speed_up() < SLOWER

    def slightly_behind(self):
        """Returns whether it is longer by less than that tolerance, but visibly in a table."""
        return not self.failure and not self.behind() and round(self.speed_up(), 2) < 1

    def apart(self):
        """Returns whether the difference exceeds the spread of the times."""
        return apart_times(self.times[TOTAL][WITH], self.times[TOTAL][WITHOUT])

    def slower(self):
        return self.behind() and self.apart()

    def verdict(self):
        count = len(self.numbers)
        if self.identical == count:
            return f"All {count} results agree with and without the plugin to the last printed digit."
        text = (f"{self.identical} of {count} results are the same to the last digit, the others to "
                f"{self.worst:.1e} ({self.where})")
        return text + ("." if self.succeeded() else f": MORE THAN {self.tolerance:.0e}.")

    def compare(self, numbers):
        """Adds the numbers of another run."""
        if not self.numbers:
            self.numbers, self.identical = numbers, len(numbers)
            return
        if numbers.keys() != self.numbers.keys():
            raise ValueError("it printed other results than before")
        same = 0
        for name, text in numbers.items():
            if text == self.numbers[name]:
                same += 1
                continue
            one, other = float(text), float(self.numbers[name])
            # `not <=`, so that a NaN counts as different.
            difference = abs(one - other) / max(abs(one), abs(other), 1e-300)
            if not difference <= self.worst:
                self.worst, self.where = (difference if difference == difference else float("inf")), name
        self.identical = min(self.identical, same)

    def to_json(self):
        return dataclasses.asdict(self) | {
            "profiles": {name: [one.to_json() for one in profiles]
                         for name, profiles in zip(NAMES, self.profiles)}}


def describe_plans(errors):
    """Summarises rank 0's explanations: "bcast 3 sizes tree, allreduce 1 size forward"."""
    counts = collections.Counter(_PLAN.findall(errors))
    return ", ".join(f"{operation} {count} size{'s' * (count > 1)} {engine}"
                     for (operation, engine), count in counts.items())


class Runner:
    """Runs an application on a cluster, each time from fresh input, and keeps the comparison.

    `pair` holds the competitors to run it with, without and with the plugin. `order` is that of the ranks.
    `profiler` is the library that measures time in MPI, or None.
    """

    def __init__(self, application, cluster, pair, folder, order="block", profiler=None):
        self.application = application
        self.order = order
        self.comparison = Comparison(f"{application.title} ({cluster.ranks} ranks, {order} order)",
                                     application.tolerance)
        self._cluster = cluster
        self._pair = pair
        self._folder = folder
        self._profiler = profiler
        self._runs = [0, 0]

    def run(self, place):
        """Runs the application once, WITHOUT or WITH the plugin. Does nothing after a failure."""
        if self.comparison.failure:
            return
        self._runs[place] += 1
        try:
            self._run(place)
        except ValueError as error:
            self.comparison.failure = f"{NAMES[place]}: {error}"

    def _run(self, place):
        application, comparison = self.application, self.comparison
        log = os.path.join(self._folder, "logs",
                           f"{application.name}-{self.order}-{NAMES[place]}-{self._runs[place]}")
        explained = place == WITH and not comparison.plans
        chosen = explaining(self._pair[place]) if explained else self._pair[place]
        environment = chosen.environment + application.environment
        if self._profiler:
            shutil.rmtree(log + ".profile", ignore_errors=True)
            os.makedirs(log + ".profile")
            environment += (("LD_PRELOAD", self._profiler), ("STRATA_PROFILE", log + ".profile"))
        work = os.path.join(self._folder, "work")
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        application.write_input(work)
        run = self._cluster.run(("--order", self.order), dataclasses.replace(chosen, environment=environment),
                                application.command(self._cluster.ranks), log, application.limit, work)
        if run.status:
            raise ValueError(f"exit status {run.status}, see {log}.err\n{run.complaint()}")
        numbers, seconds = application.read_output(run.output, work)
        comparison.compare(numbers)
        if explained:
            comparison.plans = describe_plans(run.errors)
            if not comparison.plans:
                raise ValueError("the plugin made no plan: it was not used")
        if self._profiler:
            comparison.profiles[place].append(Profile.read(log + ".profile", self._cluster.ranks))
        for label, value in {**seconds, TOTAL: run.seconds}.items():
            comparison.times.setdefault(label, ([], []))[place].append(value)


def places_of(number):
    """Returns which competitor runs first in a round, counted from 0: stock in the first, then alternating."""
    return (WITHOUT, WITH) if number % 2 == 0 else (WITH, WITHOUT)


def compare(application, cluster, pair, repetitions, folder, announce):
    """Runs an application with both competitors in turn. Calls `announce(text)` before each run."""
    runner = Runner(application, cluster, pair, folder)
    for repetition in range(repetitions):
        for place in places_of(repetition):
            announce(f"{application.name}, {NAMES[place]}, run {repetition + 1} of {repetitions}")
            runner.run(place)
    return runner.comparison
