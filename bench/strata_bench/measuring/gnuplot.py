"""Plots, drawn by gnuplot: panels of curves with their spread."""

import os
import shutil
import subprocess

from . import units

_PANEL = (560, 470)  # pixels
_LEAST_WIDTH = 700  # height of the common title
LOOKS = {"tuned": ("#d9822b", 5), "han": ("#5b7db1", 9), "strata": ("#1a7f37", 7)}  # looks of competitors, for curve()


def quoted(text):
    """Quotes text for gnuplot."""
    return "'" + text.replace("'", "''") + "'"


def curve(name, rows, look, title):
    """Returns a curve through `rows` of (x, middle, least, greatest): (its data block, its parts of
    `plot`)."""
    points = "".join(f"{x} {middle:.6g} {least:.6g} {greatest:.6g}\n" for x, middle, least, greatest in rows)
    colour = f"lc rgb '{look[0]}'"
    return (f"${name} << EOD\n{points}EOD\n",
            [f"${name} using 1:2:3:4 with yerrorbars lw 1 pt 0 {colour} notitle",
             f"${name} using 1:2 with linespoints lw 2.5 pt {look[1]} ps 0.9 {colour} title {quoted(title)}"])


def dashed(name, rows, title, dashes="4,4"):
    """Returns the same for a limit; `rows` are (x, y)."""
    points = "".join(f"{x} {y:.6g}\n" for x, y in rows)
    return (f"${name} << EOD\n{points}EOD\n",
            [f"${name} using 1:2 with linespoints pt 0 lw 2 dt ({dashes}) lc rgb 'black' title {quoted(title)}"])


def panel(title, curves, settings=""):
    """Returns gnuplot's commands for one panel; nothing without curves."""
    if not curves:
        return ""
    blocks = "".join(block for block, _ in curves)
    parts = ", \\\n     ".join(part for _, parts in curves for part in parts)
    return f"{blocks}{settings}set title {quoted(title)} font ',13'\nplot {parts}\n"


def size_tics(sizes, label="message"):
    """Returns settings for an axis of message sizes."""
    tics = ", ".join(f"'{units.size_text(size)}' {size}" for size in sizes)
    return (f"set logscale x\nset xrange [{min(sizes) * 0.6}:{max(sizes) * 1.7}]\n"
            f"set xtics ({tics}) rotate by 40 right nomirror\nset xlabel {quoted(label)}\n")


def name_tics(names):
    """Returns settings for an axis of competitors, for an operation without a size: the first is at 0."""
    tics = ", ".join(f"{quoted(name)} {place}" for place, name in enumerate(names))
    return f"set xrange [-0.7:{len(names) - 0.3}]\nset xtics ({tics}) nomirror\n"


def time_axis(least, greatest):
    """Returns settings for times in milliseconds."""
    scale = ", ".join(f"'{_milliseconds(10.0 ** power)}' 1e{power}" for power in range(-4, 6))
    return f"""\
set logscale y
set format y '%g'
set yrange [{least * 0.6:.6g}:{greatest * 1.6:.6g}]
set ytics ({scale}) nomirror
set ylabel 'time'
set key top left reverse Left samplen 2.5
"""


def _milliseconds(value):
    if value >= 1000:
        return f"{value / 1000:g} s"
    return f"{value:g} ms" if value >= 1 else f"{value * 1000:g} µs"


def script(panels, title, settings, terminal, path):
    """Returns the whole program. `settings` hold for all panels, two per row."""
    panels = list(filter(None, panels))
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    width, height = max(columns * _PANEL[0], _LEAST_WIDTH), rows * _PANEL[1] + 30
    return f"""\
set terminal {terminal} size {width},{height} font 'DejaVu Sans,11' background rgb 'white'
set output {quoted(path)}
set bmargin 5
set multiplot layout {rows},{columns} title "{title}" font ',14'
set border 3
set grid x y lt 1 lc rgb '#dddddd' lw 1
set errorbars 0.5
{settings}{"".join(panels)}unset multiplot
"""


def draw_panels(panels, title, settings, base):
    """Draws what script() makes of them, where a panel has curves."""
    if not any(panels):
        return [], "nothing to plot"
    return draw(lambda terminal, path: script(panels, title, settings, terminal, path), base)


def draw(make_script, base):
    """Writes base.svg and base.png from make_script(terminal, path). Returns (paths, error)."""
    if not shutil.which("gnuplot"):
        return [], "no plot: gnuplot is missing"
    paths = []
    for ending, terminal in (("svg", "svg"), ("png", "pngcairo")):
        path = f"{base}.{ending}"
        done = subprocess.run(["gnuplot", "-"], input=make_script(terminal, path), text=True,
                              capture_output=True, check=False)
        if done.returncode or not os.path.exists(path):
            return paths, f"gnuplot failed on {path}: {done.stderr.strip()}"
        paths.append(path)
    return paths, ""
