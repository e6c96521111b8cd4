"""Results of the conjugate gradient kernel, as tables, text and pictures compared with the paper's figure 7."""

import dataclasses
import os
import statistics

from ..measuring import files, gnuplot, units
from ..measuring.table import SLOWER

CSV = "cg.csv"
_LOOKS = {"block": ("#5b7db1", 9), "cyclic": ("#1a7f37", 7), "shuffle": ("#d9822b", 5)}
_HEAD = tuple(line.rstrip() for line in (
    f"  {'':51}{'execution':>17}{'':30}{'communication':>17}",
    f"  {'class':7}{'order':9}{'binding':9}{'pairs':9}{'moved':>7}{'reorder':>9}"
    + f"{'without':>10}{'with':>8}  {'gain, least to most':27}" * 2))


def _total(run):
    return run.total()


def _communication(run):
    return run.communication


def _rank_0(run):
    return run.rank_0


def _gain_cell(series, what, paint):
    """Returns the gain in percent, 27 columns."""
    values = series.values(lambda pair: pair.gain(what))
    faster = series.median(lambda pair: pair.faster(what))
    text = f"{statistics.median(values):6.1f} %  {min(values):.1f} to {max(values):.1f}"
    return paint(f"{text:27}", *(["green"] if faster > 1 / SLOWER else ["red"] if faster < SLOWER else []))


def _pairs_cell(series, paint):
    """Returns the number of pairs, 9 columns; of how many rounds, if some failed."""
    if not series.failures:
        return f"{len(series.pairs):<9}"
    return paint(f"{f'{len(series.pairs)} of {series.rounds()}':9}", "red")


def _row(case, series, paint):
    head = f"  {case.letter:7}{case.order:9}{case.binding:9}"
    if not series.pairs:
        return head + paint("failed", "red")
    head += (f"{_pairs_cell(series, paint)}{series.median(lambda pair: pair.reordered.moved):7.0f}"
             f"{units.three_digits(series.median(lambda pair: pair.reordered.total() - pair.reordered.execution)):>9}")
    for what in (_total, _communication):
        without, reordered = (units.three_digits(series.median(of)) for of in (
            lambda pair, what=what: what(pair.without), lambda pair, what=what: what(pair.reordered)))
        head += f"{without:>10}{reordered:>8}  {_gain_cell(series, what, paint)}"
    return head.rstrip()


def _tables(measurement, paint):
    lines = []
    for network in measurement.networks:
        lines += ["", paint(f"Conjugate gradient of the NAS benchmarks, {network.title}: seconds", "bold"), *_HEAD]
        lines += [_row(case, measurement.series[network.name, case], paint) for case in measurement.cases]
    return lines


def _speed_ups(measurement, what):
    """Returns (median speed-up, network, case) where ranks have moved."""
    return [(series.median(lambda pair: pair.faster(what)), network, case)
            for (network, case), series in measurement.series.items()
            if any(series.values(lambda pair: pair.reordered.moved))]


def _best(measurement, what):
    faster, network, case = max(_speed_ups(measurement, what), key=lambda one: one[0])
    return f"{faster:.2f} times ({case.title()}, {network})"


def result(measurement):
    """Returns lines that compare the speed-ups with the paper's."""
    total = [faster for faster, _, _ in _speed_ups(measurement, _total)]
    if not total:
        return []
    return [f"CG after reordering, where ranks have moved: execution {min(total):.2f} to {max(total):.2f} times as "
            "fast, the reordering included;",
            f"  faster in {sum(one > 1 for one in total)} of {len(total)} cases; at most {_best(measurement, _total)}.",
            f"  Communication at most {_best(measurement, _communication)};",
            f"  by rank 0's time, as in the paper, {_best(measurement, _rank_0)}.",
            "  Paper, section 6.5, classes B to D on 64 to 256 ranks: execution faster in all cases, by less the "
            "larger the class;",
            "  communication up to 1.9 times; from random orders no more than from round robin (block order)."]


_NOTES = ["",
          "Medians of pairs of runs, one without and one with reordering, both with Open MPI's monitoring (pml ob1).",
          "Pairs: 2 of 3 if one of three rounds failed; the numbers are of the others. Moved: ranks; 0: the order was",
          "kept, and a difference is the reordering's own time, or noise. Reorder: finding the new order, and the",
          "matrix made anew for the new ranks; it is part of the execution. Communication: time in MPI calls of the",
          "slowest process. Gain: 100 (without - with) / without."]


def text(measurement, paint):
    return _tables(measurement, paint) + _NOTES + [""] + result(measurement)


def write_csv(measurement, folder):
    """Writes a row per run. Returns the path."""
    path = os.path.join(folder, CSV)
    rows = [(network, *dataclasses.astuple(case), turn, name, *dataclasses.astuple(getattr(pair, name)))
            for (network, case), series in measurement.series.items()
            for turn, pair in enumerate(series.pairs) for name in ("without", "reordered")]
    files.write_csv(path, ("network", "class", "order", "binding", "pair", "ranks", "execution_s", "communication_s",
                           "communication_mean_s", "communication_rank_0_s", "reordering_s", "data_s", "moved",
                           "zeta"), rows)
    return path


def _curve(measurement, network, binding, order, what, name):
    rows = []
    for place, letter in enumerate(dict.fromkeys(case.letter for case in measurement.cases)):
        series = next(series for (one, case), series in measurement.series.items()
                      if (one, case.letter, case.order, case.binding) == (network.name, letter, order, binding))
        values = series.values(lambda pair: pair.faster(what))
        if values:
            rows.append((place, statistics.median(values), min(values), max(values)))
    return gnuplot.curve(name, rows, _LOOKS[order], f"{order} order") if rows else None


def _panels(measurement):
    classes = list(dict.fromkeys(case.letter for case in measurement.cases))
    for network in measurement.networks:
        for binding in dict.fromkeys(case.binding for case in measurement.cases):
            for title, what in (("execution", _total), ("communication", _communication)):
                name = f"{network.name}{binding}{title}"
                curves = [curve for order in _LOOKS
                          if (curve := _curve(measurement, network, binding, order, what, name + order))]
                if curves:
                    curves.append(gnuplot.dashed(f"{name}one", [(-0.5, 1), (len(classes) - 0.5, 1)], "no gain"))
                yield gnuplot.panel(f"{title}, {network.name}, {binding}", curves)


def draw(measurement, folder):
    """Writes the plots, as in the paper the ratio of the times. Returns (paths, error)."""
    found = [pair.faster(what) for series in measurement.series.values() for pair in series.pairs
             for what in (_total, _communication)]
    if not found:
        return [], ""  # the table gives the reason
    classes = dict.fromkeys(f"class {case.letter}" for case in measurement.cases)
    # The key is above the curves, and all panels have one scale.
    settings = gnuplot.name_tics(list(classes)) + (
        f"set logscale y 2\nset yrange [{min(*found, 1) * 0.8:.3g}:{max(*found, 1) * 2.5:.3g}]\n"
        "set ylabel 'time without / with reordering'\nset key top right Left reverse samplen 2.5\n")
    return gnuplot.draw_panels(list(_panels(measurement)),
                               "Conjugate gradient of the NAS benchmarks: gain of reordering", settings,
                               os.path.join(folder, "cg"))
