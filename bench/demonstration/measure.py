"""What the demonstration measures, and against which limit."""

import dataclasses
import os

from measuring import units
from measuring.rounds import Rounds


@dataclasses.dataclass(frozen=True)
class Case:
    order: str
    root: str

    @property
    def places(self):
        return ("--order", self.order)

    def short_title(self):
        order = "round-robin" if self.order == "cyclic" else self.order
        return f"{order} order, " + ("rotating root" if self.root == "rotate" else f"root {self.root}")

    def title(self):
        meaning = {"block": "node by node", "cyclic": "one on each node, then the next",
                   "shuffle": "at random"}
        return f"{self.short_title().capitalize()} (ranks are placed {meaning[self.order]})"

    def name(self):
        return self.order if self.root == "0" else f"{self.order}-root-{self.root}"


class Measurement(Rounds):
    """All series, by order, root and competitor."""

    def picture_of(self, case, _competitor):
        return os.path.join(self.folder, f"hierarchy-{case.name()}.svg")

    def bottleneck_bits(self):
        """Rate in bit/s of the slowest kind of link that every Broadcast must cross, or None if unlimited.

        One copy of the message has to enter every other site; the links of the sites work at the same time.
        """
        plan = self.cluster.plan
        rates = [units.bits_per_second(plan.nic)] if plan.nodes > 1 else []
        if plan.sites > 1:
            rates += [units.bits_per_second(plan.uplink), plan.relay_mbit * 1e6]
        return min((rate for rate in rates if rate), default=None)

    def limit(self, size):
        """The least milliseconds in which a message can cross the slowest links, or None."""
        bits = self.bottleneck_bits()
        return size * 8e3 / bits + self.cluster.plan.delay_us / 1e3 if bits else None

    def to_json(self):
        return super().to_json() | {
            "ranks": self.cluster.ranks,
            "limits": {size: self.limit(size) for size in self.effort.sizes},
            "cases": [{"order": case.order, "root": case.root,
                       "competitors": {name: series.to_json() for name, series in by_name.items()}}
                      for case, by_name in self.series.items()],
        }

    def describe_sizes(self):
        return ", ".join(units.size_text(size) for size in self.effort.sizes)
