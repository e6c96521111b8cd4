"""The plot of times over sizes, one panel per case."""

import os

from measuring import gnuplot
from measuring.table import WORTH_A_SHARE

_LOOKS = {"tuned": ("#d9822b", 5), "han": ("#5b7db1", 9), "strata": ("#1a7f37", 7)}
_TITLE = r"MPI\\_Bcast until the last rank has the message: median, least and greatest"


def _panel(measurement, case, number):
    curves = []
    for name, series in measurement.series[case].items():
        rows = [(size, series.median(size), min(series.times[size]), max(series.times[size]))
                for size in measurement.effort.sizes if series.median(size)]
        if rows:
            curves.append(gnuplot.curve(f"{name}{number}", rows, _LOOKS[name], name))
    sizes = [size for size in measurement.effort.sizes if size >= WORTH_A_SHARE and measurement.limit(size)]
    if curves and sizes:
        curves.append(gnuplot.dashed(f"limit{number}", [(size, measurement.limit(size)) for size in sizes],
                                     "limit of the link"))
    return gnuplot.panel(case.short_title(), curves)


def script(measurement, terminal, path):
    sizes = measurement.effort.sizes
    values = [value for series in measurement.all_series() if not series.failure
              for times in series.times.values() for value in times]
    limits = [limit for limit in map(measurement.limit, sizes) if limit and limit >= min(values)]
    scale = ", ".join(f"'{_milliseconds(10.0 ** power)}' 1e{power}" for power in range(-4, 6))
    settings = f"""\
{gnuplot.size_tics(sizes)}set logscale y
set format y '%g'
set yrange [{min(values + limits) * 0.6:.6g}:{max(values + limits) * 1.6:.6g}]
set ytics ({scale}) nomirror
set ylabel 'time'
set key top left reverse Left samplen 2.5
"""
    panels = [_panel(measurement, case, number) for number, case in enumerate(measurement.cases)]
    return gnuplot.script(panels, _TITLE, settings, terminal, path)


def _milliseconds(value):
    if value >= 1000:
        return f"{value / 1000:g} s"
    return f"{value:g} ms" if value >= 1 else f"{value * 1000:g} µs"


def draw(measurement, folder):
    """Writes bcast.svg and bcast.png; returns (paths, why something is missing)."""
    if not any(series.times and not series.failure for series in measurement.all_series()):
        return [], "nothing to plot"
    return gnuplot.draw(lambda terminal, path: script(measurement, terminal, path),
                        os.path.join(folder, "bcast"))
