"""Run after run: cells measured, or known from before; the gate takes a second look at what seems wrong."""

import dataclasses
import enum
import time

from . import grid, judge
from .measure import Record


class Verdict(enum.IntEnum):
    """Exit status."""

    PASSED = 0
    FAILED = 1
    UNFINISHED = 3


@dataclasses.dataclass
class Outcome:
    records: list
    suspected: list = dataclasses.field(default_factory=list)  # violations
    confirmed: list = dataclasses.field(default_factory=list)  # as the fresh run saw them
    missing: int = 0  # cells without a record
    unopposed: int = 0  # cells in which ours or the rival has no times
    unclear: int = 0  # suspected cells without a second look, or whose second look could not see
    blind: list = dataclasses.field(default_factory=list)  # records of such second looks

    def broken(self):
        return [(record.cell, name, why) for record in self.records for name, why in record.broken().items()]

    def verdict(self):
        if self.confirmed or self.broken():
            return Verdict.FAILED
        return Verdict.UNFINISHED if self.missing or self.unopposed or self.unclear else Verdict.PASSED


class Clock:
    """How much time is left, for all surveys of a session. `seconds`: None for no limit."""

    def __init__(self, seconds=None, now=time.monotonic):
        self.now, self._limit, self._start = now, seconds, now()

    def left(self):
        """Seconds, or None."""
        return None if self._limit is None else self._limit - (self.now() - self._start)


@dataclasses.dataclass(frozen=True)
class _Task:
    """A cell to be measured."""

    cell: object
    name: str  # of its file
    names: tuple = None  # contenders; None: all


def _anything(_task, _record):
    return True


def _opposed(_task, record):
    return judge.opposed(record)


class Survey:
    """measure(cells, names_of, label, show) -> {cell: series by contender} does the work for cells of one order;
    `names_of`: contenders by cell, None for all. No run is begun that seems to end after the time is over.
    `limit_ms(cell, size)`: of the links, for the judge."""

    def __init__(self, cells, measure, store, progress, clock=None, limit_ms=lambda cell, size: None):
        self._cells, self._measure, self._store, self._progress = cells, measure, store, progress
        self._clock, self._limit_ms = clock or Clock(), limit_ms
        self._longest = 0.0  # seconds for a cell, in this session

    def run(self, gate):
        outcome = Outcome([])
        tasks = [_Task(cell, cell.name()) for cell in self._cells]
        enough = _opposed if gate else _anything
        outcome.records = list(self._records(tasks, "cells", enough).values())
        outcome.missing = len(tasks) - len(outcome.records)
        if gate:
            outcome.unopposed = sum(not judge.opposed(record) for record in outcome.records)
            self._look_again(outcome)
        return outcome

    def _look_again(self, outcome):
        suspected = {}  # violations by the task that looks for them
        for record in outcome.records:
            if found := judge.violations(record, self._limit_ms):
                names, sizes = judge.needed(found)
                cell = dataclasses.replace(record.cell, sizes=sizes)
                suspected[_Task(cell, f"again-{record.cell.name()}", tuple(sorted(names)))] = found
                outcome.suspected += found

        def confirmed(task, record):
            keys = {one.key for one in suspected[task]}
            return [one for one in judge.violations(record, self._limit_ms) if one.key in keys]

        def settled(task, record):
            # Who gave no times in the second look neither confirms a suspicion nor clears it.
            return bool(record.broken() or confirmed(task, record)
                        or all(judge.could_see(record, one) for one in suspected[task]))

        fresh = self._records(list(suspected), "second look, cells", settled)
        for task, record in fresh.items():
            outcome.confirmed += confirmed(task, record)
            outcome.records += [record] if record.broken() else []
        outcome.blind = [record for task, record in fresh.items() if not settled(task, record)]
        outcome.unclear = len(suspected) - len(fresh) + len(outcome.blind)

    def _records(self, tasks, what, enough):
        """By task, in their order, as far as time goes. What is known of a task but is not enough(task, record), is
        measured again."""
        known = {task: self._store.load(task.name, task.cell) for task in tasks}
        waiting = {task.cell: task for task in tasks if not (known[task] and enough(task, known[task]))}
        done = len(tasks) - len(waiting)
        for part in grid.runs(list(waiting)):
            # What does not fit as a whole fits in part.
            part = part[:self._fitting(len(part))]
            if not part:
                break
            self._run([waiting[cell] for cell in part], known,
                      f"{what} {done + 1} to {done + len(part)} of {len(tasks)}", len(tasks) - done)
            done += len(part)
        return {task: record for task, record in known.items() if record}

    def _fitting(self, count):
        left = self._clock.left()
        if left is None or (not self._longest and left > 0):
            return count
        return max(0, min(count, int(left / self._longest) if self._longest else 0))

    def _run(self, tasks, known, label, waiting):
        began = self._clock.now()
        left = self._longest * waiting if self._longest else None
        series = self._measure([task.cell for task in tasks], {task.cell: task.names for task in tasks}, tasks[0].name,
                               lambda text: self._progress.show(f"{label}: {text}", left))
        each = (self._clock.now() - began) / len(tasks)
        self._longest = max(self._longest, each)
        for task in tasks:
            known[task] = self._new(task, series[task.cell], each)
        self._progress.step(f"{label} measured: {tasks[0].cell.order}")

    def _new(self, task, series, seconds):
        record = Record(task.cell, series, seconds)
        self._store.save(task.name, record)
        return record
