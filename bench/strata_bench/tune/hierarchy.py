"""The levels of a job from the JSON of coll_strata_dump, and the ranks that meet on each level."""

import dataclasses

_MOST_PAIRS = 4
_MOST_AT_ONCE = 8


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a group: a group of a deeper level, or a single process."""

    members: tuple  # the leader first


@dataclasses.dataclass(frozen=True)
class Level:
    kind: str  # name in rules: switch1, node, ...
    groups: tuple  # groups with several parts: tuples of parts
    far: dict = dataclasses.field(default_factory=dict)  # one rank far from the NIC by the rank that is near it

    @property
    def participants(self):
        """Returns the number of parts of the largest group: `group` of a rule."""
        return max(len(parts) for parts in self.groups)

    @property
    def has_links(self):
        """Returns whether groups are custom: these lie inside other groups, whose links they use."""
        return not self.kind.startswith("custom")

    def pairs(self):
        """Returns pairs of ranks whose lowest common group is of this level, from different groups as far
        as possible."""
        found = [(parts[0].members[0], parts[place].members[0])
                 for place in (1, -1) for parts in _spread(self.groups, _MOST_PAIRS)]
        return tuple(dict.fromkeys(found))[:_MOST_PAIRS]

    def far_pairs(self):
        """Returns pairs of NIC-local ranks on different nodes, each beside a rank of its node far from the NIC:
        [((a, b), (far from a's NIC, far from b's NIC))]. Empty inside nodes, and where all ranks are near."""
        return [(pair, tuple(self.far[rank] for rank in pair)) for pair in self.pairs()
                if all(rank in self.far for rank in pair)]

    def at_once(self):
        """Returns growing sets of pairs, all from one part to others, over one connection: 1, 2, 4 and so
        on, at most 8 at once. Empty if there is only one receiver."""
        parts = max(self.groups, key=lambda group: (sum(len(part.members) for part in group[1:]), len(group)))
        senders, receivers = parts[0].members, _in_turn([part.members for part in parts[1:]])
        most = min(len(receivers), _MOST_AT_ONCE)
        counts = sorted({*(1 << power for power in range(most.bit_length())), most})
        return [tuple((senders[place % len(senders)], receivers[place]) for place in range(count))
                for count in counts if most > 1]


def levels_of(picture):
    """Returns the levels of the picture on which several parts meet, topmost first."""
    levels = picture["levels"]
    far = {near: rank for rank, near in enumerate(picture.get("receivers", ())) if near != rank}
    found = []
    for place, level in enumerate(levels):
        deeper = [group for below in levels[place + 1:] for group in below["groups"]]
        groups = tuple(parts for group in level["groups"] if len(parts := _parts(group, deeper)) > 1)
        if groups:
            found.append(Level(level["kind"], groups, far))
    # The model reads the shares of the level that joins nodes.
    innermost = max((place for place, one in enumerate(found) if one.far_pairs()), default=-1)
    return tuple(one if place == innermost else dataclasses.replace(one, far={}) for place, one in enumerate(found))


def shape_text(picture):
    """Returns the shape for which rules of this job hold: "16 ranks: switch0 2, node 4"."""
    return f"{picture['ranks']} ranks: " + ", ".join(f"{level.kind} {level.participants}"
                                                     for level in levels_of(picture))


def is_block(picture):
    """Returns whether the ranks of every group are consecutive."""
    return all(max(group["members"]) - min(group["members"]) < len(group["members"])
               for level in picture["levels"] for group in level["groups"])


def dealt(picture, cyclic):
    """Returns the same job with its ranks in another order: place after place, or round robin over the
    nodes (over the widest groups, if there is one node). Rank 0 stays in place."""
    topology_order = picture.get("topology_order") or list(range(picture["ranks"]))
    lists = [sorted(ranks, key=lambda rank: (rank != 0, topology_order[rank])) for ranks in _places(picture, topology_order)]
    lists.sort(key=lambda ranks: (0 not in ranks, topology_order[ranks[0]]))
    old = _in_turn(lists) if cyclic else [rank for ranks in lists for rank in ranks]
    return _renumbered(picture, {rank: place for place, rank in enumerate(old)})


def _places(picture, topology_order):
    """Returns the ranks of each node, or of each of the widest groups."""
    ranks, starts = sorted(range(picture["ranks"]), key=topology_order.__getitem__), picture.get("topology_order_nodes", ())
    if len(starts) > 1:
        return [ranks[first:last] for first, last in zip(starts, [*starts[1:], len(ranks)])]
    groups = next((level["groups"] for level in picture["levels"] if len(level["groups"]) > 1), ())
    inside = {rank for group in groups for rank in group["members"]}
    return [group["members"] for group in groups] + [[rank] for rank in ranks if rank not in inside]


def _renumbered(picture, new):
    """`new` holds ranks by those in the picture."""
    def group(one):
        return {**one, "leader": new[one["leader"]], "members": sorted(new[rank] for rank in one["members"])}

    found = {**picture, "levels": [{**level, "groups": [group(one) for one in level["groups"]]}
                                   for level in picture["levels"]]}
    old = sorted(new, key=new.get)
    if "topology_order" in picture:
        found["topology_order"] = [picture["topology_order"][rank] for rank in old]
    if "receivers" in picture:
        found["receivers"] = [new[picture["receivers"][rank]] for rank in old]
    return found


def _parts(group, deeper):
    """`deeper` holds all groups of lower levels, topmost first."""
    left, parts = dict.fromkeys(group["members"]), []
    for one in deeper:
        if all(rank in left for rank in one["members"]):
            parts.append(Part((one["leader"], *(rank for rank in one["members"] if rank != one["leader"]))))
            for rank in one["members"]:
                del left[rank]
    return sorted(parts + [Part((rank,)) for rank in left], key=lambda part: min(part.members))


def _spread(items, most):
    """Returns at most `most` of them, evenly chosen."""
    step = max(1, len(items) / most)
    return [items[int(place * step)] for place in range(min(most, len(items)))]


def _in_turn(lists):
    """Returns the first of every list, then the second ones, and so on."""
    return [one[place] for place in range(max(map(len, lists))) for one in lists if place < len(one)]
