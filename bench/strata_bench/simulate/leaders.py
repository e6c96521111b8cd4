"""NIC-local leaders: figures 4 to 9 of the paper on NUIOA collectives."""

import dataclasses

from ..measuring import gnuplot, units

from .figure import Figure
from .runs import Run

SIZES = (4 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20)
_MACHINE = "nuioa8"
FAR = "@lowest"  # default leaders: the lowest rank of each node, which is far from the NIC
SHARED_PATH = ("--set", "far_path_mbytes_per_s=2000")  # a rank far from the NIC relays at 1,000 MB/s
_OURS = "strata"
_TITLES = {_OURS: "this plugin's choice", "whole:linear": "the root sends to all, or receives from all",
           "levels:pipeline": "pipelined along the nodes and in them",
           "whole:binomial": "one level after the other, binomial trees"}
_LOOKS = {_OURS: ("#1a7f37", 5), "whole:linear": ("#d9822b", 7),
          "levels:pipeline": ("#5b7db1", 9), "whole:binomial": ("#c4549e", 13)}


@dataclasses.dataclass(frozen=True)
class Point:
    """Comparison for a gain: the job with leaders, or all ranks, near the NIC, and the job without."""
    label: str
    near_job: tuple
    far_job: tuple
    elected: bool = True  # otherwise the ranks themselves are elsewhere


@dataclasses.dataclass(frozen=True)
class Leaders(Figure):
    name: str
    number: int  # number of the paper's figure
    title: str
    finding: str
    points: tuple
    expected: tuple  # the greatest gain: at least the first at every point, the second at some; None: not given
    contenders: tuple = (_OURS, "levels:pipeline", "whole:binomial")
    sizes: tuple = SIZES
    grows: int = 0  # trend from point to point: 1, or -1 if the gain shrinks
    operation: str = "bcast"
    options: tuple = ()  # of every job
    every: tuple = ()  # range, to a per cent, of the gain at every point and size

    @property
    def statement(self):
        return f"seed paper on NUIOA collectives, section 4, figure {self.number}: {self.finding}"

    def runs(self):
        runs = []
        for point in self.points:
            if point.elected:
                both = tuple(name + end for name in self.contenders for end in ("", FAR))
                runs.append(Run(_MACHINE, self.operation, self.sizes, both, point.near_job + self.options))
            else:
                runs += [Run(_MACHINE, self.operation, self.sizes, self.contenders, job + self.options)
                         for job in (point.near_job, point.far_job)]
        return runs

    def us(self, found, point, contender, size):
        """(near, far)"""
        return (found.us(self.operation, contender, size, point.near_job + self.options),
                found.us(self.operation, contender + (FAR if point.elected else ""), size, point.far_job + self.options))

    def gain(self, found, point, contender, size):
        """Returns the gain in throughput in per cent."""
        near, far = self.us(found, point, contender, size)
        return (far / near - 1) * 100

    def greatest(self, found, point, contender):
        return max(self.gain(found, point, contender, size) for size in self.sizes)

    def text(self, found):
        lines = [self.title, "Throughput gained by receiving near the NIC, per cent (and MB/s of every rank, near)", ""]
        for contender in self.contenders:
            lines += [f"{contender}: {_TITLES[contender]}",
                      f"  {'':8}" + "".join(f"{point.label:>22}" for point in self.points)]
            for size in self.sizes:
                cells = [f"{self.gain(found, point, contender, size):+.1f} % "
                         f"({size / self.us(found, point, contender, size)[0]:.0f})" for point in self.points]
                lines.append(f"  {units.size_text(size):8}" + "".join(f"{cell:>22}" for cell in cells))
            lines.append("")
        return "\n".join([*lines, f"Paper: {self.statement}.", ""])

    def table(self, found):
        columns = ("contender", "job", "bytes", "near_us", "far_us")
        return columns, [(contender, point.label, size,
                          *(f"{us:.3f}" for us in self.us(found, point, contender, size)))
                         for contender in self.contenders for point in self.points for size in self.sizes]

    def reached(self, found):
        """Checks, for at least one of the paper's algorithms, the range of gains and their trend."""
        least, greatest = self.expected

        def fits(contender):
            gains = [self.greatest(found, point, contender) for point in self.points]
            if self.every and not all(self.every[0] - 1 <= self.gain(found, point, contender, size) <= self.every[1] + 1
                                      for point in self.points for size in self.sizes):
                return False
            falls = any((after - before) * self.grows <= 0 for before, after in zip(gains, gains[1:]))
            return (least is None or min(gains) >= least) and (greatest is None or max(gains) >= greatest) and \
                not (self.grows and falls)

        return any(fits(name) for name in self.contenders if name != _OURS)

    def draw(self, found, base):
        values = [self.gain(found, point, contender, size) for contender in self.contenders for point in self.points
                  for size in self.sizes]

        def panel(number, point):
            curves = [gnuplot.curve(f"c{number}_{place}",
                                    [(size, *[self.gain(found, point, contender, size)] * 3) for size in self.sizes],
                                    _LOOKS[contender], _TITLES[contender])
                      for place, contender in enumerate(self.contenders)]
            return gnuplot.panel(point.label, curves)

        settings = (gnuplot.size_tics(self.sizes) + "set format y '%g %%'\nset ylabel 'throughput gained'\n"
                    f"set yrange [{min(0, *values) - 3:.3g}:{max(values) * 1.5 + 5:.3g}]\n"
                    "set key top left reverse Left samplen 2\n")
        return gnuplot.draw_panels([panel(number, point) for number, point in enumerate(self.points)],
                                   self.title, settings, base)
