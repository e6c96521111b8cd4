"""A map of all cells: the distance of the choice in force from the best."""

import os

from ..measuring import gnuplot, units

_CELL, _MARGIN = (84, 46), (150, 150)  # pixels
_WORST = 1.5  # greater ratios have the same colour


def draw(decisions, folder, after=False):
    """Writes ratios.svg and ratios.png (after.svg, after.png). Returns (paths, error)."""
    ratios = {(one.cell.operation, one.cell.size): ratio for one in decisions
              if (ratio := one.ratio_after if after else one.ratio) is not None}
    if not ratios:
        return [], ""
    name, what = ("after", "after tuning") if after else ("ratios", "as it is in force")
    return gnuplot.draw(lambda terminal, path: _script(ratios, f"Time {what}, compared with the best contender",
                                                       terminal, path), os.path.join(folder, name))


def _script(ratios, title, terminal, path):
    rows, columns = list(dict.fromkeys(operation for operation, _ in ratios)), sorted({size for _, size in ratios})
    places = {key: (columns.index(key[1]), rows.index(key[0])) for key in ratios}
    points = "".join(f"{places[key][0]} {places[key][1]} {min(ratio, _WORST):.4f} \"{ratio:.2f}\"\n"
                     for key, ratio in ratios.items())
    across = ", ".join(f"{gnuplot.quoted(units.size_text(size))} {place}" for place, size in enumerate(columns))
    down = ", ".join(f"{gnuplot.quoted(name)} {place}" for place, name in enumerate(rows))
    width, height = (_MARGIN[axis] + _CELL[axis] * len((columns, rows)[axis]) for axis in (0, 1))
    return f"""\
$ratios << EOD
{points}EOD
set terminal {terminal} size {max(width, 560)},{height} font 'DejaVu Sans,11' background rgb 'white'
set output {gnuplot.quoted(path)}
set title {gnuplot.quoted(title)} font ',13'
set xrange [-0.5:{len(columns) - 0.5}]
set yrange [{len(rows) - 0.5}:-0.5]
set xtics ({across}) rotate by 40 right nomirror out
set ytics ({down}) nomirror out
set cbrange [1:{_WORST}]
set cbtics ('1' 1, '1.05' 1.05, '1.1' 1.1, '1.25' 1.25, '{_WORST}+' {_WORST})
set palette defined (1 '#2e8b57', 1.05 '#a6d96a', 1.1 '#fee08b', 1.25 '#f46d43', {_WORST} '#a50026')
unset key
set boxwidth 1
set style fill solid
plot $ratios using 1:2:(0.48):(0.46):3 with boxxyerror fc palette lw 0, \\
     $ratios using 1:2:4 with labels font ',10'
"""
