"""Medians with confidence intervals that assume no distribution: two of the ordered values.

That the median of the population lies below the k-th smallest of n values is to find fewer than k values below
it: at most k - 1 heads in n throws of a coin. The widest k for which that is unlikely enough, and the same from
above, are the ends (Conover, Practical Nonparametric Statistics, 3.2).
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
    count: int  # of values

    def above(self, other):
        """Whether all of it is."""
        return self.low > other.high

    def times(self, factor):
        return Interval(self.median * factor, self.low * factor, self.high * factor, self.count)


def place(count, confidence=CONFIDENCE):
    """k, counted from 1: the interval is from the k-th smallest to the k-th greatest; 0 where even all values do
    not span one."""
    tail, chance = (1 - confidence) / 2, 0.0
    for heads in range(count // 2 + 1):
        chance += math.comb(count, heads) / 2 ** count
        if chance > tail:
            return heads
    return count // 2


def interval(values, confidence=CONFIDENCE):
    """Of too few values (fewer than 6 for 95 %) it is without bounds. None without values."""
    if not values:
        return None
    ordered = sorted(values)
    k = place(len(ordered), confidence)
    low, high = (ordered[k - 1], ordered[-k]) if k else (-math.inf, math.inf)
    return Interval(statistics.median(ordered), low, high, len(ordered))
