"""Factors by which the hierarchy makes an algorithm faster: table, CSV and plot."""

import csv
import os

from measuring import gnuplot, units

from .runs import Run

# How the levels work together, and what they are compared with: one tree over all ranks in the order of the ranks.
WAYS = {"streamed": "levels at the same time, in segments that the model chooses (this engine)",
        "whole": "one level after the other, each message in one piece (the paper's loop over communicators)"}
_SHORT = {"streamed": "all levels at once, in segments", "whole": "level after level, in one piece"}
_CONTENDERS = {"streamed": "levels:{}", "whole": "whole:{}"}
_NATIVE = ("flat:{}", "flat:{}/8192")
_NO_SEGMENTS = ("linear",)  # which nothing gains by
_LOOKS = {"linear": ("#1a7f37", 5), "chain": ("#d9822b", 7), "pipeline": ("#5b7db1", 9), "binary": ("#999999", 11),
          "binomial": ("#c4549e", 13)}


def runs_of(figure):
    """One run per algorithm."""
    return [Run(figure.machine, figure.operation, figure.sizes,
                tuple(name.format(algorithm) for name in (*_natives(algorithm), *_CONTENDERS.values())))
            for algorithm in figure.algorithms]


def _natives(algorithm):
    return _NATIVE[:1] if algorithm in _NO_SEGMENTS else _NATIVE


class Factors:
    def __init__(self, figure, times):
        self._figure, self._times = figure, times

    def us(self, contender, algorithm, size):
        return self._times[self._figure.operation, contender.format(algorithm), size]

    def of(self, way, algorithm, size, native=_NATIVE[:1]):
        """Native time by that of the levels; of several native ones the fastest."""
        fastest = min(self.us(name, algorithm, size) for name in native if name in _natives(algorithm))
        return fastest / self.us(_CONTENDERS[way], algorithm, size)

    def greatest(self, way, native=_NATIVE[:1]):
        """(factor, algorithm, size)"""
        return max((self.of(way, algorithm, size, native), algorithm, size)
                   for algorithm in self._figure.algorithms for size in self._figure.sizes)


def text(figure, times):
    factors = Factors(figure, times)
    lines = [figure.title, "Native: the same algorithm over all ranks, messages in one piece.", ""]
    for way, meaning in WAYS.items():
        lines += [f"{way}: {meaning}",
                  "  " + f"{'':10}" + "".join(f"{algorithm:>10}" for algorithm in figure.algorithms)]
        lines += ["  " + f"{units.size_text(size):10}" +
                  "".join(f"{factors.of(way, algorithm, size):>9.2f}x" for algorithm in figure.algorithms)
                  for size in figure.sizes]
        lines.append("")
    for way, native, against in (("streamed", _NATIVE[:1], ""), ("whole", _NATIVE[:1], ""),
                                 ("streamed", _NATIVE, ", against the better of native in one piece and in 8 KiB")):
        factor, algorithm, size = factors.greatest(way, native)
        lines.append(f"Greatest, {way}{against}: {factor:.1f}x ({algorithm}, {units.size_text(size)})")
    return "\n".join([*lines, f"Paper: {figure.statement}.", ""])


def reached(figure, times):
    return Factors(figure, times).greatest("streamed")[0] >= figure.greatest


def write_csv(figure, times, path):
    factors = Factors(figure, times)
    columns = {"native_us": _NATIVE[0], "native_8k_us": _NATIVE[1], "streamed_us": _CONTENDERS["streamed"],
               "whole_us": _CONTENDERS["whole"]}
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("algorithm", "bytes", *columns))
        for algorithm in figure.algorithms:
            known = (*_natives(algorithm), *_CONTENDERS.values())
            for size in figure.sizes:
                writer.writerow((algorithm, size, *(f"{factors.us(name, algorithm, size):.3f}" if name in known else ""
                                                    for name in columns.values())))


def draw(figure, times, base):
    factors = Factors(figure, times)
    values = [factors.of(way, algorithm, size) for way in WAYS for algorithm in figure.algorithms
              for size in figure.sizes]

    def panel(number, way):
        curves = [gnuplot.curve(f"c{number}_{place}",
                                [(size, *[factors.of(way, algorithm, size)] * 3) for size in figure.sizes],
                                _LOOKS[algorithm], algorithm)
                  for place, algorithm in enumerate(figure.algorithms)]
        limit = gnuplot.dashed(f"paper{number}", [(size, figure.greatest) for size in figure.sizes],
                               f"the paper: {figure.greatest:g}x")
        return gnuplot.panel(_SHORT[way], [*curves, limit])

    def script(terminal, path):
        settings = (gnuplot.size_tics(figure.sizes) + "set logscale y\nset format y '%g x'\nset ylabel 'faster'\n"
                    f"set yrange [{min(0.5, *values) * 0.8:.3g}:{max(figure.greatest, *values) * 8:.3g}]\n"
                    "set key top left maxrows 3 reverse Left samplen 2\n")
        return gnuplot.script([panel(number, way) for number, way in enumerate(WAYS)], figure.title, settings,
                              terminal, path)

    return gnuplot.draw(script, base)


def write(figure, times, folder):
    """The table and its numbers; returns the paths."""
    base = os.path.join(folder, figure.name)
    with open(base + ".txt", "w", encoding="utf-8") as file:
        file.write(text(figure, times))
    write_csv(figure, times, base + ".csv")
    return [base + ".txt", base + ".csv"]
