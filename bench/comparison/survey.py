"""Cell after cell: measured, or known from before; the gate takes a second look at what seems wrong."""

import dataclasses
import enum
import time

from . import judge


class Verdict(enum.IntEnum):
    """Exit status."""

    PASSED = 0
    FAILED = 1
    UNFINISHED = 3


class OutOfTime(Exception):
    """No further cell would fit."""


@dataclasses.dataclass
class Outcome:
    records: list
    suspected: list = dataclasses.field(default_factory=list)  # violations
    confirmed: list = dataclasses.field(default_factory=list)  # as the fresh run saw them
    missing: int = 0  # cells without a record
    unclear: int = 0  # suspected cells without a second look

    def broken(self):
        return [(record.cell, name, why) for record in self.records for name, why in record.broken().items()]

    def verdict(self):
        if self.confirmed or self.broken():
            return Verdict.FAILED
        return Verdict.UNFINISHED if self.missing or self.unclear else Verdict.PASSED


class Survey:
    """measure(cell, names, label, show) -> Record does the work; `names`: contenders, None for all. `seconds`: no
    cell is begun after which more than these would have passed; None: no limit."""

    def __init__(self, cells, measure, store, progress, seconds=None, clock=time.monotonic):
        self._cells, self._measure, self._store, self._progress = cells, measure, store, progress
        self._clock, self._limit, self._start = clock, seconds, clock()
        self._longest = 0.0  # cell of this session

    def run(self, gate):
        outcome = Outcome([])
        for number, cell in enumerate(self._cells, 1):
            try:
                label = f"cell {number} of {len(self._cells)}"
                outcome.records.append(self._record(cell, cell.name(), None, label, len(self._cells) - number))
            except OutOfTime:
                outcome.missing += 1
        if gate:
            self._look_again(outcome)
        return outcome

    def _look_again(self, outcome):
        for record in outcome.records:
            found = judge.violations(record)
            outcome.suspected += found
            if not found:
                continue
            names, sizes = judge.needed(found)
            cell = dataclasses.replace(record.cell, sizes=sizes)
            try:
                fresh = self._record(cell, f"again-{record.cell.name()}", names, "second look", 0)
            except OutOfTime:
                outcome.unclear += 1
                continue
            keys = {one.key for one in found}
            outcome.confirmed += [one for one in judge.violations(fresh) if one.key in keys]
            outcome.records += [fresh] if fresh.broken() else []

    def _record(self, cell, name, names, label, after):
        if known := self._store.load(name, cell):
            return known
        began = self._clock()
        spent = began - self._start
        if self._limit is not None and spent + self._longest > self._limit:
            raise OutOfTime
        left = self._longest * (after + 1) if self._longest else None
        record = self._measure(cell, names, name,
                               lambda text: self._progress.show(f"{label}: {text}", left))
        record.seconds = self._clock() - began
        self._longest = max(self._longest, record.seconds)
        self._store.save(name, record)
        self._progress.step(f"{label}: {cell.short_title()} measured")
        return record
