"""Speed-ups of algorithms by the hierarchy: figures 5 to 10 of the paper on communicators."""

import dataclasses

from ..measuring import gnuplot, units

from .figure import Figure
from .runs import Run

SIZES = (8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20)
# The paper's algorithms, for both operations and for each.
_TREES = ("linear", "chain", "pipeline", "binary", "binomial")
ALGORITHMS = {"bcast": (*_TREES, "split_binary"), "reduce": (*_TREES, "in_order_binary")}
# Ways of combining levels. They are compared with one tree over all ranks in rank order.
WAYS = {"whole": "one level after the other, each message in one piece (the paper's loop over communicators)",
        "streamed": "all levels at once, in segments that the model chooses (this engine)"}
_SHORT = {"whole": "level after level, in one piece", "streamed": "all levels at once, in segments"}
_CONTENDERS = {"whole": "whole:{}", "streamed": "levels:{}"}
_NATIVE = ("flat:{}", "flat:{}/8192")
_NO_SEGMENTS = ("linear",)  # segments do not make it faster
_LOOKS = {"linear": ("#1a7f37", 5), "chain": ("#d9822b", 7), "pipeline": ("#5b7db1", 9), "binary": ("#999999", 11),
          "binomial": ("#c4549e", 13), "split_binary": ("#555555", 3), "in_order_binary": ("#555555", 3)}


def _label(algorithm):
    """Returns the name for people and for gnuplot, which shows the character after _ as a subscript."""
    return algorithm.replace("_", " ").replace("in order binary", "in-order")


def _natives(algorithm):
    return _NATIVE[:1] if algorithm in _NO_SEGMENTS else _NATIVE


class Factors:
    def __init__(self, figure, found):
        self._figure, self._found = figure, found

    def us(self, contender, algorithm, size):
        return self._found.us(self._figure.operation, contender.format(algorithm), size)

    def of(self, way, algorithm, size, native=_NATIVE[:1]):
        """Returns the native time over that of the levels; the fastest of several native ones."""
        fastest = min(self.us(name, algorithm, size) for name in native if name in _natives(algorithm))
        return fastest / self.us(_CONTENDERS[way], algorithm, size)

    def greatest(self, way, native=_NATIVE[:1]):
        """Returns (factor, algorithm, size)."""
        return max((self.of(way, algorithm, size, native), algorithm, size)
                   for algorithm in self._figure.algorithms for size in self._figure.sizes)


@dataclasses.dataclass(frozen=True)
class Enhancement(Figure):
    """The speed-up of an algorithm if every level carries it out, instead of all ranks together."""
    name: str
    number: int  # number of the paper's figure
    machine: str
    operation: str
    greatest: float  # the paper's greatest factor over algorithms and sizes
    sizes: tuple = SIZES

    @property
    def algorithms(self):
        return ALGORITHMS[self.operation]

    @property
    def title(self):
        return f"{self.operation.capitalize()} on {self.machine.upper()}: enhancement by the hierarchy"

    @property
    def statement(self):
        return (f"seed paper on hardware communicators, section 7.2, figure {self.number}: at most about "
                f"{self.greatest:g}x over six algorithms and all sizes")

    def runs(self):
        return [Run(self.machine, self.operation, self.sizes,
                    tuple(name.format(algorithm) for name in (*_natives(algorithm), *_CONTENDERS.values())))
                for algorithm in self.algorithms]

    def text(self, found):
        factors = Factors(self, found)
        lines = [self.title, "Native: the same algorithm over all ranks, messages in one piece.", ""]
        for way, meaning in WAYS.items():
            lines += [f"{way}: {meaning}",
                      "  " + f"{'':10}" + "".join(f"{_label(algorithm):>13}" for algorithm in self.algorithms)]
            lines += ["  " + f"{units.size_text(size):10}" +
                      "".join(f"{factors.of(way, algorithm, size):>12.2f}x" for algorithm in self.algorithms)
                      for size in self.sizes]
            lines.append("")
        for way, native, against in (("whole", _NATIVE[:1], ""), ("streamed", _NATIVE[:1], ""),
                                     ("streamed", _NATIVE, ", against the better of native in one piece and in 8 KiB")):
            factor, algorithm, size = factors.greatest(way, native)
            lines.append(f"Greatest, {way}{against}: {factor:.1f}x ({algorithm}, {units.size_text(size)})")
        return "\n".join([*lines, f"Paper: {self.statement}.", ""])

    def reached(self, found):
        """Judges by the paper's method: a loop over the levels, without segments, against the native algorithm."""
        return Factors(self, found).greatest("whole")[0] >= self.greatest

    def table(self, found):
        factors = Factors(self, found)
        columns = {"native_us": _NATIVE[0], "native_8k_us": _NATIVE[1], "streamed_us": _CONTENDERS["streamed"],
                   "whole_us": _CONTENDERS["whole"]}

        def row(algorithm, size):
            known = (*_natives(algorithm), *_CONTENDERS.values())
            return (algorithm, size, *(f"{factors.us(name, algorithm, size):.3f}" if name in known else ""
                                       for name in columns.values()))

        return ("algorithm", "bytes", *columns), [row(algorithm, size) for algorithm in self.algorithms
                                                  for size in self.sizes]

    def draw(self, found, base):
        factors = Factors(self, found)
        values = [factors.of(way, algorithm, size) for way in WAYS for algorithm in self.algorithms
                  for size in self.sizes]

        def panel(number, way):
            curves = [gnuplot.curve(f"c{number}_{place}",
                                    [(size, *[factors.of(way, algorithm, size)] * 3) for size in self.sizes],
                                    _LOOKS[algorithm], _label(algorithm))
                      for place, algorithm in enumerate(self.algorithms)]
            limit = gnuplot.dashed(f"paper{number}", [(size, self.greatest) for size in self.sizes],
                                   f"the paper: {self.greatest:g}x")
            return gnuplot.panel(_SHORT[way], [*curves, limit])

        settings = (gnuplot.size_tics(self.sizes) + "set logscale y\nset format y '%g x'\nset ylabel 'faster'\n"
                    f"set yrange [{min(0.5, *values) * 0.8:.3g}:{max(self.greatest, *values) * 20:.3g}]\n"
                    "set key top left maxrows 4 reverse Left samplen 2\n")
        return gnuplot.draw_panels([panel(number, way) for number, way in enumerate(WAYS)], self.title, settings, base)
