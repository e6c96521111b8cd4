"""The plots, in the paper's form: throughput over the message size, ranks per node, or nodes."""

import os

from ..measuring import gnuplot, operations, units
from ..measuring.table import WORTH_COMPARING

from .cases import FIGURES, HEADLINE
from .report import megabytes, rank_bytes, receivers

_LOOKS = {"tuned": ("#d9822b", 5), "han": ("#5b7db1", 9), "off": ("#8a5a9e", 13), "strata": ("#1a7f37", 7)}
_NAMES = {"off": "strata, no election"}
_BINDING_LOOKS = (("#d62728", 5), ("#d9822b", 9), ("#5b7db1", 13), ("#1a7f37", 7))


def _point(series, x, size, per_rank, count):
    """Returns (x, middle, least, greatest) in MB/s, from the times of `size`."""
    times = series.times[size]
    return (x, *(megabytes(per_rank, time, count)
                 for time in (series.median(size), max(times), min(times))))


def _sizes(measurement):
    return [size for size in measurement.effort.sizes if size >= WORTH_COMPARING] or measurement.effort.sizes


def _over_sizes(measurement, figure, curves, title, case):
    """`curves` are (series, look, title). `case` gives the limits."""
    sizes = _sizes(measurement)
    drawn = [gnuplot.curve(f"c{figure}x{number}", rows, look, name)
             for number, (series, look, name) in enumerate(curves)
             if (rows := [_point(series, size, size, rank_bytes(case, size), 1) for size in sizes
                          if series.median(size)])]
    if drawn:
        for name, limit, dashes in (("NIC", measurement.limit, "4,4"),
                                    ("path to far ranks", measurement.limit_of_lowest, "10,6")):
            rows = [(size, megabytes(rank_bytes(case, size), limit(case, size))) for size in sizes]
            drawn.append(gnuplot.dashed(f"l{figure}{name[:4]}", rows, f"limit of the {name}", dashes))
    axes = gnuplot.size_tics(sizes) + "set ylabel 'MB/s per process'\n"
    return gnuplot.panel(title, drawn, axes)


def _all_competitors(measurement, figure, case, title):
    curves = [(series, _LOOKS[name], _NAMES.get(name, name))
              for name, series in measurement.series[case].items()]
    return _over_sizes(measurement, figure, curves, title, case)


def _headline(measurement):
    return _all_competitors(measurement, "headline", HEADLINE[0], "4 nodes with 4 ranks, half of them far")


def _first_case(measurement, figure, title):
    return _all_competitors(measurement, figure, FIGURES[figure][0],
                            f"{title}: 4 nodes with 4 ranks, half of them far")


def _figure_5(measurement):
    curves = [(measurement.series[case]["strata"], look, case.short_title().partition(", ")[2])
              for case, look in zip(FIGURES["5"], _BINDING_LOOKS)]
    return _over_sizes(measurement, "bind", curves, "8 nodes with 1 rank (figure 5)", HEADLINE[0])


def _over_cases(measurement, figure, position, label, title):
    size = max(measurement.effort.sizes)
    cases = FIGURES[figure]
    drawn = []
    for name, look in _LOOKS.items():
        rows = []
        for case in cases:
            # With one rank per node there is no election: both curves share the point.
            series = measurement.series[case].get(name if case.can_elect or name != "off" else "strata")
            if series and series.median(size):
                rows.append(_point(series, position(case), size, size, receivers(case)))
        if rows:
            drawn.append(gnuplot.curve(f"f{figure}{name}", rows, look, _NAMES.get(name, name)))
    places = [position(case) for case in cases]
    axes = (f"set logscale x\nset xrange [{min(places) * 0.8}:{max(places) * 1.25}]\n"
            f"set xtics ({', '.join(map(str, places))}) norotate center nomirror\nset xlabel '{label}'\n"
            "set ylabel 'aggregate MB/s'\n")
    return gnuplot.panel(f"{title}, {units.size_text(size)}", drawn, axes)


_PANELS = {
    "headline": _headline,
    "5": _figure_5,
    "8": lambda measurement: _over_cases(measurement, "8", lambda case: case.each, "ranks per node",
                                         "8 nodes (figure 8)"),
    "9": lambda measurement: _over_cases(measurement, "9", lambda case: case.nodes, "nodes",
                                         "4 ranks per node (figure 9)"),
    "reduce": lambda measurement: _first_case(measurement, "reduce", "Reduce to a near root"),
    "gather": lambda measurement: _first_case(measurement, "gather", "Gather to a far root"),
    "allgather": lambda measurement: _first_case(measurement, "allgather", "Allgather"),
}


def draw(measurement, figures, folder):
    """Writes nuioa.svg and nuioa.png. Returns (paths, error)."""
    if not any(series.times and not series.failure for series in measurement.all_series()):
        return [], "nothing to plot"
    settings = ("set yrange [0:*]\nset offsets 0, 0, graph 0.5, 0\nset ytics auto nomirror\n"
                "set key top left reverse Left samplen 2.5\n")  # above the curves
    panels = [_PANELS[figure](measurement) for figure in figures]
    # In gnuplot's double quotes a backslash has to be doubled.
    names = " and ".join(rf"MPI\\_{operations.ALL[name].title}" for name in measurement.operations())
    return gnuplot.draw_panels(panels, f"Throughput of {names}: median, least, greatest", settings,
                               os.path.join(folder, "nuioa"))
