"""The plots, one per operation: times over sizes, one panel per case."""

import os

from ..measuring import gnuplot, operations


def _title(operation):
    # In gnuplot's double quotes a backslash has to be doubled.
    name = rf"MPI\\_{operations.ALL[operation].title}"
    return f"{name} until {operations.until([operation])}: median, least and greatest"


def _panel(measurement, case, number):
    curves = []
    sizes = measurement.sizes_of(case)
    for place, (name, series) in enumerate(measurement.series[case].items()):
        rows = [(size or place, series.median(size), min(series.times[size]), max(series.times[size]))
                for size in sizes if series.median(size)]
        if rows:
            curves.append(gnuplot.curve(f"{name}{number}", rows, gnuplot.LOOKS[name], name))
    limited = [size for size in sizes if size and measurement.limit_reached(case, size)]
    if curves and limited:
        curves.append(gnuplot.dashed(f"limit{number}",
                                     [(size, measurement.limit(case, size)) for size in limited],
                                     "limit of the link"))
    return gnuplot.panel(case.short_title(), curves)


def _cases(measurement, operation):
    return [case for case in measurement.cases if case.operation == operation]


def _values(measurement, cases):
    """Returns all times in the plot."""
    return [value for case in cases for series in measurement.series[case].values() if not series.failure
            for times in series.times.values() for value in times]


def _width(measurement, cases):
    """Returns the axis: sizes or, for an operation without data, the competitors."""
    sizes = measurement.sizes_of(cases[0])
    if all(sizes):
        blocks = operations.ALL[cases[0].operation].blocks
        return gnuplot.size_tics(sizes, "chunks of all ranks" if blocks else "message")
    names = [competitor.name for competitor in measurement.competitors]
    return gnuplot.name_tics(names)


def script(measurement, operation, terminal, path):
    cases = _cases(measurement, operation)
    values = _values(measurement, cases)
    limits = [limit for case in cases for size in measurement.sizes_of(case)
              if (limit := measurement.limit(case, size)) and limit >= min(values)]
    settings = _width(measurement, cases) + gnuplot.time_axis(min(values + limits), max(values + limits))
    panels = [_panel(measurement, case, number) for number, case in enumerate(cases)]
    return gnuplot.script(panels, _title(operation), settings, terminal, path)


def draw(measurement, folder):
    """Writes one plot per operation, such as bcast.svg and bcast.png. Returns (paths, error)."""
    paths, complaints = [], []
    for operation in measurement.operations():
        if not _values(measurement, _cases(measurement, operation)):
            complaints.append(f"nothing to plot for {operation}")
            continue
        drawn, complaint = gnuplot.draw(
            lambda terminal, path, of=operation: script(measurement, of, terminal, path),
            os.path.join(folder, operation))
        paths += drawn
        if complaint not in ("", *complaints):
            complaints.append(complaint)
    return paths, "\n".join(complaints)
