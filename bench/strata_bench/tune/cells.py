"""Cells: one operation of one size, and the measurements of its contenders."""

import statistics

from ..measuring.intervals import interval

from .plans import FORWARD, IN_FORCE, asks_for

_HOPELESS = 1.5  # exclusion before there are intervals: this many times the slowest of the best
_ENOUGH_FOR_INTERVALS = 6
_FAVOURITES = 4  # finalists besides the choices now and before
WORTH = 0.02  # share of the time: a smaller gain is no reason for a change
FINAL_JOBS = 3
FINAL, RECOUNT = 0, 1


class Cell:
    """All times are microseconds."""

    def __init__(self, plans):
        self.plans = plans
        self.times = {one.name: [] for one in plans.contenders}
        self.finals = ([], [])  # final and recount, after the choice of finalists: {contender: times} of each job
        self.failed = {}  # by contender: why it is out
        self.others = {}  # by contender: the plugin's actual engine and levels, if other than requested
        self.failure = ""  # why it cannot be measured
        self.barred = {}  # by contender: why no rule may choose it, however fast it is here
        self.alone = False  # it failed together with other sizes
        self.keeps_before = False  # the measured links are not used, except far shares: the previous choice stays

    @property
    def operation(self):
        return self.plans.operation

    @property
    def size(self):
        return self.plans.size

    @property
    def name(self):
        return self.plans.name

    def contender(self, name):
        return next(one for one in self.plans.contenders if one.name == name)

    @property
    def unruled(self):
        """Returns the contender that is in force without another rule for this cell."""
        return self.plans.before if self.keeps_before and self.plans.before else IN_FORCE

    @property
    def base(self):
        """Returns the contender that stays if none is clearly better."""
        return IN_FORCE if self.out(self.unruled) else self.unruled

    def middle(self, name):
        """Returns the interval of a contender's times; None without any."""
        return None if self.out(name) else interval(self.times[name])

    def out(self, name):
        """Returns whether a contender delivered wrong data or did something else. The choice in force is
        exempt."""
        return name in self.failed or name in self.others and name != IN_FORCE

    def asked(self, name):
        """Returns a contender's plan if the plugin follows its settings."""
        return self.plans.chosen if name == IN_FORCE else self.contender(name)

    def note_plan(self, name, engine, levels):
        """Returns the plan that the plugin reported for a contender."""
        if not asks_for(self.asked(name).parameters, self.operation, engine, levels):
            self.others[name] = f"{engine} {levels}".strip()

    def reports_plan(self, name):
        """Returns whether the plugin reports a contender's plans: not if a parameter passes all of an
        operation through to Open MPI."""
        return dict(self.asked(name).parameters).get(f"{self.operation}_algorithm") != FORWARD

    def measured(self):
        """Returns {contender: interval} of those without errors."""
        return {name: one for name in self.times if (one := self.middle(name))}

    def best(self):
        """Returns the contender with the least median, or None."""
        found = self.measured()
        return min(found, key=lambda name: found[name].median, default=None)

    def finalists(self):
        """Returns the choice in force, the previous one, and the best of the others; none where there is
        nothing to compare. They are measured afresh, because the best of many is partly so by luck."""
        found = self.measured()
        return self._first(1)

    def favourites(self):
        """Returns the candidates for finalists."""
        return self._first(_FAVOURITES)

    def _first(self, count):
        """Returns the choice in force, the previous one, and that many others; barred contenders take no
        place."""
        found = self.measured()
        others = [name for name in found if name not in (IN_FORCE, self.plans.before)]
        if IN_FORCE not in found or not others and self.plans.before in (IN_FORCE, None):
            return []
        best, free = sorted(others, key=lambda name: found[name].median), count
        for place, name in enumerate(best):
            free -= name not in self.barred
            if free < 0:
                best = best[:place]
                break
        return [name for name in dict.fromkeys((IN_FORCE, self.plans.before, *best)) if name in found]

    def takes_part(self, look):
        """Returns the contenders of the final or the recount."""
        if look == FINAL:
            return self.finalists()
        return [self.base, better[0]] if (better := self.better(FINAL)) else []

    def jobs_of(self, look):
        """Returns the jobs in which all of them were measured."""
        names = self.takes_part(look)
        return [job for job in self.finals[look] if names and all(job.get(name) for name in names)]

    def is_over(self, look):
        return len(self.jobs_of(look)) >= FINAL_JOBS

    def had_final(self):
        """Returns whether all finalists were measured afresh."""
        return self.is_over(FINAL)

    def pooled(self, look):
        """Returns {contender: interval} over all jobs."""
        jobs = self.jobs_of(look)
        return {name: interval([time for job in jobs for time in job[name]])
                for name in self.takes_part(look) if jobs}

    def better(self, look):
        """Returns the contenders that are clearly better than the choice that otherwise stays, the best
        first: over all jobs and in each job by itself. Without the latter, differences between jobs would
        decide."""
        if self.failure or not self.is_over(look):
            return []
        found, jobs, base = self.pooled(look), self.jobs_of(look), self.base
        if base not in found:
            return []
        ours = found[base]

        def is_better(name):
            return (found[name].median < (1 - WORTH) * ours.median and ours.above(found[name])
                    and all(statistics.median(job[name]) < statistics.median(job[base]) for job in jobs))

        return sorted((name for name in found if name not in self.barred and is_better(name)),
                      key=lambda name: found[name].median)

    def hasty(self):
        """Returns whether the finalists were chosen from medians of too few repetitions, so that a better
        contender may be missing."""
        return any(len(self.times[name]) < _ENOUGH_FOR_INTERVALS for name in self.finalists())

    def judged(self):
        """Returns {contender: interval} for the decision: of the finalists if there was a final, else of
        all."""
        return self.pooled(FINAL) if self.had_final() else self.measured()

    def alive(self):
        """Returns the contenders that may still be the best."""
        return [name for name in self.times if not self.out(name) and not self._beaten(name)]

    def _beaten(self, name):
        best = self.best()
        if best is None or name == best or not self.times[name]:
            return False
        mine, theirs = self.times[name], self.times[best]
        if min(len(mine), len(theirs)) >= _ENOUGH_FOR_INTERVALS:
            return interval(mine).above(interval(theirs))
        return name != IN_FORCE and min(mine) > _HOPELESS * max(theirs)

    def wanted(self, repetitions):
        """Returns the contenders to measure until they have that many repetitions; none if nothing is open."""
        alive = self.alive()
        if self.failure or len(alive) < 2:
            return []
        return [name for name in alive if len(self.times[name]) < repetitions]

    def stake(self):
        """Returns the microseconds that a better choice may still gain over the one in force."""
        found = self.measured()
        ours = found.get(IN_FORCE)
        if ours is None:
            return 0.0
        least = min(max(0.0, one.low) if one.count >= _ENOUGH_FOR_INTERVALS else min(self.times[name])
                    for name, one in found.items())
        return max(0.0, ours.median - least)

    def regret(self):
        """Returns by how much the choice in force, or the previous one, seems slower than the best, as a
        share of the best's time."""
        found = self.measured()
        ours = [found[name].median for name in (IN_FORCE, self.plans.before) if name in found]
        return max(ours) / min(one.median for one in found.values()) - 1 if ours else 0.0

    def expected_us(self, name, scale):
        """Returns the time of one call: as measured, else as predicted times a factor."""
        if self.times[name]:
            return statistics.median(self.times[name])
        contender = self.contender(name)
        return scale * (contender.predicted_us or self.contender(IN_FORCE).predicted_us)

    def to_json(self):
        return {"contenders": [one.name for one in self.plans.contenders], "times": self.times,
                "finals": self.finals, "failed": self.failed, "others": self.others, "failure": self.failure}

    def restore(self, record):
        """Restores the data of to_json(); does nothing if the contenders have changed."""
        if record and "finals" in record and record["contenders"] == [one.name for one in self.plans.contenders]:
            self.times, self.failed, self.others = record["times"], record["failed"], record["others"]
            self.finals, self.failure = tuple(record["finals"]), record["failure"]
