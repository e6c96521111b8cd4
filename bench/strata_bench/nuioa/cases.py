"""Cases. Source of the figures: the paper on NUIOA-aware collective operations, sections 4.3, 4.6.

One cluster of 8 nodes serves all cases: each uses some of its nodes and slots. Some ranks of a node, always
the lowest, reach its NIC through a slower path ("far"); ranks are placed node by node.

The figures are Broadcasts. A Reduce streams the other way, from leader to leader towards the root: the
leaders between receive, and so does the root or, for a far root, a NIC-local process. A near root shows the
gain by the leaders, a far root that by this process.

In a Gather every chunk of another node crosses the NIC of the root's node once, whatever the leaders are
(with 4 nodes of 4 ranks: 12 of 16 chunks). Only the receiver matters: a far root, or for it a NIC-local
process. An Allgather brings as many chunks into every node and has no root.
"""

import dataclasses
import itertools
import os

from ..cluster.plan import machine_parameters
from ..measuring import operations, units
from ..measuring.competitors import with_parameters
from ..measuring.rounds import Rounds

NODES, SLOTS = 8, 8


@dataclasses.dataclass(frozen=True)
class Case:
    per_node: tuple  # ranks on every node
    far: tuple  # far ranks on every node
    root_rank: int = 0
    operation: str = "bcast"

    @property
    def places(self):
        def listed(counts):
            return ",".join(map(str, counts))

        return ("--order", "block", "--per-node", listed(self.per_node), "--far-ranks", listed(self.far))

    @property
    def root(self):
        return str(self.root_rank) if self._operation.rooted else None

    @property
    def _operation(self):
        return operations.ALL[self.operation]

    @property
    def has_blocks(self):
        return self._operation.blocks

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
        """Returns whether the root is far; it is on the first node."""
        return self.root_rank < self.far[0]

    @property
    def can_elect(self):
        """Returns whether election has a choice; with one rank per node it has none."""
        return self.each > 1

    def others_near(self):
        """Returns whether each node except the root's has a near rank."""
        return all(far < count for count, far in list(zip(self.per_node, self.far))[1:] if count)

    def lowest_near(self):
        """Returns whether the lowest rank of each node except the root's is near."""
        return all(far == 0 for count, far in list(zip(self.per_node, self.far))[1:] if count)

    def short_title(self):
        def side(far):
            return "far" if far else "near"

        start = "" if self.operation == "bcast" else f"{self._operation.title}, "
        shape = f"{self.nodes} nodes with {self.each} rank{'s' * (self.each > 1)} each"
        root = f", root {side(self.root_far)}" if self.root else ""
        others = "" if self.can_elect else f", others {side(self.far[1])}"
        return start + shape + root + others

    def name(self):
        far = "-".join(map(str, self.far))
        root = f"-root-{self.root}" if self.root else ""
        return f"{self.operation}-{self.nodes}x{self.each}-far-{far}{root}"

    def node_bytes(self, size):
        """Returns, for a Gather or Allgather, the bytes of each node's own chunks."""
        blocks = iter(self._operation.block_bytes(size, self.ranks))
        return [sum(itertools.islice(blocks, count)) for count in self.per_node]


def half_far(nodes, each, root_rank=0, operation="bcast"):
    """Makes half of the ranks of each node far; a single rank is far."""
    idle = (0,) * (NODES - nodes)
    return Case((each,) * nodes + idle, (max(1, each // 2),) * nodes + idle, root_rank, operation)


def bound(root_far, others_far):
    """Makes cases of one rank per node on all nodes."""
    return Case((1,) * NODES, (int(root_far),) + (int(others_far),) * (NODES - 1))


HEADLINE = (half_far(4, 4), half_far(4, 4, root_rank=2))
BINDINGS = tuple(bound(root, others) for others in (True, False) for root in (True, False))
REDUCE = (half_far(4, 4, root_rank=2, operation="reduce"), half_far(4, 4, operation="reduce"))
GATHER = (half_far(4, 4, operation="gather"), half_far(4, 4, root_rank=2, operation="gather"))
ALLGATHER = (half_far(4, 4, operation="allgather"),)
FIGURES = {
    "headline": HEADLINE,
    "5": BINDINGS,
    "8": tuple(half_far(NODES, each) for each in (1, 2, 4, 8)),
    "9": tuple(half_far(nodes, 4) for nodes in (2, 4, 8)),
    "reduce": REDUCE,
    "gather": GATHER,
    "allgather": ALLGATHER,
}
FIGURES_OF = {"bcast": ("headline", "5", "8", "9"), "reduce": ("reduce",), "gather": ("gather",),
              "allgather": ("allgather",)}
FIRST = {operation: FIGURES[figures[0]][0] for operation, figures in FIGURES_OF.items()}  # its main case


def cases_of(figures):
    """Returns every case once: figures share some."""
    return list(dict.fromkeys(case for figure in figures for case in FIGURES[figure]))


class Measurement(Rounds):
    """All series, by case and competitor."""

    def competitors_of(self, case):
        """Returns the competitors whose difference is meaningful in this case."""
        beside = case in (HEADLINE[1], REDUCE[1], GATHER[1])  # only measured for the cost of the other root
        left_out = {"off"} if not case.can_elect else {"tuned", "han"} if beside else set()
        return tuple(one for one in self.competitors if one.name not in left_out)

    def in_case(self, case, competitor):
        """Returns parameters: only cases with election use a synthetic topology."""
        if not (competitor.is_plugin and case.can_elect):
            return competitor
        machine = machine_parameters(case.per_node, case.far)
        if competitor.name == "off":
            del machine["coll_strata_nic"]  # it has its own
        return with_parameters(competitor, machine)

    def picture_of(self, case, competitor):
        if case != FIRST[self.cases[0].operation]:
            return None
        return os.path.join(self.folder, f"hierarchy-{competitor.name}.svg")

    def limit(self, case, size):
        """Returns the least milliseconds in which a message can reach all nodes, or their sum the root's
        node: through every NIC once, and through the slow path where a node that needs it has no near rank."""
        if case.has_blocks:
            return self._limit_of_blocks(case, size, lambda node: case.far[node] < case.per_node[node])
        plan = self.cluster.plan
        root_slow = case.far[0] == case.per_node[0] and self._matters(case, at_root=True)
        others_slow = not case.others_near() and self._matters(case, at_root=False)
        return self._at(size, plan, root_slow or others_slow)

    def limit_of_lowest(self, case, size):
        """Returns the same with the lowest rank leading every node except the root's, and the root leading
        its own. With three nodes and more, a leader receives in a Reduce, too."""
        if case.has_blocks:
            return self._limit_of_blocks(case, size, lambda node: not self._alone_is_far(case, node))
        plan = self.cluster.plan
        root_slow = case.root_far and self._matters(case, at_root=True)
        others_slow = not case.lowest_near() and (self._matters(case, at_root=False) or case.nodes > 2)
        return self._at(size, plan, root_slow or others_slow)

    @staticmethod
    def _alone_is_far(case, node):
        """Returns whether a node's leader without election is far: the lowest rank, or the root."""
        return case.root_far if case.root and node == 0 else case.far[node] > 0

    def _limit_of_blocks(self, case, size, near):
        """Returns the limit by the busiest NIC: every node receives the chunks it lacks, or in a Gather
        only the root's node, to which all others send theirs. `near(node)` is whether the process that
        receives and sends there is near."""
        plan, own = self.cluster.plan, case.node_bytes(size)
        sends_slow = plan.far_direction == "both"
        times = []
        for node, count in enumerate(case.per_node):
            if count == 0:
                continue
            lacking = sum(own) - own[node]
            receives = lacking if case.root is None or node == 0 else 0
            sends = lacking if case.root is None else own[node] if node else 0
            times += [self._at(receives, plan, not near(node)),
                      self._at(sends, plan, sends_slow and not near(node))]
        return max(times)

    def _matters(self, case, at_root):
        """Returns whether the path between NIC and far ranks is slow in the direction of the data."""
        return self.cluster.plan.far_direction == "both" or at_root == (case.operation == "reduce")

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
