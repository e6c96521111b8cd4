"""What counts as too slow in a cell.

Ours is slower than another way if its median is more than 1.05 times theirs and the 95 % intervals of both do not
overlap. The other ways are all contenders, and what the performance guidelines of Traeff, Gropp and Thakur ("Self-
consistent MPI performance guidelines", 2010) demand: no operation slower than others that do at least as much
(the contender `composed`), than itself with more data, or than itself with less data, as often as needed.
"""

import dataclasses

from measuring import operations, units
from measuring.intervals import Interval, interval

from . import contenders

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
        """What has to happen again in a fresh run."""
        return (self.cell.operation, self.cell.order, self.size, self.other, self.other_size)

    @property
    def ratio(self):
        return self.ours.median / self.theirs.median

    def than(self):
        """Slower than what."""
        if self.other == contenders.OURS:
            times = -(-self.size // self.other_size) if self.other_size < self.size else 1
            what = f"{operations.ALL[self.cell.operation].title} of {units.size_text(self.other_size)}"
            return f"{times} x {what}" if times > 1 else what
        if self.other == contenders.COMPOSED:
            return GUIDELINES[self.cell.operation]
        return self.other

    def to_json(self):
        return {"operation": self.cell.operation, "order": self.cell.order, "size": self.size, "than": self.than(),
                "ratio": self.ratio, "ours_ms": dataclasses.asdict(self.ours),
                "theirs_ms": dataclasses.asdict(self.theirs)}


def slower(ours, theirs):
    return ours.median > TOLERANCE * theirs.median and ours.above(theirs)


def violations(record):
    """All of a cell, the worst first."""
    times = record.times()
    found = []
    for size in record.cell.sizes:
        ours = interval(times.get(contenders.OURS, {}).get(size))
        if not ours:
            continue
        ways = [(name, size, interval(by_size.get(size))) for name, by_size in times.items()
                if name != contenders.OURS]
        ways += _own(times[contenders.OURS], record.cell, size)
        found += [Violation(record.cell, size, name, other_size, ours, theirs)
                  for name, other_size, theirs in ways if theirs and slower(ours, theirs)]
    return sorted(found, key=lambda one: -one.ratio)


def _own(times, cell, size):
    """More data takes no less time, and less data is no way to save some. Only operations with data: elsewhere
    there is one size."""
    for other in cell.sizes:
        if other != size and (theirs := interval(times.get(other))):
            # ceil(m / s) pieces of s bytes carry m; one greater message does, too.
            yield contenders.OURS, other, theirs.times(-(-size // other))


def needed(found):
    """(contenders, sizes) that a fresh run has to measure to see these again."""
    names = {contenders.OURS, *(one.other for one in found)}
    sizes = {size for one in found for size in (one.size, one.other_size)}
    return names, tuple(sorted(sizes))
