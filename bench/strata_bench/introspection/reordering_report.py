"""Results of reordering, as tables and as text compared with the paper's statements."""

import math
import statistics

from ..measuring import units
from ..measuring.table import SLOWER

from . import heat_map

_OPERATIONS = {"bcast": "Bcast", "reduce": "Reduce", "cg": "CG"}
_HEAD = (f"  {'':7}{'algorithm':15}{'order':9}{'before':>8}{'after':>8}  {'as fast, least–most':24}"
         f"{'busiest link':>18}{'allows':>8}")


def _milliseconds(measured_seconds):
    return units.three_digits(1e3 * measured_seconds)


def _allowed(links):
    """Returns the speed-up that the busiest link allows; inf if no limited link is used afterwards."""
    before, after = links
    if before is None:
        return 1.0
    return before.ms / after.ms if after and after.ms else math.inf


def _link_text(links, size):
    """Returns the load of the busiest link before and after, in messages."""
    before, after = (f"{link.bytes / size:.1f}" if link else "0" for link in links)
    return f"{before} to {after}"


def _times_text(values):
    median = statistics.median(values)
    return f"{median:.2f}x", f"{median:.2f}x  {min(values):.2f}–{max(values):.2f}"


def _row(case, series, cell, paint):
    head = f"  {_OPERATIONS[case.pattern]:7}{case.algorithm:15}{case.order:9}"
    if not series.runs.get(cell):
        return head + paint("failed", "red")
    values = series.values(cell, lambda one: one.faster())
    median = statistics.median(values)
    before, after = (_milliseconds(series.median(cell, what) / cell[1])
                     for what in (lambda one: one.before, lambda one: one.after))
    kept = not any(series.values(cell, lambda one: one.moved))
    text = f"{'order kept' if kept else _times_text(values)[1]:24}"
    text = paint(text, *(["dim"] if kept else ["green"] if median > 1 / SLOWER else ["red"] if median < SLOWER else []))
    links = series.links[cell[0]]
    allowed = _allowed(links)
    limit = "any" if allowed == math.inf else f"{allowed:.1f}x"
    return f"{head}{before:>8}{after:>8}  {text}{_link_text(links, cell[0]):>18}{limit:>8}"


def _tables(measurement, paint):
    lines = []
    for network in measurement.networks:
        for size in measurement.options.tree_sizes:
            lines += ["", paint(f"{units.size_text(size)}, {network.title}", "bold"), _HEAD]
            lines += [_row(case, series, (size, measurement.options.tree_reps), paint)
                      for (name, case), series in measurement.series.items()
                      if name == network.name and case.pattern != "groups"]
    return lines


def _groups(measurement):
    return next((series for (_, case), series in measurement.series.items() if case.pattern == "groups"), None)


def gains(measurement, what=lambda one: one.gain()):
    """Returns (size, iterations) -> percent, medians of all rounds, except numbers of iterations that some
    round left out."""
    series = _groups(measurement)
    most = max(map(len, series.runs.values()), default=0) if series else 0
    return {cell: series.median(cell, what) for cell, runs in (series.runs if series else {}).items() if len(runs) == most}


def _heat_map(measurement, paint):
    found = gains(measurement)
    if not found:
        return []
    title = f"Gain of group Allgathers in cyclic order, the time of the reordering included; {measurement.networks[0].title}"
    return ["", paint(title, "bold"), *heat_map.lines(found, paint)]


def _best(measurement, pattern):
    """Returns order of ranks -> (speed-up, network, case, size) of the largest median, where ranks have
    moved."""
    best = {}
    for (network, case), series in measurement.series.items():
        for cell in series.runs if case.pattern == pattern else ():
            found = (series.median(cell, lambda one: one.faster()), network, case, cell[0])
            if any(series.values(cell, lambda one: one.moved)) and found[0] > best.get(case.order, (0,))[0]:
                best[case.order] = found
    return best


def _said(measurement, pattern, paper):
    parts = []
    for order, (faster, network, case, size) in _best(measurement, pattern).items():
        how = ", ".join(filter(None, (case.algorithm, units.size_text(size), network)))
        parts.append(f"up to {faster:.1f} times as fast as in {order} order ({how})")
    return [f"{_OPERATIONS[pattern]} after reordering: {'; '.join(parts)}.",
            f"  Paper, {paper}."] if parts else []


def verdict(measurement):
    lines = [*_said(measurement, "bcast", "section 6.3: 1.6 times on 4 nodes (1.9 on 2, 3.4 on 8), ranks on leftmost cores first"),
             *_said(measurement, "reduce", "section 6.3: 2.0 times on 4 nodes (1.5 on 2, 2.4 on 8)"),
             *_said(measurement, "cg", "section 6.5: up to 1.9 times in communication")]
    found, strict = gains(measurement), gains(measurement, lambda one: one.gain_of_program())
    if found:
        (size, count), gain = max(found.items(), key=lambda one: one[1])
        lines += [f"Group Allgathers: gain up to {gain:.1f} % ({units.size_text(size)}, {count} iteration{'s' if count > 1 else ''}); "
                  f"{sum(one > 0 for one in found.values())} of {len(found)} cells gain.",
                  f"  If the monitored iteration is the first one of the program (figure 1): up to {max(strict.values()):.1f} %.",
                  "  Paper, section 6.4: more than 95 % in the best cells; losses where iterations are few and small."]
    return lines


_NOTES = ["", "Milliseconds of one operation or iteration, medians; before and after in the same run. As fast: median, least and",
          "greatest of the runs. Busiest link: messages that it carries in one direction, as monitored, before and after;",
          "allows: greatest speed-up of the operation if only links count. Gain: 100 (t1 - t2 - t3) / t1",
          "with t1 in the old order, t2 for monitoring, mapping and moving data, t3 in the new order. Trees whose long steps",
          "are multiples of the number of nodes (Bcast, and binary Reduce) already suit cyclic order, and those whose subtrees",
          "are neighbors (binomial Reduce) block order: they gain less there."]


def text(measurement, paint):
    return _tables(measurement, paint) + _heat_map(measurement, paint) + _NOTES + [""] + verdict(measurement)
