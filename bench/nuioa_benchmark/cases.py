"""What is measured. Source of the figures: the paper on NUIOA-aware collective operations, sections 4.3, 4.6.

One cluster of 8 nodes serves all cases: each uses some of its nodes and slots. Part of a node's ranks, always
the lowest ones, reach the node's card through a slower path ("far"); ranks are placed node by node.
"""

import dataclasses
import os

from emulated_cluster.plan import machine_parameters
from measuring import units
from measuring.competitors import told
from measuring.rounds import Rounds

NODES, SLOTS = 8, 8


@dataclasses.dataclass(frozen=True)
class Case:
    per_node: tuple  # ranks on every node
    far: tuple  # how many of them are far
    root_rank: int = 0

    @property
    def places(self):
        def listed(counts):
            return ",".join(map(str, counts))

        return ("--order", "block", "--per-node", listed(self.per_node), "--far-ranks", listed(self.far))

    @property
    def root(self):
        return str(self.root_rank)

    @property
    def nodes(self):
        return sum(count > 0 for count in self.per_node)

    @property
    def each(self):
        """Ranks per node."""
        return max(self.per_node)

    @property
    def ranks(self):
        return sum(self.per_node)

    @property
    def root_far(self):
        """The root is on the first node."""
        return self.root_rank < self.far[0]

    @property
    def can_elect(self):
        """With one rank on each node nobody else could lead."""
        return self.each > 1

    def others_near(self):
        """Whether each node but the root's has a rank that is near."""
        return all(far < count for count, far in list(zip(self.per_node, self.far))[1:] if count)

    def lowest_near(self):
        """Whether the lowest rank of each node but the root's is near."""
        return all(far == 0 for count, far in list(zip(self.per_node, self.far))[1:] if count)

    def short_title(self):
        def side(far):
            return "far" if far else "near"

        shape = f"{self.nodes} nodes with {self.each} rank{'s' * (self.each > 1)} each, root "
        return shape + side(self.root_far) + ("" if self.can_elect else f", others {side(self.far[1])}")

    def name(self):
        return f"{self.nodes}x{self.each}-far-{'-'.join(map(str, self.far))}-root-{self.root}"


def half_far(nodes, each, root_rank=0):
    """Half of the ranks of each node are far; of a single one, that one."""
    idle = (0,) * (NODES - nodes)
    return Case((each,) * nodes + idle, (max(1, each // 2),) * nodes + idle, root_rank)


def bound(root_far, others_far):
    """One rank per node on all nodes."""
    return Case((1,) * NODES, (int(root_far),) + (int(others_far),) * (NODES - 1))


HEADLINE = (half_far(4, 4), half_far(4, 4, root_rank=2))
BINDINGS = tuple(bound(root, others) for others in (True, False) for root in (True, False))
FIGURES = {
    "headline": HEADLINE,
    "5": BINDINGS,
    "8": tuple(half_far(NODES, each) for each in (1, 2, 4, 8)),
    "9": tuple(half_far(nodes, 4) for nodes in (2, 4, 8)),
}


def cases_of(figures):
    """Every case once: figures share some."""
    return list(dict.fromkeys(case for figure in figures for case in FIGURES[figure]))


class Measurement(Rounds):
    """All series, by case and competitor."""

    def competitors_of(self, case):
        """Those whose difference means something in this case."""
        left_out = {"off"} if not case.can_elect else {"tuned", "han"} if case.root_rank else set()
        return tuple(one for one in self.competitors if one.name not in left_out)

    def in_case(self, case, competitor):
        """A machine is pretended only where leaders are to be elected by it."""
        if not (competitor.is_plugin and case.can_elect):
            return competitor
        machine = machine_parameters(case.per_node, case.far)
        if competitor.name == "off":
            del machine["coll_strata_nic"]  # it has its own
        return told(competitor, machine)

    def picture_of(self, case, competitor):
        if case is not HEADLINE[0]:
            return None
        return os.path.join(self.folder, f"hierarchy-{competitor.name}.svg")

    def limit(self, case, size):
        """The least milliseconds in which a message can reach all nodes: through every card once, and through
        the slow path where a node has no near rank."""
        plan = self.cluster.plan
        root_slow = plan.far_direction == "both" and case.far[0] == case.per_node[0]
        return self._at(size, plan, root_slow or not case.others_near())

    def limit_of_lowest(self, case, size):
        """The same when the lowest rank of every node has to receive, and the root to send."""
        plan = self.cluster.plan
        root_slow = plan.far_direction == "both" and case.root_far
        return self._at(size, plan, root_slow or not case.lowest_near())

    @staticmethod
    def _at(size, plan, slow):
        rates = [units.bits_per_second(plan.nic), plan.far_mbit * 1e6 if slow else None]
        return size * 8e3 / min(rate for rate in rates if rate)

    def median(self, case, name, size):
        return self.series[case][name].median(size) if name in self.series.get(case, {}) else None

    def to_json(self):
        return super().to_json() | {
            "cases": [{"title": case.short_title(), **dataclasses.asdict(case),
                       "figures": [figure for figure, cases in FIGURES.items() if case in cases],
                       "limits": {size: self.limit(case, size) for size in self.effort.sizes},
                       "competitors": {name: series.to_json() for name, series in by_name.items()}}
                      for case, by_name in self.series.items()],
        }
