"""Criteria for a cell that is too slow.

Ours is slower than another way if
- its median is more than 1.05 times theirs, and the 95 % intervals of both do not overlap, and
- its median is the greater one in each run of the program by itself.
Repetitions of one run are not independent: they share the placement of processes, buffers and connections,
and times differ more from run to run than within one (Hunold and Carpen-Amarie, "Reproducible MPI
benchmarking is still not as easy as you think", 2016, who repeat whole runs for that reason). Intervals
over all repetitions ignore it; resampling whole runs would not, but with three runs it finds far too much
(Cameron, Gelbach and Miller, "Bootstrap-based improvements for inference with clustered errors", 2008).
Agreement of all runs needs no assumption: without a real difference three runs agree once in eight times,
and those of a second look as well once in 64.

The other ways are all contenders, and those of the performance guidelines of Traeff, Gropp and Thakur
("Self-consistent MPI performance guidelines", 2010): no operation may be slower than others that do at
least as much (the contender `composed`), than itself with more data, or than itself with less data,
repeated as needed. The last guideline assumes a constant link rate: a link that lets a first burst through
carries one short message for nothing, but not sixteen in a row. The judge therefore requires only what the
links allow at their rate.
"""

import dataclasses
import statistics

from ..measuring import operations, units
from ..measuring.intervals import Interval, interval

from . import contenders, grid

TOLERANCE = 1.05
GUIDELINES = {"bcast": "Scatter + Allgather", "reduce": "Allreduce", "allreduce": "Reduce + Bcast",
              "allgather": "Gather + Bcast", "gather": "Allgather", "barrier": "Allreduce of 1 byte"}


@dataclasses.dataclass(frozen=True)
class Violation:
    cell: object
    size: int
    other: str  # contender
    other_size: int
    ours: Interval  # milliseconds
    theirs: Interval

    @property
    def key(self):
        """Identifies a violation that a fresh run has to reproduce."""
        return (self.cell.operation, self.cell.order, self.cell.root, self.size, self.other, self.other_size)

    @property
    def ratio(self):
        return self.ours.median / self.theirs.median

    def than(self):
        """Names the faster way."""
        if self.other == contenders.OURS:
            times = -(-self.size // self.other_size) if self.other_size < self.size else 1
            what = f"{operations.ALL[self.cell.operation].title} of {units.size_text(self.other_size)}"
            return f"{times} x {what}" if times > 1 else what
        if self.other == contenders.COMPOSED:
            return GUIDELINES[self.cell.operation]
        return self.other

    def what(self):
        """Names the slower cell."""
        root = grid.root_text(self.cell.root if self.cell.root != "0" else None)
        return (f"{operations.ALL[self.cell.operation].title}, {self.cell.order}{root}, "
                f"{units.size_text(self.size)}")

    def to_json(self):
        return {"operation": self.cell.operation, "order": self.cell.order, "root": self.cell.root,
                "size": self.size, "than": self.than(), "ratio": self.ratio,
                "ours_ms": dataclasses.asdict(self.ours), "theirs_ms": dataclasses.asdict(self.theirs)}


@dataclasses.dataclass(frozen=True)
class Sample:
    """Times of one way at one size."""

    all: Interval
    medians: tuple  # median of each run, None if it gave no time

    @staticmethod
    def of(series, size, times=1):
        """Returns the times of `times` calls in a row; None without any."""
        found = interval(series.times.get(size)) if series else None
        return found and Sample(found.times(times), tuple(times * statistics.median(values) if values else None
                                                          for values in series.by_launch(size)))

    def at_least(self, limit):
        """Returns the same times, none below `limit` milliseconds."""
        return Sample(Interval(*(max(value, limit) for value in (self.all.median, self.all.low, self.all.high)),
                               self.all.count), tuple(value and max(value, limit) for value in self.medians))

    def slower(self, other):
        """The rule."""
        pairs = [pair for pair in zip(self.medians, other.medians) if None not in pair]
        return (self.all.median > TOLERANCE * other.all.median and self.all.above(other.all)
                and all(ours > theirs for ours, theirs in pairs))


def violations(record, limit_ms=lambda cell, size: None):
    """Returns all violations of a cell, the worst first. `limit_ms` is the least time that the links allow,
    None for no limit."""
    able = record.able()
    found = []
    for size in record.cell.sizes:
        ours = Sample.of(able.get(contenders.OURS), size)
        if not ours:
            continue
        ways = [(name, size, Sample.of(series, size)) for name, series in able.items() if name != contenders.OURS]
        ways += _own(able[contenders.OURS], record.cell, size, limit_ms(record.cell, size))
        found += [Violation(record.cell, size, name, other_size, ours.all, theirs.all)
                  for name, other_size, theirs in ways if theirs and ours.slower(theirs)]
    return sorted(found, key=lambda one: -one.ratio)


def opposed(record):
    """Returns whether ours and the rival have times at all sizes, without which the gate cannot pass. If
    ours is broken, that is judged instead."""
    able = record.able()
    return bool(record.broken()) or all(Sample.of(able.get(name), size) for size in record.cell.sizes
                                        for name in (contenders.OURS, contenders.RIVAL))


def could_see(record, violation):
    """Returns whether both ways have times, so that this record would show the violation, too."""
    able = record.able()
    return all(Sample.of(able.get(name), size) for name, size in
               ((contenders.OURS, violation.size), (violation.other, violation.other_size)))


def _own(series, cell, size, limit):
    """Yields the guidelines on sizes: more data takes no less time, and splitting saves none. Only for
    operations with data; others have one size."""
    for other in cell.sizes:
        if other == size:
            continue
        # ceil(m / s) pieces of s bytes carry m; one greater message does, too.
        sample = Sample.of(series, other, -(-size // other))
        yield contenders.OURS, other, sample.at_least(limit) if sample and limit and other < size else sample


def needed(found):
    """Returns the (contenders, sizes) that a fresh run has to measure to reproduce these."""
    names = {contenders.OURS, *(one.other for one in found)}
    sizes = {size for one in found for size in (one.size, one.other_size)}
    return names, tuple(sorted(sizes))
