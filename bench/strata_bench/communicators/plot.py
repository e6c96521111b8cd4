"""The cost of a new communicator as a picture: one panel per size of its first operation and order."""

import os

from ..measuring import gnuplot, units

from .costs import ORDERS


def _rows(costs, size, contender):
    """Returns (ranks, median, least, greatest) in milliseconds."""
    rows = []
    for key in sorted(costs.cells):
        if key[1] == size and (found := costs.spread(key, contender, "both_ns")):
            low, high = max(found.low, 0), min(found.high, 10 * found.median)  # few values have no bounds
            rows.append((key[0], found.median / 1e6, low / 1e6, high / 1e6))
    return rows


def _panel(costs, operation, contenders, size, number):
    rows = {name: found for name in contenders if (found := _rows(costs, size, name))}
    if not rows:
        return ""
    ranks = sorted({row[0] for found in rows.values() for row in found})
    times = [row[1] for found in rows.values() for row in found]
    tics = ", ".join(f"'{rank}' {rank}" for rank in ranks)
    settings = (f"set logscale x\nset xrange [{ranks[0] * 0.7}:{ranks[-1] * 1.4}]\nset xtics ({tics}) nomirror\n"
                f"set xlabel 'ranks'\n{gnuplot.time_axis(min(times), max(times))}")
    title = operation if operation == "barrier" else f"{operation}, {units.size_text(size)}"
    return gnuplot.panel(f"{title}, {ORDERS[costs.order]}",
                         [gnuplot.curve(f"{name}{size}order{number}", found, gnuplot.LOOKS[name], name)
                          for name, found in rows.items()], settings)


def draw(costs, operation, contenders, folder):
    """Takes `costs` by order. Returns (paths, error)."""
    if not any(found.cells for found in costs):
        return [], ""
    panels = [_panel(found, operation, contenders, size, number) for number, found in enumerate(costs)
              for size in sorted({size for _, size in found.cells})]
    title = "A communicator made, and its first operation done: median and 95 % interval"
    return gnuplot.draw_panels(panels, title, "", os.path.join(folder, "communicators"))
