"""Cells: one operation of one size, and what was measured of its contenders."""

import statistics

from ..measuring.intervals import interval

from .plans import FORWARD, IN_FORCE, asks_for

_HOPELESS = 1.5  # times as slow as the slowest of the best, before there are intervals
_ENOUGH_FOR_INTERVALS = 6
_FAVOURITES = 4  # besides what is in force and what was
WORTH = 0.02  # of the time: what is better by less is no reason to change
FINAL_JOBS = 3
FINAL, RECOUNT = 0, 1


class Cell:
    """All times are microseconds."""

    def __init__(self, plans):
        self.plans = plans
        self.times = {one.name: [] for one in plans.contenders}
        self.finals = ([], [])  # final and recount, measured once it was known of whom: {contender: times} of each job
        self.failed = {}  # by contender: why it is out
        self.others = {}  # by contender: what the plugin did instead of what was asked for
        self.failure = ""  # why nothing can be measured
        self.barred = {}  # by contender: why no rule may ask for it, however fast it is here
        self.alone = False  # together with other sizes it failed
        self.keeps_before = False  # the links that were measured are not to be used: what was in force before stays

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
        """The contender that is in force without another rule for this cell."""
        return self.plans.before if self.keeps_before and self.plans.before else IN_FORCE

    @property
    def base(self):
        """The contender that stays where none is clearly better."""
        return IN_FORCE if self.out(self.unruled) else self.unruled

    def middle(self, name):
        """The interval of a contender's times; None without any."""
        return None if self.out(name) else interval(self.times[name])

    def out(self, name):
        """Whether a contender delivered wrong data, or did something else. What is in force, is."""
        return name in self.failed or name in self.others and name != IN_FORCE

    def asked(self, name):
        """What is done for a contender, if the plugin does as it is told."""
        return self.plans.chosen if name == IN_FORCE else self.contender(name)

    def note_plan(self, name, engine, levels):
        """What the plugin said it does for a contender."""
        if not asks_for(self.asked(name).parameters, self.operation, engine, levels):
            self.others[name] = f"{engine} {levels}".strip()

    def tells(self, name):
        """Whether the plugin says what it does for a contender: not where a parameter leaves all of an operation to
        Open MPI."""
        return dict(self.asked(name).parameters).get(f"{self.operation}_algorithm") != FORWARD

    def measured(self):
        """{contender: interval} of those that did it right."""
        return {name: one for name in self.times if (one := self.middle(name))}

    def best(self):
        """The contender with the least median, or None."""
        found = self.measured()
        return min(found, key=lambda name: found[name].median, default=None)

    def finalists(self):
        """What is in force, what was before, and the best of the others; none where there is nothing to compare.
        The best of many is partly so by luck: these are to be measured afresh."""
        found = self.measured()
        return self._first(1)

    def favourites(self):
        """Those of whom the finalists will be."""
        return self._first(_FAVOURITES)

    def _first(self, count):
        """What is in force, what was before, and so many of the others; who is barred does not take a place."""
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
        """Whom the final or the recount is about."""
        if look == FINAL:
            return self.finalists()
        return [self.base, better[0]] if (better := self.better(FINAL)) else []

    def jobs_of(self, look):
        """Those in which all of them were measured."""
        names = self.takes_part(look)
        return [job for job in self.finals[look] if names and all(job.get(name) for name in names)]

    def is_over(self, look):
        return len(self.jobs_of(look)) >= FINAL_JOBS

    def had_final(self):
        """Whether all finalists were measured afresh."""
        return self.is_over(FINAL)

    def pooled(self, look):
        """{contender: interval} over all jobs."""
        jobs = self.jobs_of(look)
        return {name: interval([time for job in jobs for time in job[name]])
                for name in self.takes_part(look) if jobs}

    def better(self, look):
        """Who is clearly better than what stays otherwise, the best first: over all jobs, and in each by itself. What
        differs from job to job, not within one, would else decide."""
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
        """Whether the finalists were chosen from medians of too few repetitions: a better one may have been missed."""
        return any(len(self.times[name]) < _ENOUGH_FOR_INTERVALS for name in self.finalists())

    def judged(self):
        """{contender: interval} to decide by: of the finalists if there was a final, else of all."""
        return self.pooled(FINAL) if self.had_final() else self.measured()

    def alive(self):
        """Those that may still be the best."""
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
        """The contenders to be measured until they have so many repetitions; none if nothing is open."""
        alive = self.alive()
        if self.failure or len(alive) < 2:
            return []
        return [name for name in alive if len(self.times[name]) < repetitions]

    def stake(self):
        """Microseconds that a better choice may still gain over what is in force."""
        found = self.measured()
        ours = found.get(IN_FORCE)
        if ours is None:
            return 0.0
        least = min(max(0.0, one.low) if one.count >= _ENOUGH_FOR_INTERVALS else min(self.times[name])
                    for name, one in found.items())
        return max(0.0, ours.median - least)

    def regret(self):
        """By how much what is in force, or was, seems slower than the best, as a share of the best's time."""
        found = self.measured()
        ours = [found[name].median for name in (IN_FORCE, self.plans.before) if name in found]
        return max(ours) / min(one.median for one in found.values()) - 1 if ours else 0.0

    def expected_us(self, name, scale):
        """Of one call: as measured, else as predicted, times a factor."""
        if self.times[name]:
            return statistics.median(self.times[name])
        contender = self.contender(name)
        return scale * (contender.predicted_us or self.contender(IN_FORCE).predicted_us)

    def to_json(self):
        return {"contenders": [one.name for one in self.plans.contenders], "times": self.times,
                "finals": self.finals, "failed": self.failed, "others": self.others, "failure": self.failure}

    def restore(self, record):
        """Takes over what to_json() told; nothing if other contenders are measured now."""
        if record and "finals" in record and record["contenders"] == [one.name for one in self.plans.contenders]:
            self.times, self.failed, self.others = record["times"], record["failed"], record["others"]
            self.finals, self.failure = tuple(record["finals"]), record["failure"]
