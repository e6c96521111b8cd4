"""The plot: two bars per application, without and with the plugin, divided by what its ranks spent time on."""

from ..measuring import gnuplot

from . import report
from .comparison import WITH, WITHOUT

_COLOURS = {"Bcast": "#1a7f37", "Allreduce": "#5b7db1", "Reduce": "#8fb0d9", "Barrier": "#d9822b",
            "Allgather": "#8a5bb1", "Allgatherv": "#b18ad1", "Gather": "#c9b23a", "Gatherv": "#e0d28a",
            "Scatter": "#4aa3a3", "Scatterv": "#9fd0d0", "Alltoall": "#c0504d", "Alltoallv": "#d98a88",
            "Communicators": "#a07050", "Between two ranks": "#777777", "other calls": "#aaaaaa", "outside MPI": "#dddddd"}
_APART = 3  # distance between pairs of bars


def _kind(name):
    if name in _COLOURS:
        return name
    return "Communicators" if name.startswith("Comm_") else "Between two ranks"


def shares(comparison):
    """Returns, by kind, (without, with) the plugin in percent of the total time without it."""
    rows = report.rows(comparison)
    whole = sum(row.pair[WITHOUT] for row in rows)
    found = {}
    for row in rows:
        before = found.get(_kind(row.name), (0, 0))
        found[_kind(row.name)] = tuple(so_far + 100 * more / whole for so_far, more in zip(before, row.pair))
    return found


def script(names, comparisons, terminal, path):
    """`names` of the comparisons label the axis."""
    all_shares = [shares(comparison) for comparison in comparisons]
    curves, heights = [], [[0.0, 0.0] for _ in comparisons]
    bars = []
    for number, (kind, colour) in enumerate(_COLOURS.items()):
        if not any(kind in one for one in all_shares):
            continue
        points = ""
        for place, one in enumerate(all_shares):
            for which in (WITHOUT, WITH):
                heights[place][which] += one.get(kind, (0, 0))[which]
                points += f"{_APART * place + which} {heights[place][which]:.3f}\n"
        bars.append((f"$bars{number} << EOD\n{points}EOD\n",
                     [f"$bars{number} using 1:2 with boxes fs solid border lc rgb 'white' lc rgb '{colour}' "
                      f"title {gnuplot.quoted(kind)}"]))
    curves = bars[::-1]  # highest first: the next bars cover what is below them
    tics = ", ".join(f"{gnuplot.quoted(name)} {_APART * place + 0.5}" for place, name in enumerate(names))
    highest = max(height for pair in heights for height in pair)
    settings = (f"set boxwidth 0.9\nset xrange [-1:{_APART * len(names) - 1}]\nset yrange [0:{highest * 1.05:.1f}]\n"
                f"set xtics ({tics}) rotate by 25 right nomirror\nset key outside right top invert\n"
                "set ylabel 'percent of the time without the plugin'\nset bmargin 7\nset lmargin 12\n")
    return gnuplot.script([gnuplot.panel("left without, right with the plugin; mean over ranks", curves)],
                          "Where applications spend their time, until MPI\\\\_Finalize", settings, terminal, path)


def draw(names, comparisons, base):
    """Writes base.svg and base.png. Returns (paths, error)."""
    known = [(name, one) for name, one in zip(names, comparisons) if not one.failure and all(one.profiles)]
    if not known:
        return [], "nothing to plot"
    return gnuplot.draw(lambda terminal, path: script(*zip(*known), terminal, path), base)
