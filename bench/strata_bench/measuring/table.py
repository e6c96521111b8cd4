"""Cells of tables, comparisons and colours."""

import os
import statistics
import sys

from . import operations, units

WORTH_COMPARING = 64 << 10  # bytes; below, the time is that of processes waiting for a core
WORTH_A_SHARE = 256 << 10  # bytes; below, a link's rate is not the limit
DELAY_THAT_COUNTS_US = 1000  # from this delay between sites on, the delay limits small messages
SLOWER = 0.95  # a smaller speed-up is called slower; between the two is noise

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32"}


class Paint:
    """Colours, if wanted."""

    def __init__(self, wanted):
        self._wanted = wanted

    @staticmethod
    def for_stream(stream=sys.stdout):
        return Paint(stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")

    def __call__(self, text, *styles):
        if not self._wanted or not styles:
            return text
        return f"\033[{';'.join(_CODES[style] for style in styles)}m{text}\033[0m"


CELL_HEAD = f"{'median':>8} {'min–max':>11} {'%':>4}"  # 25 columns, as cell()


def cell(series, size, limit):
    """Returns median, spread and, if there is a limit, its share; 25 columns."""
    median = series.median(size)
    if median is None:
        return f"{'failed' if series.failure else 'no time':>8}{'':17}"
    times = series.times[size]
    spread = f"{units.three_digits(min(times))}–{units.three_digits(max(times))}"
    share = f"{100 * limit / median:.0f}%" if limit else ""
    return f"{units.three_digits(median):>8} {spread:>11} {share:>4}"


def speed_up(ours, theirs, size):
    """Returns the speed-up over another series, by medians; None if either has none."""
    one, other = ours.median(size), theirs.median(size)
    return other / one if one and other else None


def speed_up_cell(value, comparable, paint):
    """Returns 8 columns. `comparable`: the times exceed noise."""
    if value is None:
        return f"{'–':>8}"
    number = units.three_digits(value) if value >= 9.995 else f"{value:.2f}"
    text = f"{number + 'x':>8}"
    if not comparable:
        return paint(text, "dim")
    return paint(text, "green" if value > 1 / SLOWER else "red" if value < SLOWER else "bold")


def apart(ours, theirs, size):
    """Returns whether the middle halves of the times do not overlap, and ours are longer."""
    return apart_times(ours.times[size], theirs.times[size])


def apart_times(one, other):
    """Does the same for two lists of times."""
    if min(len(one), len(other)) < 2:
        return True
    lower, _, _ = statistics.quantiles(one, method="inclusive")
    _, _, upper = statistics.quantiles(other, method="inclusive")
    return lower > upper


def note_repetitions(measurement):
    """Explains the numbers in two lines."""
    repetitions = units.range_text([str(count) for count in measurement.repetitions()])
    rounds = f"{measurement.rounds} round" + ("s" if measurement.rounds > 1 else "")
    return [f"Milliseconds from an agreed start until {operations.until(measurement.operations())},",
            f"{repetitions} repetitions in {rounds}, the competitors in turn."]


def note_data(measurement, paint):
    """Reports whether all data was right and every run succeeded. Errors of the plugin's competitors are
    reported, but do not fail the measurement."""
    lines = []
    for name, plugin, text in _what_was_wrong(measurement):
        lines.append(paint(f"WRONG DATA: {name}: {text}.", "red", *(["bold"] if plugin else [])))
    if not lines:
        lines.append("Every byte of every repetition was checked and right.")
    for case, by_name in measurement.series.items():
        for name, series in by_name.items():
            if not series.failure:
                continue
            if series.is_plugin:
                lines.append(paint(f"FAILED: {name}, {case.short_title()}: {series.failure}", "red", "bold"))
            else:
                text = f"Failed, so not compared: {name}, {case.short_title()}: {series.failure}"
                lines.append(paint(text, "red"))
    return lines


def _what_was_wrong(measurement):
    """Yields (competitor, whether it is the plugin, its error) for all wrong results."""
    for competitor in measurement.competitors:
        its = [by_name[competitor.name] for by_name in measurement.series.values()
               if competitor.name in by_name]
        wrong, early = sum(one.wrong_bytes for one in its), sum(one.left_early for one in its)
        if wrong:
            yield competitor.name, competitor.is_plugin, f"{wrong} bytes"
        if early:
            yield (competitor.name, competitor.is_plugin,
                   f"{early} times a rank left a Barrier before all had entered")


def chosen_plans(measurement, sizes=None, off=""):
    """Lists the plugin's choices, once per case and size. `sizes` restricts them; `off` is the competitor
    without election."""
    lines = ["", "The plugin's choices. For a tree, per level: the shape inside its groups and the bytes of a",
             "segment (0: whole message)."]
    for case, by_name in measurement.series.items():
        lines.append("  " + case.short_title())
        others = by_name[off].plans if off in by_name else {}
        for size, plan in sorted(by_name["strata"].plans.items()):
            if sizes is None or size in sizes:
                same = "" if others.get(size, plan) == plan else "  (without election another)"
                lines.append(f"    {units.size_text(size):>8}  {': '.join(filter(None, plan))}{same}")
    return lines if len(lines) > 2 else []
