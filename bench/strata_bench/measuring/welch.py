"""Differences of two means with confidence intervals: Student's t for unpaired values of unequal variances
(Welch)."""

import dataclasses
import math
import statistics

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Difference:
    """First mean minus second."""

    mean: float
    low: float
    high: float
    degrees: float  # degrees of freedom

    def significant(self):
        """Returns whether the interval is on one side of 0."""
        return self.low > 0 or self.high < 0


def t_quantile(chance, degrees):
    """Returns the quantile of Student's t, to three digits from 4 degrees of freedom on: the series of
    Cornish and Fisher around the normal quantile (Abramowitz and Stegun, 26.7.5)."""
    z = statistics.NormalDist().inv_cdf(chance)
    terms = ((z ** 3 + z) / 4,
             (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
             (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
             (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160)
    return z + sum(term / degrees ** power for power, term in enumerate(terms, 1))


def difference(first, second, confidence=CONFIDENCE):
    """Returns None for fewer than five values each."""
    if min(len(first), len(second)) < 5:
        return None
    mean = statistics.fmean(first) - statistics.fmean(second)
    parts = [statistics.variance(values) / len(values) for values in (first, second)]
    if not sum(parts):
        return Difference(mean, mean, mean, math.inf)
    degrees = sum(parts) ** 2 / sum(part ** 2 / (len(values) - 1) for part, values in zip(parts, (first, second)))
    half = t_quantile((1 + confidence) / 2, degrees) * math.sqrt(sum(parts))
    return Difference(mean, mean - half, mean + half, degrees)
