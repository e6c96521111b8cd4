"""Measured costs of new communicators, compared with the limits."""

import dataclasses
import statistics

from ..measuring import units
from ..measuring.intervals import interval

OF_HAN = 0.2  # share of han's time for a communicator and its first operation
OF_TUNED = 1.1  # share of tuned's time, for communicators that see only small messages
SMALL = 4 << 10  # bytes
OF_INIT = 0.02  # share of MPI_Init's median time that the plugin takes
# Orders of the ranks in one contender's communicators, in words for tables. Few ranks have few orders.
SAME, OTHER = "same", "other"
ORDERS = {SAME: "every time the same order of ranks", OTHER: "every time another order of ranks"}
# The plugin's part of MPI_Init. Where ranks share cores, elapsed time includes other ranks' work.
_PLUGIN = {"plugin_ns": "greatest of all ranks", "plugin_mean_ns": "mean of all ranks",
           "plugin_processor_ns": "CPU time, greatest of all ranks"}
_TIMES = ("making_ns", "first_ns", "both_ns", "later_ns")


@dataclasses.dataclass
class Costs:
    """Values of all repetitions by ranks, bytes and contender: times in nanoseconds, the heap in bytes."""

    order: str = SAME
    cells: dict = dataclasses.field(default_factory=dict)  # (ranks, bytes) -> {contender: {what: [values]}}

    def add(self, line):
        cell = self.cells.setdefault((line["ranks"], line["bytes"]), {})
        values = cell.setdefault(line["contender"], {})
        for what in (*_TIMES, "heap_bytes"):
            values.setdefault(what, []).extend(line[what])

    def spread(self, key, contender, what):
        """Returns the median with its interval; None without values."""
        return interval(self.cells[key].get(contender, {}).get(what, []))

    def median(self, key, contender, what):
        found = self.spread(key, contender, what)
        return found.median if found else None

    def ratio(self, key, base):
        """Returns the plugin's time for making and first operation over another contender's."""
        ours, other = (self.median(key, name, "both_ns") for name in ("strata", base))
        return ours / other if ours and other else None

    def to_json(self):
        return [{"ranks": ranks, "bytes": size, "contenders": cell} for (ranks, size), cell in self.cells.items()]


def _time(value):
    return f"{value / 1e6:10.3f}" if value is not None else f"{'–':>10}"


def _ratio(value):
    return f"{value:8.2f}" if value else f"{'–':>8}"


def table(costs, operation, contenders, paint):
    lines = [paint(f"A new communicator and its first {operation}, {ORDERS[costs.order]}: milliseconds, medians", "bold"),
             f"  {'ranks':>5} {'bytes':>8}  {'':8}{'made':>10}{'first':>10}{'both':>10}{'later':>10}{'heap KiB':>10}"]
    for key in sorted(costs.cells):
        for name in contenders:
            values = [costs.median(key, name, what) for what in _TIMES]
            heap = costs.median(key, name, "heap_bytes")
            heap_text = f"{heap / 1024:10.1f}" if heap is not None else f"{'–':>10}"
            lines.append(f"  {key[0]:5} {units.size_text(key[1]):>8}  {name:8}{''.join(map(_time, values))}{heap_text}")
        lines.append(f"  {'':16}{paint('strata:', 'bold')} {_ratio(costs.ratio(key, 'tuned'))} times tuned's, "
                     f"{_ratio(costs.ratio(key, 'han'))} times han's")
    lines += ["Made: MPI_Comm_dup_with_info. Times of the slowest rank from an agreed start. Heap: greatest increase of a rank up to",
              "the end of the first operation; data that communicators share counts for the first of them."]
    return lines


@dataclasses.dataclass(frozen=True)
class Judgement:
    """Verdict on one limit."""

    text: str
    kept: bool

    @staticmethod
    def of(words, value, limit, allowed):
        """`words` name the judged time; `allowed` is the limit as text."""
        kept = value <= limit
        return Judgement(f"{words}: {'within' if kept else 'MORE THAN'} the {allowed} allowed.", kept)


def judgements(costs):
    found = []
    for base, limit, wanted in (("han", OF_HAN, lambda _: True), ("tuned", OF_TUNED, lambda size: size <= SMALL)):
        ratios = {key: ratio for key in costs.cells if wanted(key[1]) and (ratio := costs.ratio(key, base))}
        if ratios:
            worst = max(ratios, key=ratios.get)
            found.append(Judgement.of(f"At most {ratios[worst]:.2f} times {base}'s time ({worst[0]} ranks, "
                                      f"{units.size_text(worst[1])})", ratios[worst], limit, limit))
    return found


def verdict(costs):
    return [judgement.text for judgement in judgements(costs)]


def missed(costs, starts, oversubscribed):
    """Returns the gate's failures, by `costs` of every order: missed limits, and cells and starts without
    measurements. `oversubscribed` is set if ranks share cores."""
    lines = []
    for found in costs:
        lines += [f"{ORDERS[found.order]}: {judgement.text}" for judgement in judgements(found) if not judgement.kept]
        lines += [f"{ORDERS[found.order]}: {key[0]} ranks, {units.size_text(key[1])}: no times to compare with {base}'s"
                  for key in sorted(found.cells) for base in ("han", "tuned") if found.ratio(key, base) is None]
        if not found.cells:
            lines.append(f"{ORDERS[found.order]}: nothing was measured")
    return lines + starts.missed(oversubscribed)


@dataclasses.dataclass
class Starts:
    """MPI_Init's time in the slowest rank and the plugin's part of it, in nanoseconds by contender."""

    jobs: dict = dataclasses.field(default_factory=dict)  # contender -> [{"ranks": ..., "init_ns": ...}], with _PLUGIN

    def add(self, contender, job):
        self.jobs.setdefault(contender, []).append(job)

    def _values(self, contender, what):
        return [job[what] for job in self.jobs.get(contender, ()) if job[what] >= 0]

    def median(self, contender, what):
        values = self._values(contender, what)
        return statistics.median(values) if values else None

    def share(self, what="plugin_ns"):
        """Returns medians of the plugin's part of MPI_Init; None without measurements."""
        whole, own = (self.median("strata", which) for which in ("init_ns", what))
        return own / whole if whole and own else None

    def report(self, paint):
        if not self.jobs:
            return []
        ranks = next(iter(self.jobs.values()))[0]["ranks"]
        lines = [paint(f"MPI_Init of {ranks} ranks, its slowest: milliseconds, medians of "
                       f"{max(map(len, self.jobs.values()))} jobs", "bold")]
        for name in self.jobs:
            values = self._values(name, "init_ns")
            lines.append(f"  {name:8}{_time(self.median(name, 'init_ns'))}  ({min(values) / 1e6:.3f}–{max(values) / 1e6:.3f})")
        return lines + [judgement.text for judgement in self.judgements().values()]

    def judgements(self):
        """Lists each measured part of the plugin."""
        return {what: Judgement.of(f"Of that in the plugin, {words}: {self.median('strata', what) / 1e6:.3f}, "
                                   f"{100 * share:.2f} %", share, OF_INIT, f"{100 * OF_INIT:g} %")
                for what, words in _PLUGIN.items() if (share := self.share(what)) is not None}

    def missed(self, oversubscribed):
        """Returns missed limits. If ranks are `oversubscribed`, only the plugin's CPU time counts."""
        if not self.jobs:
            return []  # no starts were requested
        found = {what: judgement for what, judgement in self.judgements().items()
                 if not oversubscribed or what == "plugin_processor_ns"}
        lines = [judgement.text for judgement in found.values() if not judgement.kept]
        return lines if found else ["MPI_Init: nothing was measured of the plugin"]

    def to_json(self):
        return self.jobs
