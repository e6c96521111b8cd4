"""Finds the best contender of each cell within a time budget.

In several heats all contenders that may still be the best get more repetitions: few at first, for all
cells, the cheapest first; then first for the cells with the largest possible gain. Contenders whose
interval lies above the best one's are out. A semifinal gives the favourites enough repetitions. In the end
the choice in force and the best of the others are measured afresh, first where the choice seems worst,
because the best of many is partly so by luck. That takes three jobs, and three more before a change,
because times differ from job to job. Sizes of one operation share a job, because its start may take longer
than the measurement.
"""

import dataclasses
import statistics
import time

from .cells import FINAL, FINAL_JOBS, RECOUNT
from .decide import settle

HEATS = (2, 6, 15, 30, 60)  # repetitions of each contender, all heats together
SEMIFINAL = 12  # repetitions of each favourite, those of the heats included
FINAL_REPETITIONS = 7  # fresh repetitions of each finalist, in each of the jobs
_RECOUNT_SHARE, _FINAL_SHARE, _SEMIFINAL_SHARE = 0.1, 0.25, 0.15  # share of the budget
_WARM_UP = 1
_LEAST_SLICE = 2  # least seconds of one job
_SLICES = 20  # slices of the budget
_REMEMBERED = 5  # jobs
_UNREPORTED = "the plugin did not report its plan"
_SILENT = "the plugin reported nothing: it was not used, or the job's standard error does not come back"


class Budget:
    """Seconds; those of an interrupted session count, too."""

    def __init__(self, seconds, spent=0, clock=time.monotonic):
        self.seconds = seconds
        self._clock, self._start = clock, clock() - spent

    @property
    def spent(self):
        return self._clock() - self._start

    @property
    def left(self):
        return self.seconds - self.spent


@dataclasses.dataclass
class Job:
    """Results of measuring a few cells."""

    seconds: float
    times: dict = dataclasses.field(default_factory=dict)  # (size, contender) -> microseconds
    wrong: dict = dataclasses.field(default_factory=dict)  # (size, contender) -> error
    plans: dict = dataclasses.field(default_factory=dict)  # (size, contender) -> (engine, levels), as the job reported
    failure: str = ""  # error of the job as a whole


class Estimate:
    """Estimates the time of jobs: a start, and per repetition the operation and its surroundings."""

    def __init__(self, startup):
        self._startup, self._around, self._scale = startup, [4e-3], [2.0]

    def seconds(self, work):
        """`work` is [(cell, contenders, repetitions)]."""
        around, scale = statistics.median(self._around), statistics.median(self._scale)
        return self._startup + sum((repetitions + _WARM_UP) * (cell.expected_us(name, scale) / 1e6 + around)
                                   for cell, names, repetitions in work for name in names)

    def learn(self, work, job):
        calls = {(cell.size, name): repetitions + _WARM_UP for cell, names, repetitions in work for name in names}
        inside = sum(statistics.fmean(times) / 1e6 * calls[key] for key, times in job.times.items() if times)
        self._around = [*self._around, max(1e-4, (job.seconds - self._startup - inside) / sum(calls.values()))]
        self._around = self._around[-_REMEMBERED:]
        ratios = [statistics.median(job.times[cell.size, name]) / predicted for cell, names, _ in work
                  for name in names if job.times.get((cell.size, name))
                  and (predicted := cell.contender(name).predicted_us)]
        self._scale = (self._scale + ratios)[-50:]


@dataclasses.dataclass(frozen=True)
class Heat:
    """A heat: repetitions per contender, and the place for their times. `reserve` is the seconds for later
    heats."""

    name: str
    repetitions: int
    reserve: float = 0.0
    most_jobs = 1  # one after the other

    def wanted(self, cell):
        return cell.wanted(self.repetitions)

    def jobs(self, _cell):
        """Returns the number of jobs still to run."""
        return 1

    def missing(self, cell, names):
        """Returns repetitions; a job gives all contenders the same number."""
        return self.repetitions - min(len(cell.times[name]) for name in names)

    def keep(self, cell, times):
        """Returns the repetitions of a job."""
        for name, its in times.items():
            cell.times[name].extend(its)


class Semifinal(Heat):
    def wanted(self, cell):
        wanted = super().wanted(cell)
        return [name for name in cell.favourites() if name in wanted]


@dataclasses.dataclass(frozen=True)
class Final(Heat):
    """Includes the recount."""

    look: int = FINAL
    most_jobs = FINAL_JOBS

    def wanted(self, cell):
        return [] if cell.failure or cell.is_over(self.look) else cell.takes_part(self.look)

    def jobs(self, cell):
        return self.most_jobs - len(cell.jobs_of(self.look))

    def missing(self, _cell, _names):
        return self.repetitions

    def keep(self, cell, times):
        cell.finals[self.look].append(times)


class Race:
    """launch(operation, work) -> Job measures; save(cell) stores results. `startup` is the seconds until a
    job measures."""

    def __init__(self, cells, launch, budget, progress, save, startup, heats=HEATS):
        self._cells, self._launch, self._budget, self._progress, self._save = cells, launch, budget, progress, save
        self._estimate, self._heats = Estimate(startup), heats

    def run(self):
        recount = _RECOUNT_SHARE * self._budget.seconds
        final = recount + _FINAL_SHARE * self._budget.seconds
        reserve = final + _SEMIFINAL_SHARE * self._budget.seconds
        for number, repetitions in enumerate(self._heats, 1):
            heat = Heat(f"heat {number} of {len(self._heats)}", repetitions, reserve)
            self._run(heat, self._cheapest_of(heat) if number == 1 else lambda cell: -cell.stake())
        semifinal = Semifinal("semifinal", SEMIFINAL, final)
        self._run(semifinal, self._cheapest_of(semifinal))
        # Time may not suffice for all: first the cells where a choice seems to be wrong.
        self._run(Final("final", FINAL_REPETITIONS, recount), lambda cell: -cell.regret())
        settle(self._cells)
        self._run(Final("recount", FINAL_REPETITIONS, look=RECOUNT), lambda cell: -cell.regret())

    def _cheapest_of(self, heat):
        return lambda cell: self._seconds([cell], heat)

    def _run(self, heat, order):
        """`order` is a key by which the cells take turns."""
        queue = sorted((cell for cell in self._cells if heat.wanted(cell)), key=order)
        while batch := self._batch(queue, heat):
            self._show(heat, batch)
            self._measure(batch, heat)
            for _ in range(1, heat.most_jobs):
                again = [cell for cell in batch if heat.wanted(cell) and not (cell.alone and len(batch) > 1)]
                # Earlier jobs may have taken longer than estimated.
                if not again or self._job_seconds(again, heat) > self._budget.left - heat.reserve:
                    break
                self._measure(again, heat)
            queue = [cell for cell in queue if cell not in batch or cell.alone and heat.wanted(cell)]

    @staticmethod
    def _work(cells, heat):
        return [(cell, names, heat.missing(cell, names)) for cell in cells if (names := heat.wanted(cell))]

    def _job_seconds(self, cells, heat):
        return self._estimate.seconds(self._work(cells, heat))

    def _seconds(self, cells, heat):
        """Estimates all jobs of a heat."""
        return max(map(heat.jobs, cells)) * self._job_seconds(cells, heat)

    def _batch(self, queue, heat):
        """Returns the first cell that fits into the remaining time, and others of its operation that fit
        into the same slice."""
        left = self._budget.left - heat.reserve
        batch, most = [], min(left, heat.most_jobs * max(_LEAST_SLICE, self._budget.seconds / _SLICES))
        for cell in queue:
            if not batch:
                if self._seconds([cell], heat) <= left:
                    batch = [cell]
            elif (cell.operation == batch[0].operation and not cell.alone and not batch[0].alone
                  and self._seconds([*batch, cell], heat) <= most):
                batch.append(cell)
        return batch

    def _measure(self, batch, heat):
        work = self._work(batch, heat)
        count = max(repetitions for _, _, repetitions in work)
        job = self._launch(batch[0].operation, [(cell, names) for cell, names, _ in work], count)
        for cell, names, _ in work:
            for name in names:
                self._check_reported(cell, name, job)
                if wrong := job.wrong.get((cell.size, name)):
                    cell.failed[name] = wrong
                if plan := job.plans.get((cell.size, name)):
                    cell.note_plan(name, *plan)
            heat.keep(cell, {name: job.times.get((cell.size, name), []) for name in names})
            self._judge(cell, names, job, len(batch) == 1)
            self._save(cell)
        if not job.failure:
            self._estimate.learn([(cell, names, count) for cell, names, _ in work], job)

    @staticmethod
    def _check_reported(cell, name, job):
        """Measurements without the plugin's report are worthless. A killed job may lose the end of its
        report."""
        if not job.times.get((cell.size, name)) or (cell.size, name) in job.plans or not cell.reports_plan(name):
            return
        if job.failure:
            del job.times[cell.size, name]
        elif job.plans:
            cell.failed.setdefault(name, _UNREPORTED)
        else:
            cell.failure = _SILENT

    @staticmethod
    def _judge(cell, names, job, single):
        """Excludes contenders with wrong data. If a job failed otherwise, each of its cells gets its own
        job."""
        if not job.failure or all(job.times.get((cell.size, name)) for name in names):
            return
        if single:
            cell.failure = job.failure
        cell.alone = True

    def _show(self, heat, batch):
        last = Heat("", self._heats[-1]) if type(heat) is Heat else heat  # as if no contender dropped out
        left = max(0.0, min(self._budget.left, heat.reserve + sum(self._seconds([cell], last) for cell in self._cells
                                                                  if last.wanted(cell))))
        sizes = f", {len(batch)} sizes" if len(batch) > 1 else ""
        self._progress.show(f"{heat.name}: {batch[0].operation}{sizes}", left,
                            self._budget.spent / max(1e-9, self._budget.spent + left))
