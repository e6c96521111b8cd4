"""Measures the links of each level with the program link_probe.

The model's time of a message is L + 2 o + bytes / rate, with `latency_us` L and `overhead_us` o at each
end. Measured are half a round trip h = L + 2 o; the gap g between small messages of a stream, which is o if
it is not more than h / 2; the rate of a long stream; the growth of the total rate with parallel streams over
one connection (`parallel`); and how much longer a long stream takes to, and from, ranks far from the NIC
(`far_share`, `far_send_share`).
"""

import dataclasses
import os

from ..measuring import files
from ..measuring.cluster import ClusterError
from ..measuring.intervals import Interval, interval

_SMALL, _LARGE = 8, 1 << 20  # bytes
_ROUND_TRIPS, _MESSAGES = 50, 500
_LEAST_MS = 20
_ONE_AT_A_TIME = 1.1  # times the rate of one stream: a smaller growth counts as noise
_MARK = "measured between"
_AS_FAST = 0.05  # a smaller share counts as noise
_SHARES = ("far_share", "far_send_share")
VALUES = ("latency_us", "overhead_us", "mbytes_per_s", "parallel", *_SHARES)


@dataclasses.dataclass(frozen=True)
class Link:
    """One level's link. Values by the names of the rules file, as intervals."""

    level: str
    values: dict
    pairs: int

    def entry(self):
        """Returns the entry for the rules file."""
        numbers = {name: _rounded(one.median) for name, one in self.values.items()}
        return {"level": self.level, **numbers,
                "comment": f"{_MARK} {self.pairs} pair{'s' * (self.pairs > 1)}"}

    def to_json(self):
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(fields):
        return Link(fields["level"], {name: Interval(**one) for name, one in fields["values"].items()},
                    fields["pairs"])


def experiments(levels):
    """Returns [(level, what, line of link_probe's file)]."""
    found = []
    for level in levels:
        for one in level.pairs():
            pair = f"{one[0]}-{one[1]}"
            found += [(level.kind, "round trip", f"pingpong {_SMALL} {_ROUND_TRIPS} {pair}"),
                      (level.kind, "gap", f"stream {_SMALL} {_MESSAGES} {pair}"),
                      (level.kind, "rate", f"stream {_LARGE} 0 {pair}")]
        for (a, b), (far_a, far_b) in level.far_pairs():
            found += [(level.kind, "to far", f"stream {_LARGE} 0 {a}-{far_b}"),
                      (level.kind, "from far", f"stream {_LARGE} 0 {far_a}-{b}")]
        for pairs in level.at_once():
            found.append((level.kind, "at once", f"stream {_LARGE} 0 " + " ".join(f"{a}-{b}" for a, b in pairs)))
    return found


def measure(levels, run, program, folder, seconds):
    """Returns the links of all levels that have some. run(command, log, timeout) -> Run; `seconds` is the
    approximate limit."""
    wanted = experiments([level for level in levels if level.has_links])
    if not wanted:
        return []
    listed, log = os.path.join(folder, "experiments.txt"), os.path.join(folder, "logs", "links")
    files.write_text(listed, [f"{line}  # {level}: {what}" for level, what, line in wanted])
    command = [program, "--experiments", listed, "--json", log + ".json", "--least-ms", str(_LEAST_MS),
               "--seconds", f"{seconds / len(wanted):.3f}"]
    done = run(command, log, 60 + 4 * seconds)
    records = files.read_json_lines(log + ".json", missing_ok=True)
    if done.status or len(records) < len(wanted):
        raise ClusterError(f"the links could not be measured: exit status {done.status}, {len(records)} of "
                           f"{len(wanted)} results\n{done.complaint()}")
    return evaluate(wanted, records)


def evaluate(wanted, records):
    """`records` are link_probe's output in the order of `wanted`."""
    by_level = {}
    for (level, what, _), record in zip(wanted, records, strict=True):
        by_level.setdefault(level, []).append((what, record))
    return [_link(level, its) for level, its in by_level.items()]


def _link(level, its):
    """Values of several pairs have equal weight."""
    halves, overheads, rates, sums, pairs = [], [], [], {}, set()
    far_rates = {"to far": [], "from far": []}
    for what, record in its:
        times, count = record["times"], record["count"]
        moved = count * record["bytes"] * len(record["pairs"])
        if what == "round trip":
            half = interval([time / (2 * count) for time in times])
            halves += [time / (2 * count) for time in times]
            pairs.add(tuple(record["pairs"][0]))
        elif what == "gap":  # of the same pair
            gaps = [max(0.0, time - 2 * half.median) / (count - 1) for time in times]
            overheads += [min(gap, half.median / 2) for gap in gaps]
        elif what == "rate":
            rates += [moved / time for time in times]
        elif what in far_rates:
            far_rates[what] += [moved / time for time in times]
        else:
            sums[len(record["pairs"])] = [moved / time for time in times]
    overhead = interval(overheads)
    values = {"latency_us": interval([max(0.0, half - 2 * overhead.median) for half in halves]),
              "overhead_us": overhead, "mbytes_per_s": interval(rates)}
    if sums:
        values["parallel"] = _parallel(sums)
    for name, what in (("far_share", "to far"), ("far_send_share", "from far")):
        if far_rates[what]:
            values[name] = _share(values["mbytes_per_s"].median, far_rates[what])
    return Link(level, values, len(pairs))


def _parallel(sums):
    """`sums` are total rates by number of streams."""
    one = interval(sums[1]).median
    best = max((interval(rates) for rates in sums.values()), key=lambda found: found.median).times(1 / one)
    return best if best.median >= _ONE_AT_A_TIME else best.times(1 / best.median)


def _share(near_rate, far_rates):
    """Returns the additional time of a stream as a share of that between NIC-local ranks."""
    found = interval([near_rate / rate - 1 for rate in far_rates])
    return found if found.median >= _AS_FAST else interval([0.0] * len(far_rates))


def _rounded(value):
    """Rounds to three digits, the accuracy of the measurement."""
    value = float(f"{value:.3g}")
    return int(value) if value == int(value) else value


def merged(entries, found):
    """Returns the entries of a rules file with newly measured links. Entries of a person stand first, and
    so hold."""
    measured = {one.level for one in found}
    people = [entry for entry in entries if not entry.get("comment", "").startswith(_MARK)]
    older = [entry for entry in entries if entry not in people and entry["level"] not in measured]
    return [*people, *(one.entry() for one in found), *older]


def with_shares(entries, found):
    """Returns the entries of a rules file and, of the measured links, only far_share and far_send_share. These
    decide whether another process stands in for a far root, of which the race tells nothing: it did so in the
    runs of all contenders. Entries that an earlier run left in this way are replaced; others hold."""
    names = {"level", "comment", *_SHARES}
    shares = [{name: value for name, value in one.entry().items() if name in names}
              for one in found if not one.values.keys().isdisjoint(_SHARES)]
    measured = {one["level"] for one in shares}
    kept = [entry for entry in entries if not (entry.get("comment", "").startswith(_MARK)
                                               and entry["level"] in measured and entry.keys() <= names)]
    return [*kept, *shares]


def unknown(levels, entries):
    """Returns the levels for which these entries of a rules file lack measured values."""
    def given(level):
        names = {level.kind, level.kind.rstrip("0123456789")}
        return {name for entry in entries if entry["level"] in names for name in entry}

    def wanted(level):
        absent = set() if level.at_once() else {"parallel"}
        return {*VALUES} - (absent if level.far_pairs() else absent | {*_SHARES})

    return [level for level in levels if level.has_links and not wanted(level) <= given(level)]
