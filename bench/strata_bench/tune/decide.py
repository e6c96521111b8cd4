"""Decides each cell's choice, and rates the choice in force.

The choice in force stays unless another contender is better by more than 2 % with the 95 % intervals of
both apart, in each of three jobs by itself, and once more in three others. Times differ more from job to
job than within one (see compare/judge.py): of two contenders that are equal except for 3 % from job to job,
one job finds the other one better in one of four cases, three jobs in one of seventeen, the six in one of
three hundred. A second run on the same machine, with other noise, then finds nothing to change.

Measured links change the model's choice in many cells at once. They are used if in the mean of these cells
its choices are no slower than before; otherwise the previous links stay. A job's processes may share cores
or see other conditions than a probe, whose results then mislead the model.
"""

import dataclasses
import statistics

from ..measuring.intervals import Interval

from .cells import FINAL, RECOUNT
from .plans import IN_FORCE


@dataclasses.dataclass(frozen=True)
class Decision:
    cell: object
    name: str  # contender to use
    before: Interval  # choice in force before this run, or None
    ours: Interval  # choice that stays if nothing is better, or None
    theirs: Interval  # contender to use, or None
    best: str  # contender with the least median, or None
    best_time: Interval  # its median

    @property
    def best_us(self):
        return self.best_time.median if self.best_time else None

    @property
    def changes(self):
        return self.name != self.cell.unruled

    @property
    def ratio(self):
        """Returns the time of the previous choice over the best; None where it was not measured."""
        return self.before.median / self.best_us if self.before else None

    @property
    def ratio_after(self):
        return self.theirs.median / self.best_us if self.theirs else None

    def why(self):
        if self.cell.failure:
            return "failed: " + self.cell.failure.split("\n")[0]
        if len(self.cell.plans.contenders) < 2:
            return "nothing else is close"
        if self.ours is None:
            return "failed" if self.cell.base in self.cell.failed else "not measured: no time left"
        if self.changes:
            return f"{1 - self.theirs.median / self.ours.median:.0%} less time, intervals apart, in every job"
        if self.best == self.cell.base:
            return "the best"
        if self.cell.finalists() and not self.cell.had_final():
            return "no time for a final"
        if self.best in self.cell.barred:
            return f"{self.best} {self.cell.barred[self.best]}"
        if better := self.cell.better(FINAL):
            return f"{better[0]} is better, " + ("but this was not confirmed" if self.cell.is_over(RECOUNT)
                                                 else "but there was no time to confirm it")
        return f"{self.best} is not clearly better ({1 - self.best_us / self.ours.median:.0%})"


def decide(cell):
    found = {} if cell.failure else cell.judged()
    ours, best = found.get(cell.base), min(found, key=lambda name: found[name].median, default=None)
    name = next(iter(cell.better(RECOUNT)), cell.base)
    return Decision(cell, name, found.get(cell.plans.before), ours, found.get(name), best,
                    found.get(best))


@dataclasses.dataclass(frozen=True)
class LinksGiven:
    """The model's choices under the measured links, compared with the previous ones."""

    cells: int  # cells in which they differ, and both were measured
    ratio: float  # geometric mean of the ratio of their times; above 1: slower

    @property
    def holds(self):
        return self.ratio <= 1


def links_given(cells):
    """Returns None if the links changed nothing."""
    pairs = [(found[IN_FORCE].median, found[before].median) for cell in cells
             if (before := cell.plans.before) not in (None, IN_FORCE) and not cell.failure
             and {IN_FORCE, before} <= (found := cell.judged()).keys()]
    ratios = [now / then for now, then in pairs if min(now, then) > 0]
    return LinksGiven(len(ratios), statistics.geometric_mean(ratios)) if ratios else None


def settle(cells):
    """Returns the choice that stays where nothing is clearly better."""
    given = links_given(cells)
    for cell in cells:
        cell.keeps_before = given is not None and not given.holds


def broken(cells):
    """Returns (cell, contender or "", error): errors of the plugin, not of the choice."""
    return ([(cell, "", cell.failure) for cell in cells if cell.failure]
            + [(cell, name, why) for cell in cells for name, why in cell.failed.items()])


@dataclasses.dataclass(frozen=True)
class Share:
    """The number of measured cells within a distance of the best."""

    within: float
    count: int
    of: int

    def __str__(self):
        return f"{self.count} of {self.of} cells ({self.value:.0%}) within {self.within:.0%} of the best"

    @property
    def value(self):
        return self.count / self.of if self.of else 0.0


def share(decisions, within, after=False):
    ratios = [ratio for one in decisions if (ratio := one.ratio_after if after else one.ratio) is not None]
    return Share(within, sum(ratio <= 1 + within for ratio in ratios), len(ratios))
