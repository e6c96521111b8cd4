"""The table and the conclusions of bench/demo."""

import os

from ..measuring import operations, units
from ..measuring.table import (CELL_HEAD, SLOWER, WORTH_A_SHARE, WORTH_COMPARING, apart, cell, note_data,
                             note_repetitions, speed_up, speed_up_cell)


def _speed_up(by_name, other, size):
    return speed_up(by_name["strata"], by_name[other], size)


def table(measurement, paint):
    """Returns the lines of all tables, at most 100 columns wide."""
    names = [competitor.name for competitor in measurement.competitors]
    lines = []
    for case, by_name in measurement.series.items():
        lines += ["", paint(case.title(), "bold"),
                  f"{'':9}" + "".join(f"{name:^25}" for name in names) + f"{'speed-up over':>16}",
                  f"{'size':>9}" + CELL_HEAD * len(names)
                  + "".join(f"{name:>8}" for name in names[:-1])]
        for size in measurement.sizes_of(case):
            row = f"{units.size_text(size):>9}" + "".join(
                cell(by_name[name], size, measurement.limit_reached(case, size)) for name in names)
            comparable = measurement.comparable(size)
            lines.append(paint(row, *(() if comparable else ("dim",))) + "".join(
                speed_up_cell(_speed_up(by_name, name, size), comparable, paint) for name in names[:-1]))
    return lines


def _limits(measurement):
    """Lists the limits of the largest comparable size, equal ones together."""
    limits = {}
    for case in measurement.cases:
        sizes = [size for size in measurement.sizes_of(case) if measurement.limit_reached(case, size)]
        if sizes:
            text = f"{units.three_digits(measurement.limit(case, max(sizes)))} ms"
            text += f" for {units.size_text(max(sizes))}" if max(sizes) else ""
            names = limits.setdefault(text, [])
            if case.operation not in names:
                names.append(case.operation)
    return limits


def _note_limits(measurement):
    limits = _limits(measurement)
    if not limits:
        return []
    if len(measurement.operations()) == len(limits) == 1:
        return [f"%: share of the slowest links' limit ({next(iter(limits))})."]
    return ["%: share of the slowest links' limit:",
            *(f"   {text}: {operations.titles(names)}" for text, names in limits.items())]


def notes(measurement):
    """Explains the numbers."""
    lines = ["", *note_repetitions(measurement), *_note_limits(measurement)]
    if any(operations.ALL[name].blocks for name in measurement.operations()):
        lines.append("Sizes of Gather, Scatter and Allgather are those of all chunks together (unequal "
                     "chunks with v).")
    small = min(min(measurement.sizes_of(case)) for case in measurement.cases)
    if not measurement.comparable(small):
        lines.append(f"Below {units.size_text(WORTH_COMPARING)} times mostly show "
                     f"{os.cpu_count()} cores shared by all ranks: read them as noise.")
    if measurement.rounds == 1:
        lines.append("One round only: other load on this machine may favour one of them. Rely on --rounds 3.")
    return lines


def _range(values):
    return units.range_text([f"{value:.1f}" for value in sorted(values)])


def _what(size):
    return f"a message of {units.size_text(size)}" if size else "it"


def _share_text(measurement, case, size):
    """Compares the time of one size with its limit."""
    median, limit = measurement.series[case]["strata"].median(size), measurement.limit_reached(case, size)
    text = f"{_what(size)} takes {units.three_digits(median)} ms"
    if limit and size >= WORTH_A_SHARE:
        return f"{text}, {100 * limit / median:.0f} % of what the link allows"
    if measurement.delay_counts:
        delays = median * 1e3 / measurement.cluster.plan.delay_us
        return f"{text}, {delays:.2f} one-way delays between the sites"
    return text


def _case_verdict(measurement, case):
    by_name = measurement.series[case]
    others = [competitor.name for competitor in measurement.competitors[:-1]]
    measured = [size for size in measurement.sizes_of(case) if by_name["strata"].median(size)]
    sizes = [size for size in measured if measurement.comparable(size)]
    start = case.short_title()
    if by_name["strata"].failure:
        return [f"{start}: strata failed."]
    if not sizes:
        what = f"size from {units.size_text(WORTH_COMPARING)} up" if all(measured) else "time beyond noise"
        return [f"{start}: no {what} to compare."]
    parts = []
    for other in others:
        values = [value for value in (_speed_up(by_name, other, size) for size in sizes) if value]
        if values:
            parts.append(f"{_range(values)} times as fast as {other}")
    first = f", from {units.size_text(min(sizes))} up" if len(sizes) > 1 else ""
    lines = [f"{start}{first}: strata is", "    " + " and ".join(parts) + ";"] if parts else [f"{start}:"]
    shown = [max(sizes)]
    if measurement.delay_counts and min(sizes) < WORTH_A_SHARE and len(sizes) > 1:
        shown.insert(0, min(sizes))
    texts = [_share_text(measurement, case, size) for size in shown]
    return lines + [f"    {text};" for text in texts[:-1]] + [f"    {texts[-1]}."]


def slower(measurement):
    """Returns (case, size, other, speed-up, whether it exceeds noise) wherever strata's median is the
    slower one."""
    others = [competitor.name for competitor in measurement.competitors[:-1]]
    found = [(case, size, other, _speed_up(by_name, other, size))
             for case, by_name in measurement.series.items()
             for size in measurement.sizes_of(case) if measurement.comparable(size) for other in others]
    behind = [one for one in found if one[-1] and one[-1] < SLOWER]
    return [(case, size, other, value, apart(measurement.series[case]["strata"],
                                             measurement.series[case][other], size))
            for case, size, other, value in behind]


def _compared(measurement):
    """Returns the sizes at which strata and a competitor are compared."""
    return [size for case, by_name in measurement.series.items() for size in measurement.sizes_of(case)
            if measurement.comparable(size)
            and any(_speed_up(by_name, one.name, size) for one in measurement.competitors[:-1])]


def verdict(measurement, paint):
    lines = [""]
    for case in measurement.cases:
        lines += _case_verdict(measurement, case)
    lost = slower(measurement)
    for case, size, other, value, certain in lost:
        what = f"{units.size_text(size)}, " if size else ""
        text = f"{what}{case.short_title()}: {value:.2f} times as fast as {other}"
        lines.append(paint(f"SLOWER: {text}.", "red") if certain
                     else f"Uncertain: {text}; the times overlap.")
    if not lost and _compared(measurement):
        start = "S" if measurement.delay_counts else f"From {units.size_text(WORTH_COMPARING)} up, s"
        lines.append(f"{start}trata was nowhere slower than the others (by more than "
                     f"{100 * (1 - SLOWER):.0f} %).")
    return lines + note_data(measurement, paint)
