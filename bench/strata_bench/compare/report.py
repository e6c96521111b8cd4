"""The tables, the violations, CSV and JSON."""

from ..measuring import files, operations, units
from ..measuring.intervals import interval

from . import contenders
from .grid import PER_CELL, root_text

_NAME, _COLUMN = 13, 21  # columns


class Merged:
    """Returns all results: (operation, order, root) -> {contender: {size: Series}}."""

    def __init__(self, records):
        self.groups = {}
        for record in records:
            by_name = self.groups.setdefault((record.cell.operation, record.cell.order, record.cell.root), {})
            for name, series in record.series.items():
                for size in record.cell.sizes:
                    by_name.setdefault(name, {}).setdefault(size, series)

    @staticmethod
    def sizes(by_name):
        return sorted({size for by_size in by_name.values() for size in by_size})

    @staticmethod
    def interval(by_size, size):
        """Returns None without a correct time."""
        series = by_size.get(size)
        return interval(series.times.get(size)) if series and not series.given_up else None


def tables(records, suspected, paint):
    lines, slow = [], {one.key[:4] for one in suspected}
    for (operation, order, root), by_name in Merged(records).groups.items():
        sizes = Merged.sizes(by_name)
        for first in range(0, len(sizes), PER_CELL):
            lines += _table((operation, order, root), by_name, sizes[first:first + PER_CELL], slow, paint)
    return lines


def _table(what, by_name, sizes, slow, paint):
    operation, order, root = what
    title = f"{operations.ALL[operation].title}, {order}{root_text(root)}"
    lines = ["", paint(title, "bold"), f"{'':{_NAME}}" + "".join(f"{units.size_text(size):>{_COLUMN}}"
                                                                for size in sizes)]
    found = {name: {size: Merged.interval(by_size, size) for size in sizes} for name, by_size in by_name.items()}
    best = {size: min((one[size].median for one in found.values() if one[size]), default=None) for size in sizes}
    for name in filter(found.__contains__, contenders.NAMES):
        row = paint(f"{name:{_NAME}}", *(["bold"] if name == contenders.OURS else []))
        for size in sizes:
            one = found[name][size]
            styles = ["red"] if name == contenders.OURS and (*what, size) in slow else []
            if one and one.median == best[size]:
                styles = ["green", *styles[1:]] if not styles else styles
            text = "–" if any(series.absent for series in by_name[name].values()) else _interval_text(one)
            row += paint(f"{text:>{_COLUMN}}", *styles)
        lines.append(row)
    return lines


def _interval_text(one):
    if not one:
        return "failed"
    if one.low == -float("inf"):
        return f"{units.three_digits(one.median)} (too few)"
    return f"{units.three_digits(one.median)} {units.three_digits(one.low)}–{units.three_digits(one.high)}"


def notes(records):
    names = list(dict.fromkeys(record.cell.operation for record in records))
    if not names:
        return []
    return ["", f"Milliseconds from an agreed start until {operations.until(names)}: median and its",
            "95 % interval, contenders in turn in the same jobs. Green: the fastest. Sizes of Gather, Scatter and",
            "Allgather are those of all chunks together. A contender twice as slow as strata in the first round (6",
            "repetitions) was not measured further. composed: of operations that do at least as much."]


def failures(records, paint):
    """Lists the same error of the same contender once; the JSON file has the rest of its log."""
    cells = {}
    for record in records:
        for name, one in record.series.items():
            if one.given_up:
                broken = one.is_plugin and bool(one.failure)
                cells.setdefault((name, broken, one.reason), []).append(record.cell.short_title())
    lines = []
    for (name, broken, why), titles in cells.items():
        where = titles[0] if len(titles) == 1 else f"{len(titles)} cells, first {titles[0]}"
        styles = ("red", "bold") if broken else ("dim",)
        lines.append(paint(f"{'FAILED' if broken else 'Not compared'}: {name}, {where}: {why}", *styles))
    return lines


def verdict(outcome, paint):
    """Lists the gate's findings."""
    lines = [""]
    confirmed = {one.key for one in outcome.confirmed}
    if outcome.confirmed:
        lines.append(paint("VIOLATIONS, confirmed by a fresh run (ms: median, 95 % interval):", "red", "bold"))
        lines += [paint(_violation_line(one), "red") for one in outcome.confirmed]
    passing = [one for one in outcome.suspected if one.key not in confirmed]
    if passing and not outcome.unclear:
        lines.append("Suspected and not confirmed:")
    elif passing:
        lines.append("Suspected, and not confirmed or not yet repeated:")
    lines += [paint(_violation_line(one), "dim") for one in passing]
    if outcome.missing or outcome.unopposed or outcome.unclear:
        lines.append(paint(f"UNFINISHED: {outcome.missing} cells not measured, {outcome.unopposed} not compared with "
                           f"{contenders.RIVAL}, {outcome.unclear} suspected ones not repeated, or only by runs that "
                           "failed. The same command continues from here.", "bold"))
    elif not outcome.confirmed and not outcome.broken():
        lines.append(paint("PASSED: strata was nowhere slower than the best by more than 5 % with intervals apart and "
                           "in every job, and broke no guideline.", "green"))
    return lines


def _violation_line(one):
    return (f"  {one.what():42} {one.ratio:6.2f} x {one.than():24} {_interval_text(one.ours)} against "
            f"{_interval_text(one.theirs)}")


def write_csv(records, path):
    columns = ("operation", "order", "root", "size", "bytes", "contender", "repetitions", "median_ms", "low_ms", "high_ms",
               "least_ms", "greatest_ms", "plan", "failure")
    files.write_csv(path, columns, (_row(record.cell, name, one, size) for record in records
                                    for name, one in record.series.items() for size in record.cell.sizes))


def _row(cell, name, one, size):
    times = one.times.get(size, [])
    middle = interval(times)
    numbers = (middle.median, middle.low, middle.high, min(times), max(times)) if middle else ()
    texts = [f"{number:.6g}" for number in numbers] or [""] * 5
    return (cell.operation, cell.order, cell.root or "", size, one.bytes.get(size, ""), name, len(times), *texts,
            " ".join(filter(None, one.plans.get(size, ()))), one.reason)


def write_json(settings, outcome, path):
    files.write_json(path, {"unit": "ms", "settings": settings, "verdict": outcome.verdict().name.lower(),
                            "confirmed": [one.to_json() for one in outcome.confirmed],
                            "suspected": [one.to_json() for one in outcome.suspected],
                            "records": [record.to_json() for record in outcome.records]})
