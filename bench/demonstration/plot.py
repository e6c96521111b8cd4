"""The plot of times over sizes, one panel per case, drawn by gnuplot."""

import os
import shutil
import subprocess

from . import units
from .report import WORTH_A_SHARE

_COLOURS = {"tuned": "#d9822b", "han": "#5b7db1", "strata": "#1a7f37"}
_POINTS = {"tuned": 5, "han": 9, "strata": 7}
_PANEL = (560, 470)  # pixels
_TITLE = r"MPI\\_Bcast until the last rank has the message: median, least and greatest"


def _data(measurement, case, name):
    """Lines `size median min max`, in ms; empty if there are none."""
    series = measurement.series[case][name]
    rows = [(series.median(size), min(series.times[size]), max(series.times[size]), size)
            for size in measurement.effort.sizes if series.median(size)]
    return "".join(f"{size} {median:.6g} {least:.6g} {greatest:.6g}\n"
                   for median, least, greatest, size in rows)


def _panel(measurement, case, number):
    """gnuplot's commands for one panel."""
    blocks, curves = [], []
    for competitor in measurement.competitors:
        name = competitor.name
        points = _data(measurement, case, name)
        if points:
            look = f"lc rgb '{_COLOURS[name]}'"
            blocks.append(f"${name}{number} << EOD\n{points}EOD\n")
            curves.append(f"${name}{number} using 1:2:3:4 with yerrorbars lw 1 pt 0 {look} notitle")
            curves.append(f"${name}{number} using 1:2 with linespoints lw 2.5 pt {_POINTS[name]} ps 0.9 "
                          f"{look} title '{name}'")
    sizes = [size for size in measurement.effort.sizes if size >= WORTH_A_SHARE and measurement.limit(size)]
    if curves and sizes:
        points = "".join(f"{size} {measurement.limit(size):.6g}\n" for size in sizes)
        blocks.append(f"$limit{number} << EOD\n{points}EOD\n")
        curves.append(f"$limit{number} using 1:2 with linespoints pt 0 lw 2 dt (4,4) lc rgb 'black' "
                      "title 'limit of the link'")
    if not curves:
        return ""
    title = f"set title '{case.short_title()}' font ',13'\n"
    return "".join(blocks) + title + "plot " + ", \\\n     ".join(curves) + "\n"


def script(measurement, terminal, path):
    """The whole gnuplot program. `path` is quoted as gnuplot wants it."""
    sizes = measurement.effort.sizes
    tics = ", ".join(f"'{units.size_text(size)}' {size}" for size in sizes)
    panels = list(filter(None, (_panel(measurement, case, i) for i, case in enumerate(measurement.cases))))
    values = [value for series in measurement.all_series() if not series.failure
              for times in series.times.values() for value in times]
    limits = [limit for limit in map(measurement.limit, sizes) if limit and limit >= min(values)]
    low, high = min(values + limits) * 0.6, max(values + limits) * 1.6
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    width, height = columns * _PANEL[0], rows * _PANEL[1] + 30
    scale = ", ".join(f"'{_milliseconds(10.0 ** power)}' 1e{power}" for power in range(-4, 6))
    return f"""\
set terminal {terminal} size {width},{height} font 'DejaVu Sans,11' background rgb 'white'
set output '{path.replace("'", "''")}'
set bmargin 5
set multiplot layout {rows},{columns} title "{_TITLE}" font ',14'
set logscale xy
set format y '%g'
set xrange [{min(sizes) * 0.6}:{max(sizes) * 1.7}]
set yrange [{low:.6g}:{high:.6g}]
set xtics ({tics}) rotate by 40 right nomirror
set ytics ({scale}) nomirror
set border 3
set grid x y lt 1 lc rgb '#dddddd' lw 1
set errorbars 0.5
set key top left reverse Left samplen 2.5
set ylabel 'time'
set xlabel 'message'
{"".join(panels)}unset multiplot
"""


def _milliseconds(value):
    if value >= 1000:
        return f"{value / 1000:g} s"
    return f"{value:g} ms" if value >= 1 else f"{value * 1000:g} µs"


def draw(measurement, folder):
    """Writes bcast.svg and bcast.png; returns (paths, why something is missing)."""
    if not any(series.times and not series.failure for series in measurement.all_series()):
        return [], "nothing to plot"
    if not shutil.which("gnuplot"):
        return [], "no plot: gnuplot is missing"
    paths = []
    for ending, terminal in (("svg", "svg"), ("png", "pngcairo")):
        path = os.path.join(folder, f"bcast.{ending}")
        done = subprocess.run(["gnuplot", "-"], input=script(measurement, terminal, path), text=True,
                              capture_output=True, check=False)
        if done.returncode or not os.path.exists(path):
            return paths, f"gnuplot failed on {path}: {done.stderr.strip()}"
        paths.append(path)
    return paths, ""
