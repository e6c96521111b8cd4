"""Rounds over cases and competitors, so that changes of the machine's speed affect all alike."""

import dataclasses
import os
import time

from . import cli, files, operations
from .competitors import explaining
from .series import Series, plans_in


@dataclasses.dataclass(frozen=True)
class Effort:
    """Effort of a measurement. With `rounds` 0, as many as fit into `seconds`, but at least `least`."""

    sizes: tuple
    repetitions: int
    rounds: int = 0
    least: int = 3
    seconds: float = 105
    timeout: float = 90
    most = 10

    @staticmethod
    def chosen(options, sizes, quick_sizes, quick_rounds):
        """Returns the effort for cli.add_effort, --sizes and --quick. The other arguments are the defaults
        of sizes and rounds."""
        return Effort(options.sizes or cli.sizes(quick_sizes if options.quick else sizes), options.reps,
                      options.rounds or quick_rounds * options.quick, seconds=options.seconds)


class Rounds:
    """All series, by case and competitor.

    A case has an `operation` (a name), `places` (options of `cluster run`), `root` (as collective_latency
    takes it; None for operations without one), a short_title() for people and a name() for files, and is
    hashable. Subclasses override the methods below for what else depends on the case.
    """

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
        """Returns a competitor with its options for this case."""
        return competitor

    def picture_of(self, _case, _competitor):
        """Returns the file for the plugin's picture of the hierarchy, or None."""
        return None

    def operations(self):
        """Returns the names of all measured operations."""
        return list(dict.fromkeys(case.operation for case in self.cases))

    def sizes_of(self, case):
        return operations.sizes_of(case.operation, self.effort.sizes)

    def all_series(self):
        return [series for by_name in self.series.values() for series in by_name.values()]

    def succeeded(self):
        """Returns whether the plugin had no wrong result and no failed run. Errors of Open MPI's own
        components are results like others."""
        return not any(series.failure for series in self.all_series() if series.is_plugin)

    def repetitions(self):
        """Returns how often each size was measured: (least, most)."""
        counts = [len(times) for series in self.all_series() if not series.failure
                  for times in series.times.values()] or [0]
        return min(counts), max(counts)

    def run(self, progress, seconds_after=0):
        """Runs all rounds. `seconds_after` is the expected time of the later steps, for the estimate."""
        start = time.monotonic()
        wanted = self.effort.rounds or self.effort.least
        while self.rounds < wanted:
            self._run_round(self.cases, progress, start, (0, wanted), seconds_after)
            self.rounds += 1
            spent = time.monotonic() - start
            if not self.effort.rounds:
                fitting = int(self.effort.seconds / (spent / self.rounds))
                wanted = min(self.effort.most, max(self.effort.least, fitting))
            progress.step(f"round {self.rounds} of {wanted} measured")

    def run_again(self, cases, wanted, progress):
        """Adds rounds of some cases, up to `wanted` rounds in all. Does nothing if --rounds fixes their number."""
        start, before = time.monotonic(), self.rounds
        while cases and not self.effort.rounds and self.rounds < wanted:
            self._run_round(cases, progress, start, (before, wanted))
            self.rounds += 1
            progress.step(f"round {self.rounds} of {wanted} measured, of "
                          + "; ".join(case.short_title() for case in cases))

    def _run_round(self, cases, progress, start, span, seconds_after=0):
        """`start`: when the rounds `span` began."""
        before, wanted = span
        steps = [(case, competitor) for case in cases for competitor in self.competitors_of(case)]
        for done, (case, competitor) in enumerate(steps):
            share = (self.rounds - before + done / len(steps)) / (wanted - before)
            spent = time.monotonic() - start
            if share and (self.rounds or self.effort.rounds):
                left = spent / share - spent + seconds_after
            else:
                unknown = before or self.effort.rounds
                left = None if unknown else max(0.0, self.effort.seconds - spent) + seconds_after
            progress.show(f"round {self.rounds + 1} of {wanted}: {case.short_title()}, {competitor.name}",
                          left)
            if not self.series[case][competitor.name].failure:
                self._run_one(case, competitor)

    def _run_one(self, case, competitor):
        log = os.path.join(self.folder, "logs", f"{case.name()}-{competitor.name}-{self.rounds + 1}")
        series = self.series[case][competitor.name]
        chosen = self.in_case(case, competitor)
        # A mock-up over the plugin calls other operations than the case's.
        explained = competitor.is_plugin and self.rounds == 0 and not competitor.program
        picture = self.picture_of(case, competitor) if explained else None
        if explained:
            chosen = explaining(chosen, picture)
        sizes = ",".join(map(str, self.effort.sizes))
        command = [self._program, "--op", case.operation, "--sizes", sizes,
                   *competitor.program, *(("--root", case.root) if case.root else ()),
                   "--warm-up", "1", "--reps", str(self.effort.repetitions), "--min-time", "0.05",
                   "--json", log + ".json"]
        if os.path.exists(log + ".json"):
            os.unlink(log + ".json")
        run = self.cluster.run(case.places, chosen, command, log, self.effort.timeout)
        self._collect(series, log + ".json")
        if run.status or series.mistakes():
            series.failure = f"{series.mistakes()}exit status {run.status}, see {log}.err\n{run.complaint()}"
        elif explained:
            self._note_plans(series, case.operation, run)
        if picture and os.path.exists(picture):
            self.pictures.append(picture)

    @staticmethod
    def _note_plans(series, operation, run):
        plans = plans_in(run.errors, operation)
        series.note_plans(plans)
        if not plans:
            series.failure = (f"the plugin made no plan for {operation}: it was not used\n"
                              + run.complaint())

    @staticmethod
    def _collect(series, path):
        for record in files.read_json_lines(path, missing_ok=True):
            series.add(record)

    def to_json(self):
        return {"unit": "ms", "rounds": self.rounds, "cluster": self.cluster.plan.to_json()}
