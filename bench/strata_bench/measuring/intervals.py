"""Medians with confidence intervals that assume no distribution: two of the ordered values.

The population's median lies below the k-th smallest of n values exactly if fewer than k values lie below
it: at most k - 1 heads in n throws of a coin. The greatest k for which that is unlikely enough, and the
same from above, are the ends (Conover, Practical Nonparametric Statistics, 3.2).
"""

import dataclasses
import math
import statistics

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Interval:
    median: float
    low: float
    high: float
    count: int  # number of values

    def above(self, other):
        """Returns whether this whole interval lies above the other one."""
        return self.low > other.high

    def times(self, factor):
        return Interval(self.median * factor, self.low * factor, self.high * factor, self.count)


def place(count, confidence=CONFIDENCE):
    """Returns k, counted from 1: the interval is from the k-th smallest to the k-th greatest; 0 where all
    values are too few for an interval."""
    tail, chance = (1 - confidence) / 2, 0.0
    for heads in range(count // 2 + 1):
        chance += math.comb(count, heads) / 2 ** count
        if chance > tail:
            return heads
    return count // 2


def interval(values, confidence=CONFIDENCE):
    """Returns the median with its interval, without bounds for too few values (fewer than 6 for 95 %). None
    without values."""
    if not values:
        return None
    ordered = sorted(values)
    k = place(len(ordered), confidence)
    low, high = (ordered[k - 1], ordered[-k]) if k else (-math.inf, math.inf)
    return Interval(statistics.median(ordered), low, high, len(ordered))
