"""Figure 6 of the paper on introspection monitoring: the gain over message sizes and numbers of iterations."""

from ..measuring import gnuplot, units

_CELL = (95, 62)  # pixels
_WIDTH_BESIDE, _HEIGHT_BESIDE = 230, 160


def axes(gains):
    """Returns sizes and numbers of iterations, both ascending. `gains`: (size, iterations) -> percent."""
    return sorted({size for size, _ in gains}), sorted({iterations for _, iterations in gains})


def lines(gains, paint):
    """Returns the same as text, with the most iterations first, as in the figure."""
    sizes, counts = axes(gains)
    found = [f"{'iterations':>12}" + "".join(f"{units.size_text(size):>9}" for size in sizes)]
    for count in reversed(counts):
        found.append(f"{count:12}" + "".join(_cell(gains.get((size, count)), paint) for size in sizes))
    return found


def _cell(gain, paint):
    if gain is None:
        return f"{'–':>9}"
    return paint(f"{gain:8.{1 if gain > -999 else 0}f}%", "green" if gain > 0 else "red")


def script(gains, terminal, path):
    sizes, counts = axes(gains)
    rows = "".join(f"{sizes.index(size)} {counts.index(count)} {gain:.6g} {gain:.0f}\n"
                   for (size, count), gain in sorted(gains.items()))
    size_tics = ", ".join(f"'{units.size_text(size)}' {place}" for place, size in enumerate(sizes))
    count_tics = ", ".join(f"'{count}' {place}" for place, count in enumerate(counts))
    width, height = len(sizes) * _CELL[0] + _WIDTH_BESIDE, len(counts) * _CELL[1] + _HEIGHT_BESIDE
    return f"""\
$gains << EOD
{rows}EOD
set terminal {terminal} size {width},{height} font 'DejaVu Sans,11' background rgb 'white'
set output {gnuplot.quoted(path)}
set title "Group Allgathers: gain of reordering,\\nits own time included, in percent" font ',12'
set palette defined (-200 '#a50026', -100 '#d73027', 0 '#f7f7f7', 50 '#a6d96a', 100 '#1a9850')
set cbrange [-200:100]
set cblabel 'gain (%)'
set xrange [-0.5:{len(sizes) - 0.5}]
set yrange [-0.5:{len(counts) - 0.5}]
set xtics ({size_tics}) nomirror scale 0
set ytics ({count_tics}) nomirror scale 0
set xlabel 'block of a rank'
set ylabel 'iterations'
set style fill solid 1 noborder
unset key
plot $gains using 1:2:(0.48):(0.48):3 with boxxyerror lc palette, '' using 1:2:4 with labels
"""


def draw(gains, base):
    return gnuplot.draw(lambda terminal, path: script(gains, terminal, path), base)
