"""Measures cells of one order: rounds over all contenders, each a run that all of them and all cells share."""

import dataclasses

from ..measuring.series import Series
from ..measuring.shared_run import Job, SharedRun

from . import contenders

_FIRST = 6  # repetitions in the first round: the fewest with an interval
_HOPELESS = 2  # contenders this many times slower than ours are not measured further
_TIMEOUT = (240, 120)  # seconds of a run, and more for each cell


class CellRounds:
    """Rounds of measurements. The first round is short and drops contenders that are far slower than strata
    at some size: they cannot show strata to be slow there."""

    def __init__(self, setting, program, competitors, repetitions, rounds, folder, block=1):
        """`block`: calls per repetition, one after the other."""
        self._setting, self._program, self._folder = setting, program, folder
        self._competitors, self._rounds, self._block = competitors, rounds, block
        self._later = -(-(repetitions - _FIRST) // max(1, rounds - 1)) if rounds > 1 else repetitions

    def run(self, cells, names_of, label, show):
        """Measures. `names_of` gives the wanted contenders by cell, or is None for all. `label` names the
        logs. Returns the series by contender, by cell."""
        order = cells[0].order
        series = {cell: {one.name: Series(is_plugin=one.is_plugin) for one in self._competitors
                         if contenders.can(one.name, cell.operation, order)
                         and (names_of[cell] is None or one.name in names_of[cell])} for cell in cells}
        shared = SharedRun(self._setting.runner, self._program, self._setting.places(order),
                           (*self._setting.program_options(order), "--block", str(self._block)), self._folder)
        for number in range(self._rounds):
            jobs = [Job(cell.operation, cell.root, {name: self._wanted(number, cell, name, by_name)
                                                    for name in by_name}, by_name)
                    for cell, by_name in series.items()]
            show(f"{order}, round {number + 1} of {self._rounds}")
            shared.measure(self._competitors, jobs, self._repetitions(number), f"{label}-{number + 1}",
                           _TIMEOUT[0] + _TIMEOUT[1] * len(cells), explained=number == 0)
        return series

    def _repetitions(self, number):
        return min(_FIRST, self._later) if number == 0 and self._rounds > 1 else max(1, self._later)

    @staticmethod
    def _wanted(number, cell, name, by_name):
        """Returns the sizes to measure in this round."""
        if by_name[name].given_up:
            return ()
        ours, theirs = by_name.get(contenders.OURS, Series()).times, by_name[name].times
        return tuple(size for size in cell.sizes
                     if not (number and theirs.get(size) and ours.get(size)) or name == contenders.OURS
                     or min(theirs[size]) <= _HOPELESS * max(ours[size]))


@dataclasses.dataclass
class Record:
    """Results of a cell: series by contender."""

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
                       for key in ("times", "launches", "bytes", "plans")}
            return Series(**{**fields, **by_size})

        return Record(cell, {name: series(fields) for name, fields in record["contenders"].items()},
                      record["seconds"])

    def able(self):
        """Returns series by contender, without those with errors."""
        return {name: one for name, one in self.series.items() if not one.given_up}

    def broken(self):
        """Returns the plugin's contenders that failed, with the reason."""
        return {name: one.failure for name, one in self.series.items() if one.is_plugin and one.failure}
