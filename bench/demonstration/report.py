"""The table and the verdict in plain words."""

import os
import statistics

from measuring import units
from measuring.table import (CELL_HEAD, SLOWER, WORTH_A_SHARE, WORTH_COMPARING, apart, cell, note_data,
                             note_repetitions, speed_up, speed_up_cell)


def _speed_up(by_name, other, size):
    return speed_up(by_name["strata"], by_name[other], size)


def table(measurement, paint):
    """The lines of all tables, at most 100 columns."""
    names = [competitor.name for competitor in measurement.competitors]
    lines = []
    for case, by_name in measurement.series.items():
        lines += ["", paint(case.title(), "bold"),
                  f"{'':9}" + "".join(f"{name:^25}" for name in names) + f"{'speed-up over':>16}",
                  f"{'size':>9}" + CELL_HEAD * len(names)
                  + "".join(f"{name:>8}" for name in names[:-1])]
        for size in measurement.effort.sizes:
            row = f"{units.size_text(size):>9}" + "".join(
                cell(by_name[name], size, measurement.limit(size)) for name in names)
            styles = ("dim",) if size < WORTH_COMPARING else ()
            lines.append(paint(row, *styles) + "".join(
                speed_up_cell(_speed_up(by_name, name, size), size, paint) for name in names[:-1]))
    return lines


def notes(measurement):
    """What the numbers mean."""
    lines = ["", *note_repetitions(measurement)]
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
        values = [value for value in (_speed_up(by_name, other, size) for size in sizes) if value]
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


def slower(measurement):
    """(case, size, other, speed-up, whether it is more than noise) wherever strata's median is behind."""
    others = [competitor.name for competitor in measurement.competitors[:-1]]
    return [(case, size, other, value, apart(by_name["strata"], by_name[other], size))
            for case, by_name in measurement.series.items()
            for size in measurement.effort.sizes for other in others
            if size >= WORTH_COMPARING and (value := _speed_up(by_name, other, size)) and value < SLOWER]


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
                     f"(by more than {100 * (1 - SLOWER):.0f} %).")
    return lines + note_data(measurement, paint)


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
