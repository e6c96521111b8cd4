"""Broadcasts across a grid, from every rank in turn: figures 7 to 9 of the paper on multilevel collectives."""

import dataclasses

from ..measuring import gnuplot, units

from .figure import Figure
from .runs import Run

SIZES = (8, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20)
_MACHINE = "grid48"
_WIDE = "switch1"  # between sites
_ROTATING = "roots in turn"
BINOMIAL = "flat:binomial"
MULTILEVEL = "whole:binomial"
OURS = "strata"
_TITLES = {BINOMIAL: "binomial tree over all ranks (MPICH)", "whole:binomial@node": "two levels, by machine (MagPIe)",
           "whole:binomial@switch0": "two levels, by site (MagPIe)",
           MULTILEVEL: "all levels, each in one piece (the paper's)", OURS: "this plugin's choice"}
_SHORT = {BINOMIAL: "binomial", "whole:binomial@node": "by machine", "whole:binomial@switch0": "by site",
          MULTILEVEL: "multilevel", OURS: "strata"}
_LOOKS = {BINOMIAL: ("#999999", 11), "whole:binomial@node": ("#d9822b", 7), "whole:binomial@switch0": ("#5b7db1", 9),
          MULTILEVEL: ("#c4549e", 13), OURS: ("#1a7f37", 5)}


@dataclasses.dataclass(frozen=True)
class Multilevel(Figure):
    name: str
    number: int  # number of the paper's figure
    title: str
    finding: str
    contenders: tuple  # keys of _TITLES
    job: tuple = ()
    sizes: tuple = SIZES

    @property
    def statement(self):
        return f"seed paper on multilevel collectives, section 4, figure {self.number}: {self.finding}"

    @property
    def crosses_sites(self):
        return not self.job

    def runs(self):
        return [Run(_MACHINE, "bcast", (size,), self.contenders, self.job, roots, label=label)
                for roots, label in (("rotate", _ROTATING), ("all", "")) for size in self.sizes]

    def loop_us(self, found, contender, size):
        """The paper's measurement: every root in turn, with an acknowledged barrier after each broadcast."""
        row, = found.rows("bcast", contender, size, (*self.job, _ROTATING))
        return row["us"]

    def total_us(self, found, contender, size):
        """Sums over all roots, each on an idle machine."""
        return sum(row["us"] for row in found.rows("bcast", contender, size, self.job))

    def crossings(self, found, contender, size):
        """Returns messages, and bytes by those of the message, across the widest links: the most of any
        root."""
        rows = found.rows("bcast", contender, size, self.job)
        return (max(row["messages"].get(_WIDE, 0) for row in rows),
                max(row["bytes_by_level"].get(_WIDE, 0) for row in rows) / size)

    def _slowest(self, found, contender, measured=total_us):
        """Returns (least speed-up over the best other, its size)."""
        others = [other for other in self.contenders if other not in (OURS, MULTILEVEL)]
        return min((min(measured(self, found, other, size) for other in others) /
                    measured(self, found, contender, size), size) for size in self.sizes)

    def _hop(self, found):
        """Explains losses of the paper's tree, which crosses between sites once where others cross several
        times at once."""
        factor, size = self._slowest(found, MULTILEVEL)
        if factor >= 1:
            return []
        best = min((name for name in self.contenders if name not in (OURS, MULTILEVEL)),
                   key=lambda name: self.total_us(found, name, size))
        later = [own["us"] - other["us"] for own, other in zip(found.rows("bcast", MULTILEVEL, size, self.job),
                                                              found.rows("bcast", best, size, self.job))]
        slower = [us for us in later if us > 0]
        return [f"{_SHORT[MULTILEVEL]}, {units.size_text(size)}: from {len(slower)} of {len(later)} roots up to "
                f"{units.three_digits(max(slower))} us later than {_SHORT[best]}, which sends to all machines there "
                "at once;", "  if a message crosses between sites once, another one follows between machines"]

    def text(self, found):
        kind = type(self)
        lines = [self.title, ""]
        for title, measured in (("Every rank broadcasts in turn; an acknowledged barrier after each:", kind.loop_us),
                                ("Sum over one broadcast from every rank, each on an idle machine:", kind.total_us)):
            lines += [title, f"{'':8}" + "".join(f"{_SHORT[name]:>12}" for name in self.contenders)]
            lines += [f"{units.size_text(size):8}" +
                      "".join(f"{_seconds(measured(self, found, name, size)):>12}" for name in self.contenders)
                      for size in self.sizes]
            for name in (MULTILEVEL, OURS):
                factor, size = self._slowest(found, name, measured)
                lines.append(f"{_SHORT[name]}, compared with the best of the others: at least {factor:.2f}x as fast "
                             f"({units.size_text(size)})")
            lines.append("")
        lines += [*(f"{_SHORT[name]}: {_TITLES[name]}" for name in self.contenders), ""]
        if self.crosses_sites:
            lines += self._hop(found)
            lines.append("Between sites, most of any root, messages of 8 B and copies of 1 MiB:")
            for name in self.contenders:
                lines.append(f"  {_SHORT[name]:12} {self.crossings(found, name, self.sizes[0])[0]:3d} "
                             f"{self.crossings(found, name, self.sizes[-1])[1]:7.2f}")
        return "\n".join([*lines, f"Paper: {self.statement}.", ""])

    def table(self, found):
        columns = ("contender", "bytes", "in_turn_us", "total_us", "most_messages_between_sites",
                   "most_copies_between_sites")
        return columns, [(name, size, f"{self.loop_us(found, name, size):.3f}",
                          f"{self.total_us(found, name, size):.3f}", *self.crossings(found, name, size))
                         for name in self.contenders for size in self.sizes]

    def reached(self, found):
        """Checks that the paper's tree is nowhere slower, faster in all, and crosses between sites once."""
        others = [other for other in self.contenders if other not in (OURS, MULTILEVEL)]

        def together(name):
            return sum(self.loop_us(found, name, size) for size in self.sizes)

        return self._slowest(found, MULTILEVEL, type(self).loop_us)[0] >= 1 and together(MULTILEVEL) < min(map(together, others)) and \
            (not self.crosses_sites or (self.crossings(found, MULTILEVEL, self.sizes[0])[0] == 1 and
                                        self.crossings(found, MULTILEVEL, self.sizes[-1])[1] == 1))

    def draw(self, found, base):
        def mean_ms(name, size):
            return self.total_us(found, name, size) / len(found.rows("bcast", name, size, self.job)) / 1000

        values = [mean_ms(name, size) for name in self.contenders for size in self.sizes]
        curves = [gnuplot.curve(f"c{place}", [(size, *[mean_ms(name, size)] * 3) for size in self.sizes], _LOOKS[name],
                                _TITLES[name])
                  for place, name in enumerate(self.contenders)]

        settings = gnuplot.size_tics(self.sizes) + gnuplot.time_axis(min(values), max(values) * 6)
        return gnuplot.draw_panels([gnuplot.panel("mean of all roots", curves)], self.title, settings, base)


def _seconds(us):
    return f"{us / 1e6:.3f} s"
