"""The table and the verdict in plain words."""

import os
import statistics
import sys

from . import units

WORTH_COMPARING = 64 << 10  # bytes; below, the time is that of processes waiting for a processor
WORTH_A_SHARE = 256 << 10  # bytes; below, the rate of a link is not what limits
_SLOWER = 0.95  # a speed-up below this is called slower, in between is noise

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32"}


class Paint:
    """Colours, where they are wanted."""

    def __init__(self, wanted):
        self._wanted = wanted

    @staticmethod
    def for_stream(stream=sys.stdout):
        return Paint(stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")

    def __call__(self, text, *styles):
        if not self._wanted or not styles:
            return text
        return f"\033[{';'.join(_CODES[style] for style in styles)}m{text}\033[0m"


def _cell(series, size, limit):
    """Median, spread and share of the limit, 25 columns."""
    median = series.median(size)
    if median is None:
        return f"{'failed' if series.failure else 'no time':>8}{'':17}"
    times = series.times[size]
    spread = f"{units.three_digits(min(times))}–{units.three_digits(max(times))}"
    share = f"{100 * limit / median:.0f}%" if limit and size >= WORTH_A_SHARE else ""
    return f"{units.three_digits(median):>8} {spread:>11} {share:>4}"


def speed_up(by_name, other, size):
    """How many times as fast as another strata is, by medians; None if either has none."""
    ours, theirs = by_name["strata"].median(size), by_name[other].median(size)
    return theirs / ours if ours and theirs else None


def _speed_up_cell(value, size, paint):
    if value is None:
        return f"{'–':>8}"
    number = units.three_digits(value) if value >= 9.995 else f"{value:.2f}"
    text = f"{number + 'x':>8}"
    if size < WORTH_COMPARING:
        return paint(text, "dim")
    return paint(text, "green" if value > 1 / _SLOWER else "red" if value < _SLOWER else "bold")


def table(measurement, paint):
    """The lines of all tables, at most 100 columns."""
    names = [competitor.name for competitor in measurement.competitors]
    lines = []
    for case, by_name in measurement.series.items():
        lines += ["", paint(case.title(), "bold"),
                  f"{'':9}" + "".join(f"{name:^25}" for name in names) + f"{'speed-up over':>16}",
                  f"{'size':>9}" + f"{'median':>8} {'min–max':>11} {'%':>4}" * len(names)
                  + "".join(f"{name:>8}" for name in names[:-1])]
        for size in measurement.effort.sizes:
            row = f"{units.size_text(size):>9}" + "".join(
                _cell(by_name[name], size, measurement.limit(size)) for name in names)
            styles = ("dim",) if size < WORTH_COMPARING else ()
            lines.append(paint(row, *styles) + "".join(
                _speed_up_cell(speed_up(by_name, name, size), size, paint) for name in names[:-1]))
    return lines


def notes(measurement):
    """What the numbers mean."""
    counts = sorted(len(times) for series in measurement.all_series() for times in series.times.values())
    repetitions = units.range_text([str(count) for count in counts or [0]])
    rounds = f"{measurement.rounds} round" + ("s" if measurement.rounds > 1 else "")
    lines = ["", "Milliseconds from an agreed start until the last rank has the message,",
             f"{repetitions} repetitions in {rounds}, the competitors in turn."]
    large = max(measurement.effort.sizes)
    if measurement.limit(large) and large >= WORTH_A_SHARE:
        least = units.three_digits(measurement.limit(large))
        lines.append(f"%: share of what the slowest links allow ({least} ms for {units.size_text(large)}).")
    if min(measurement.effort.sizes) < WORTH_COMPARING:
        lines.append(f"Below {units.size_text(WORTH_COMPARING)} the times are mostly those of "
                     f"{os.cpu_count()} processors serving all ranks: read them as noise.")
    return lines


def _range(values):
    return units.range_text([f"{value:.1f}" for value in sorted(values)])


def _case_verdict(measurement, case):
    by_name = measurement.series[case]
    others = [competitor.name for competitor in measurement.competitors[:-1]]
    sizes = [size for size in measurement.effort.sizes
             if size >= WORTH_COMPARING and by_name["strata"].median(size)]
    start = case.short_title().capitalize()
    if not sizes:
        return [f"{start}: no size from {units.size_text(WORTH_COMPARING)} up to compare."]
    parts = []
    for other in others:
        values = [value for value in (speed_up(by_name, other, size) for size in sizes) if value]
        if values:
            parts.append(f"{_range(values)} times as fast as {other}")
    lines = [f"{start}, from {units.size_text(min(sizes))} up: strata is",
             "    " + " and ".join(parts) + ";"] if parts else []
    large = max(sizes)
    median, limit = by_name["strata"].median(large), measurement.limit(large)
    last = f"    a message of {units.size_text(large)} takes {units.three_digits(median)} ms"
    if limit and large >= WORTH_A_SHARE:
        last += f", {100 * limit / median:.0f} % of what the link allows"
    return lines + [last + "."]


def _apart(by_name, other, size):
    """Whether the middle halves of the times do not overlap, and ours are the longer ones."""
    ours, theirs = (by_name[name].times[size] for name in ("strata", other))
    if min(len(ours), len(theirs)) < 2:
        return True
    lower, _, _ = statistics.quantiles(ours, method="inclusive")
    _, _, upper = statistics.quantiles(theirs, method="inclusive")
    return lower > upper


def slower(measurement):
    """(case, size, other, speed-up, whether it is more than noise) wherever strata's median is behind."""
    others = [competitor.name for competitor in measurement.competitors[:-1]]
    return [(case, size, other, value, _apart(by_name, other, size))
            for case, by_name in measurement.series.items()
            for size in measurement.effort.sizes for other in others
            if size >= WORTH_COMPARING and (value := speed_up(by_name, other, size)) and value < _SLOWER]


def verdict(measurement, paint):
    lines = [""]
    for case in measurement.cases:
        lines += _case_verdict(measurement, case)
    lost = slower(measurement)
    for case, size, other, value, certain in lost:
        text = f"{units.size_text(size)}, {case.short_title()}: {value:.2f} times as fast as {other}"
        lines.append(paint(f"SLOWER: {text}.", "red") if certain
                     else f"Uncertain: {text}; the times overlap.")
    if not lost and max(measurement.effort.sizes) >= WORTH_COMPARING:
        lines.append(f"From {units.size_text(WORTH_COMPARING)} up, strata was nowhere slower than the others "
                     f"(by more than {100 * (1 - _SLOWER):.0f} %).")
    wrong = sum(series.wrong_bytes for series in measurement.all_series())
    lines.append(paint(f"WRONG DATA: {wrong} bytes.", "red", "bold") if wrong
                 else "Every byte of every repetition was checked and right.")
    for case, by_name in measurement.series.items():
        for name, series in by_name.items():
            if series.failure:
                lines.append(paint(f"FAILED: {name}, {case.short_title()}: {series.failure}", "red", "bold"))
    return lines


def succeeded(measurement):
    """No wrong byte, no failed run."""
    return not any(series.wrong_bytes or series.failure for series in measurement.all_series())


def chosen_plans(measurement):
    """What the plugin decided, once per case and size."""
    lines = ["", "What the plugin chose. Of a tree, per level: the shape inside its groups and the bytes of a",
             "segment (0: whole message)."]
    for case, by_name in measurement.series.items():
        lines.append("  " + case.short_title().capitalize())
        for size, (engine, levels) in sorted(by_name["strata"].plans.items()):
            if size in measurement.effort.sizes:
                detail = f"{engine}: {levels}" if levels else engine
                lines.append(f"    {units.size_text(size):>8}  {detail}")
    return lines if len(lines) > 2 else []


def application_lines(comparisons, paint):
    lines = []
    for comparison in comparisons:
        lines += ["", paint(comparison.title, "bold")]
        if comparison.failure:
            lines.append(paint(f"  FAILED: {comparison.failure}", "red", "bold"))
            continue
        width = max(map(len, comparison.times))
        lines.append(f"  {'seconds, median (min–max)':{width}}  {'stock':>18}  {'strata':>18}"
                     f"  {'speed-up':>8}")
        for label, (stock, strata) in comparison.times.items():
            lines.append(f"  {label:{width}}  {_seconds(stock):>18}  {_seconds(strata):>18}  "
                         f"{comparison.speed_up(label):>7.2f}x")
        lines.append("  " + paint(comparison.verdict(), *(() if comparison.succeeded() else ("red", "bold"))))
        if comparison.plans:
            lines.append("  The plugin's choices for its Broadcasts: " + comparison.plans)
    return lines


def _seconds(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"
