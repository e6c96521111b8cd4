"""Rounds over cases and competitors, so that all of them meet the same weather."""

import dataclasses
import json
import os
import re
import statistics
import time

from . import operations
from .competitors import explaining

_PLAN = re.compile(r"coll:strata: \S+ ([a-z]+) of (\d+) bytes from rank \d+: ([a-z]+)(?: \(([^)]*)\))?,")
_ASIDE = re.compile(r"coll:strata: \S*: everything is left to the previous component")


@dataclasses.dataclass
class Series:
    """One competitor in one case: times in milliseconds by size."""

    times: dict = dataclasses.field(default_factory=dict)
    wrong_bytes: int = 0
    left_early: int = 0  # how often a rank left a Barrier before the last one had entered
    is_plugin: bool = False
    failure: str = ""  # why it was given up
    bytes: dict = dataclasses.field(default_factory=dict)  # by size: what it was rounded to
    plans: dict = dataclasses.field(default_factory=dict)  # by size: what the plugin chose

    def median(self, size):
        """In milliseconds; None if there is no time."""
        values = self.times.get(size)
        return statistics.median(values) if values and not self.failure else None

    def to_json(self):
        plans = {size: f"{engine} ({levels})" if levels else engine
                 for size, (engine, levels) in self.plans.items()}
        return {"times": self.times, "wrong_bytes": self.wrong_bytes, "left_early": self.left_early,
                "failure": self.failure or None, "plans": plans}


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much to measure. With `rounds` 0, as many as fit into `seconds`, but at least `least`."""

    sizes: tuple
    repetitions: int
    rounds: int = 0
    least: int = 3
    seconds: float = 105
    timeout: float = 90
    most = 10


class Rounds:
    """All series, by case and competitor.

    A case has an `operation` (a name), `places` (options of `cluster run`; see places_of), `root` (as collective_latency
    takes it; None for operations without one), a short_title() for people and a name() for files, and is
    hashable. What else depends on the case, subclasses say in the methods below.
    """

    may_step_aside = False  # the plugin may find that there is nothing to gain, and be no competitor then

    def __init__(self, cluster, program, competitors, cases, effort, folder):
        self.cluster = cluster
        self.competitors = competitors
        self.cases = cases
        self.effort = effort
        self.folder = folder
        self.rounds = 0
        self.series = {case: {competitor.name: Series(is_plugin=competitor.is_plugin)
                              for competitor in self.competitors_of(case)}
                       for case in cases}
        self.pictures = []
        self._program = program

    def competitors_of(self, _case):
        return self.competitors

    def in_case(self, _case, competitor):
        """A competitor with what it has to be told in this case."""
        return competitor

    def picture_of(self, _case, _competitor):
        """File for the plugin's picture of the hierarchy, or None."""
        return None

    def places_of(self, case):
        return case.places

    def program_options(self, _case):
        """Further options of collective_latency."""
        return ()

    def wanted_sizes(self, _case, _competitor):
        """Those to be measured in this round; none: nothing is."""
        return self.effort.sizes

    def wanted_repetitions(self):
        """In this round, at least."""
        return self.effort.repetitions

    def operations(self):
        """The names of all operations that are measured."""
        return list(dict.fromkeys(case.operation for case in self.cases))

    def sizes_of(self, case):
        return operations.sizes_of(case.operation, self.effort.sizes)

    def all_series(self):
        return [series for by_name in self.series.values() for series in by_name.values()]

    def succeeded(self):
        """With the plugin no wrong result and no failed run. What Open MPI's own components do wrong is a
        result like others."""
        return not any(series.failure for series in self.all_series() if series.is_plugin)

    def repetitions(self):
        """How often each size was measured: (least, most)."""
        counts = [len(times) for series in self.all_series() if not series.failure
                  for times in series.times.values()] or [0]
        return min(counts), max(counts)

    def run(self, progress, seconds_after=0):
        """Runs all rounds. `seconds_after`: what is expected to follow them, for the estimate."""
        start = time.monotonic()
        wanted = self.effort.rounds or self.effort.least
        while self.rounds < wanted:
            self._run_round(progress, start, wanted, seconds_after)
            self.rounds += 1
            spent = time.monotonic() - start
            if not self.effort.rounds:
                fitting = int(self.effort.seconds / (spent / self.rounds))
                wanted = min(self.effort.most, max(self.effort.least, fitting))
            progress.step(f"round {self.rounds} of {wanted} measured")

    def _run_round(self, progress, start, wanted, seconds_after):
        steps = [(case, competitor) for case in self.cases for competitor in self.competitors_of(case)]
        for done, (case, competitor) in enumerate(steps):
            share = (self.rounds + done / len(steps)) / wanted
            spent = time.monotonic() - start
            if self.rounds or (self.effort.rounds and done):
                left = spent / share - spent + seconds_after
            else:
                left = None if self.effort.rounds else max(0.0, self.effort.seconds - spent) + seconds_after
            progress.show(f"round {self.rounds + 1} of {wanted}: {case.short_title()}, {competitor.name}",
                          left)
            sizes = self.wanted_sizes(case, competitor)
            if sizes and not self.series[case][competitor.name].failure:
                self._run_one(case, competitor, sizes)

    def _run_one(self, case, competitor, sizes):
        log = os.path.join(self.folder, "logs", f"{case.name()}-{competitor.name}-{self.rounds + 1}")
        series = self.series[case][competitor.name]
        chosen = self.in_case(case, competitor)
        # A mock-up over the plugin calls other operations than that of the case.
        explained = competitor.is_plugin and self.rounds == 0 and not competitor.program
        picture = self.picture_of(case, competitor) if explained else None
        if explained:
            chosen = explaining(chosen, picture)
        command = [self._program, "--op", case.operation, "--sizes", ",".join(str(size or 1) for size in sizes),
                   *competitor.program, *self.program_options(case),
                   *(("--root", case.root) if case.root else ()),
                   "--warm-up", "1", "--reps", str(self.wanted_repetitions()), "--min-time", "0.05",
                   "--json", log + ".json"]
        if os.path.exists(log + ".json"):
            os.unlink(log + ".json")
        run = self.cluster.run(self.places_of(case), chosen, command, log, self.effort.timeout)
        self._collect(series, log + ".json")
        if run.status or series.wrong_bytes or series.left_early:
            wrong = f"{series.wrong_bytes} wrong bytes; " if series.wrong_bytes else ""
            early = "left a Barrier too early; " if series.left_early else ""
            series.failure = f"{wrong}{early}exit status {run.status}, see {log}.err\n{run.complaint()}"
        elif explained:
            self._note_plans(series, case.operation, run)
        if picture and os.path.exists(picture):
            self.pictures.append(picture)

    def _note_plans(self, series, operation, run):
        plans = {int(size): (engine, levels) for name, size, engine, levels in _PLAN.findall(run.errors)
                 if name == operation}
        if not plans and self.may_step_aside and _ASIDE.search(run.errors):
            plans = {0: ("forward", "")}
        for size, rounded in series.bytes.items():
            # A plan for 0 bytes serves all sizes: not every rank knows them (Gatherv, Scatterv).
            if plan := plans.get(rounded, plans.get(0)):
                series.plans[size] = plan
        if not plans:
            series.failure = (f"the plugin made no plan for {operation}: it was not used\n"
                              + run.complaint())

    @staticmethod
    def _collect(series, path):
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                series.wrong_bytes += record["wrong_bytes"]
                series.left_early += record["left_early"]
                series.bytes[record["size"]] = record["bytes"]
                times = series.times.setdefault(record["size"], [])
                times += [time_us / 1e3 for time_us in record["times"]]

    def to_json(self):
        return {"unit": "ms", "rounds": self.rounds, "cluster": self.cluster.plan.to_json()}
