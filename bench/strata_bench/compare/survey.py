"""Runs until all cells are measured or known; the gate repeats suspected violations in a second look."""

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
    confirmed: list = dataclasses.field(default_factory=list)  # the same in the fresh run
    missing: int = 0  # cells without a record
    unopposed: int = 0  # cells in which ours or the rival has no times
    unclear: int = 0  # suspected cells without a second look, or whose second look lacks times
    blind: list = dataclasses.field(default_factory=list)  # records of such second looks

    def broken(self):
        return [(record.cell, name, why) for record in self.records for name, why in record.broken().items()]

    def verdict(self):
        if self.confirmed or self.broken():
            return Verdict.FAILED
        return Verdict.UNFINISHED if self.missing or self.unopposed or self.unclear else Verdict.PASSED


class Clock:
    """The remaining time for all surveys of a session. `seconds` is None for no limit."""

    def __init__(self, seconds=None, now=time.monotonic):
        self.now, self._limit, self._start = now, seconds, now()

    def left(self):
        """Returns seconds, or None."""
        return None if self._limit is None else self._limit - (self.now() - self._start)


@dataclasses.dataclass(frozen=True)
class _Task:
    """A cell to measure."""

    cell: object
    name: str  # name of its file
    names: tuple = None  # contenders; None: all


def _anything(_task, _record):
    return True


def _opposed(_task, record):
    return judge.opposed(record)


class Survey:
    """`measure(cells, names_of, label, show)` -> {cell: series by contender} measures cells of one order;
    `names_of` gives contenders by cell, None for all. No run begins that is expected to end after the time
    is over. `limit_ms(cell, size)` is the links' limit for the judge."""

    def __init__(self, cells, measure, store, progress, clock=None, limit_ms=lambda cell, size: None):
        self._cells, self._measure, self._store, self._progress = cells, measure, store, progress
        self._clock, self._limit_ms = clock or Clock(), limit_ms
        self._longest = 0.0  # seconds per cell in this session

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
        suspected = {}  # violations by the task of their second look
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
            # A contender without times in the second look neither confirms nor clears a suspicion.
            return bool(record.broken() or confirmed(task, record)
                        or all(judge.could_see(record, one) for one in suspected[task]))

        fresh = self._records(list(suspected), "second look, cells", settled)
        for task, record in fresh.items():
            outcome.confirmed += confirmed(task, record)
            outcome.records += [record] if record.broken() else []
        outcome.blind = [record for task, record in fresh.items() if not settled(task, record)]
        outcome.unclear = len(suspected) - len(fresh) + len(outcome.blind)

    def _records(self, tasks, what, enough):
        """Returns records by task, in their order, until time is over. Measures a task again if its record
        is not enough(task, record)."""
        known = {task: self._store.load(task.name, task.cell) for task in tasks}
        waiting = {task.cell: task for task in tasks if not (known[task] and enough(task, known[task]))}
        done = len(tasks) - len(waiting)
        for part in grid.runs(list(waiting)):
            # A group that does not fit as a whole fits in part.
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
