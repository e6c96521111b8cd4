"""Data of one competitor: times, errors, and the plugin's reported plans."""

import dataclasses
import re
import statistics

_PLAN = re.compile(r"coll:strata: why: (\S+) ([a-z]+)(?: of (\d+) bytes)?(?: (?:from|to) rank \d+)?: "
                   r"([a-z]+)(?: \(([^)]*)\))?(?: in \d+ rails)?,")
_ASIDE = re.compile(r"coll:strata: all collectives, (.*), \d+ ranks: passed through")


@dataclasses.dataclass
class Series:
    """One competitor in one case: times in milliseconds by size."""

    times: dict = dataclasses.field(default_factory=dict)
    launches: dict = dataclasses.field(default_factory=dict)  # by size: number of times that each run gave
    wrong_bytes: int = 0
    left_early: int = 0  # how often a rank left a Barrier before the last one had entered
    is_plugin: bool = False
    failure: str = ""  # error that ended its measurement
    absent: str = ""  # why it takes no part, without an error
    bytes: dict = dataclasses.field(default_factory=dict)  # by size: the size after rounding
    plans: dict = dataclasses.field(default_factory=dict)  # by size: the plugin's choice

    def median(self, size):
        """Returns the median in milliseconds; None if there is no time."""
        values = self.times.get(size)
        return statistics.median(values) if values and not self.given_up else None

    @property
    def given_up(self):
        return bool(self.failure or self.absent)

    @property
    def reason(self):
        """Returns why it was given up, without the excerpt of the log that may follow."""
        return (self.failure or self.absent).partition("\n")[0]

    def by_launch(self, size):
        """Returns the times of each run."""
        values = iter(self.times.get(size, ()))
        return [[next(values) for _ in range(count)] for count in self.launches.get(size, ())]

    def add(self, record):
        """Adds a line of collective_latency."""
        size = record["size"]
        self.wrong_bytes += record["wrong_bytes"]
        self.left_early += record["left_early"]
        self.bytes[size] = record["bytes"]
        self.times.setdefault(size, []).extend(time_us / 1e3 for time_us in record["times"])
        self.launches.setdefault(size, []).append(len(record["times"]))

    def mistakes(self):
        """Returns the errors as text; "" if there are none."""
        wrong = f"{self.wrong_bytes} wrong bytes; " if self.wrong_bytes else ""
        return wrong + ("left a Barrier too early; " if self.left_early else "")

    def note_plans(self, plans):
        """`plans` are (engine, levels) by bytes. One for 0 bytes serves all sizes, which some ranks do not
        know (Gatherv, Scatterv)."""
        for size, rounded in self.bytes.items():
            if plan := plans.get(rounded, plans.get(0)):
                self.plans[size] = plan

    def to_json(self):
        plans = {size: f"{engine} ({levels})" if levels else engine
                 for size, (engine, levels) in self.plans.items()}
        return {"times": self.times, "wrong_bytes": self.wrong_bytes, "left_early": self.left_early,
                "failure": self.failure or None, "plans": plans}


def engine_was_given(errors, operation, communicator):
    """Returns whether the plugin reports that the engine comes from the communicator's info object."""
    return re.search(rf"coll:strata: why: {re.escape(communicator)} {operation}\b.*"
                     rf"engine from info key strata_{operation}_algorithm", errors) is not None


def is_passed_at_every_size(errors, operation, communicator):
    """Returns whether the plugin reports that it makes no plans for an operation."""
    return re.search(rf"coll:strata: (?:[a-z]+, )*(?:all collectives|{operation}), (?:[a-z]+, )*"
                     rf"{re.escape(communicator)}, \d+ ranks: passed through: ", errors) is not None


def reason_against(engine, errors, operation, communicator):
    """Returns why the plugin refuses to use an engine, "" if it does not."""
    found = re.search(rf"coll:strata: why: {re.escape(communicator)} {operation}\b.*"
                      rf"not by the {engine} engine: ([^;\n]*)", errors)
    return found[1] if found else ""


def plans_reported(errors):
    """Returns a job's plans as reported by coll_strata_verbose 2: [(communicator, operation, bytes, engine,
    levels)]."""
    return [(name, operation, int(size or 0), engine, levels)
            for name, operation, size, engine, levels in _PLAN.findall(errors)]


def asides_reported(errors):
    """Returns the communicators whose calls the job reports as all passed through to the underlying
    component."""
    return _ASIDE.findall(errors)


def plans_in(errors, operation, communicator=None, may_step_aside=False):
    """Returns (engine, levels) by bytes, as the plugin reports them on standard error, for one communicator
    or for all. If it may step aside and reports that it did, one entry serves all sizes."""
    plans = {size: (engine, levels) for name, what, size, engine, levels in plans_reported(errors)
             if what == operation and communicator in (None, name)}
    if not plans and may_step_aside and any(communicator in (None, name) for name in asides_reported(errors)):
        plans = {0: ("forward", "")}
    return plans
