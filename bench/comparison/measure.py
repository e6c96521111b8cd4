"""One cell: rounds over all contenders."""

import dataclasses

from measuring.rounds import Effort, Rounds, Series

from . import contenders

_FIRST = 6  # repetitions in the first round: the fewest with an interval
_HOPELESS = 2  # times as slow as ours: not measured any longer
_TIMEOUT = 300  # seconds of a run


class CellRounds(Rounds):
    """The first round is short and shows who is worth more: contenders that are far slower than strata at some
    size cannot show it to be slow there."""

    may_step_aside = True  # on one node with nothing to tell ranks apart

    def __init__(self, setting, program, competitors, cell, repetitions, rounds, folder):
        self._setting = setting
        self._later = -(-(repetitions - _FIRST) // max(1, rounds - 1)) if rounds > 1 else repetitions
        super().__init__(setting.runner, program, competitors, [cell],
                         Effort(cell.sizes, repetitions, rounds, timeout=_TIMEOUT), folder)

    def competitors_of(self, case):
        return tuple(one for one in self.competitors if contenders.can(one.name, case.operation, case.order))

    def in_case(self, case, competitor):
        return contenders.in_operation(competitor, case.operation)

    def places_of(self, case):
        return self._setting.places(case.order)

    def program_options(self, case):
        return self._setting.program_options(case.order)

    def wanted_repetitions(self):
        return min(_FIRST, self._later) if self.rounds == 0 and self.effort.rounds > 1 else max(1, self._later)

    def wanted_sizes(self, case, competitor):
        theirs = self.series[case][competitor.name].times
        ours = self.series[case].get(contenders.OURS, Series()).times
        return tuple(size for size in case.sizes
                     if not (self.rounds and theirs.get(size) and ours.get(size))
                     or competitor.name == contenders.OURS or min(theirs[size]) <= _HOPELESS * max(ours[size]))


@dataclasses.dataclass
class Record:
    """What is known of a cell: series by contender."""

    cell: object
    series: dict
    seconds: float = 0

    def to_json(self):
        return {"cell": dataclasses.asdict(self.cell), "seconds": self.seconds,
                "contenders": {name: dataclasses.asdict(one) for name, one in self.series.items()}}

    @staticmethod
    def from_json(cell, record):
        def series(fields):
            by_size = {key: {int(size): value for size, value in fields[key].items()}
                       for key in ("times", "bytes", "plans")}
            return Series(**{**fields, **by_size})

        return Record(cell, {name: series(fields) for name, fields in record["contenders"].items()},
                      record["seconds"])

    def times(self):
        """Milliseconds by contender and size, of those that did it right."""
        return {name: one.times for name, one in self.series.items() if not one.failure}

    def broken(self):
        """The contenders of the plugin that failed, with the reason."""
        return {name: one.failure for name, one in self.series.items() if one.is_plugin and one.failure}
