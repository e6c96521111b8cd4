"""The collective operations that the program collective_latency measures."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Operation:
    """An operation; its size is that of the vector that every rank has or gets, or of all ranks' chunks
    together."""

    name: str  # name for --op, as in the plugin's output
    rooted: bool = False
    to_root: bool = False  # only the root gets a result, and the time ends when it has it
    blocks: bool = False  # every rank has its own chunk
    unequal: bool = False  # the chunks differ in size
    sized: bool = True  # False: it moves no data

    @property
    def title(self):
        return self.name.capitalize()

    def block_bytes(self, size, ranks):
        """Returns the bytes of each rank's chunk as the program makes them from a size."""
        if not self.unequal:
            return (-(-size // ranks),) * ranks
        before = [rank // 3 * 6 + (0, 1, 3)[rank % 3] for rank in range(ranks + 1)]
        starts = [size * weight // before[-1] for weight in before]
        return tuple(after - start for start, after in zip(starts, starts[1:]))


ALL = {operation.name: operation for operation in (
    Operation("bcast", rooted=True),
    Operation("reduce", rooted=True, to_root=True),
    Operation("allreduce"),
    Operation("allgather", blocks=True),
    Operation("allgatherv", blocks=True, unequal=True),
    Operation("gather", rooted=True, to_root=True, blocks=True),
    Operation("gatherv", rooted=True, to_root=True, blocks=True, unequal=True),
    Operation("scatter", rooted=True, blocks=True),
    Operation("scatterv", rooted=True, blocks=True, unequal=True),
    Operation("barrier", sized=False),
)}


# Operations that each mock-up of collective_latency composes (its --with); it refuses all others.
_BY_NODES = ("bcast", "reduce", "allreduce", "allgather", "gather")
MOCKED = {"hierarchical": (*_BY_NODES, "scatter", "barrier"), "lane": (*_BY_NODES, "scatter"),
          "hybrid": ("bcast", "reduce"), "composed": (*_BY_NODES, "barrier")}


def sizes_of(operation, sizes):
    """Returns the wanted sizes to measure; 0, for an operation without data."""
    return tuple(sizes) if ALL[operation].sized else (0,)


def titles(names):
    """Returns text such as "Bcast, Reduce and Barrier"."""
    words = [ALL[name].title for name in names]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def until(names):
    """Returns when the time of one of these operations ends."""
    to_root = [name for name in names if ALL[name].to_root]
    if len(to_root) == len(names):
        return "the root has the result"
    if to_root:
        return f"the last rank is done ({', '.join(ALL[name].title for name in to_root)}: the root)"
    return "the last rank has the message" if list(names) == ["bcast"] else "the last rank is done"
