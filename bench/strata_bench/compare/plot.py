"""The plots, one per operation: medians and their intervals over sizes, one panel per order."""

import os

from ..measuring import gnuplot, operations

from . import contenders
from .grid import root_text
from .report import Merged

_COLOURS = ("#d9822b", "#5b7db1", "#999999", "#8a5a2b", "#c4549e", "#f08fb0", "#1a7f37", "#55b874",
            "#2ba3a3", "#7bbf2f", "#8f8f1f", "#e0b020", "#70401f", "#4f46b8", "#b07fe0", "#d03030", "#303a4f")


def _panel(order, by_name, number):
    sizes = Merged.sizes(by_name)
    curves = []
    for place, name in enumerate(contenders.NAMES):
        found = [(size, Merged.interval(by_name.get(name, {}), size)) for size in sizes]
        rows = [(size or place, one.median, max(one.low, 0), min(one.high, 1e9)) for size, one in found
                if one and one.low > 0]
        if rows:
            curves.append(gnuplot.curve(f"c{place}_{number}", rows, (_COLOURS[place], place + 4), name))
    return gnuplot.panel(order, curves)


def _draw(operation, groups, folder):
    medians = [one.median for by_name in groups.values() for by_size in by_name.values() for size in by_size
               if (one := Merged.interval(by_size, size))]
    sizes = sorted({size for by_name in groups.values() for size in Merged.sizes(by_name)})
    blocks = operations.ALL[operation].blocks
    width = (gnuplot.size_tics(sizes, "chunks of all ranks" if blocks else "message") if all(sizes)
             else gnuplot.name_tics(contenders.NAMES))
    panels = [_panel(order, by_name, number) for number, (order, by_name) in enumerate(groups.items())]
    title = rf"MPI\\_{operations.ALL[operation].title} until {operations.until([operation])}: median, 95 % interval"
    settings = width + gnuplot.time_axis(min(medians), max(medians)) + "set key outside right top\n"
    return gnuplot.draw_panels(panels, title, settings, os.path.join(folder, operation))


def draw(records, folder):
    """Writes bcast.svg, bcast.png and so on. Returns (paths, error)."""
    by_operation = {}
    for (operation, order, root), by_name in Merged(records).groups.items():
        if any(Merged.interval(by_size, size) for by_size in by_name.values() for size in by_size):
            by_operation.setdefault(operation, {})[order + root_text(root)] = by_name
    paths, complaints = [], []
    for operation, groups in by_operation.items():
        drawn, complaint = _draw(operation, groups, folder)
        paths += drawn
        complaints += [complaint] if complaint not in ("", *complaints) else []
    return paths, "\n".join(complaints)
