"""What can be reproduced: figures of the papers, by name."""

import dataclasses

SIZES = (8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20)

# Those of the paper that are trees. Its split binary broadcast and in-order binary reduction are none: on levels they
# are left to components, which no simulation has.
_BCAST = ("linear", "chain", "pipeline", "binary", "binomial")
_REDUCE = _BCAST
_PAPER = "seed paper on hardware communicators, section 7.2"


@dataclasses.dataclass(frozen=True)
class Enhancement:
    """How much faster an algorithm gets where every level carries it out instead of all ranks together."""
    name: str
    number: int  # of the paper's figure
    machine: str
    operation: str
    algorithms: tuple
    greatest: float  # the paper's greatest factor over algorithms and sizes
    sizes: tuple = SIZES

    @property
    def title(self):
        return f"{self.operation.capitalize()} on {self.machine.upper()}: enhancement by the hierarchy"

    @property
    def statement(self):
        return (f"{_PAPER}, figure {self.number}: at most about {self.greatest:g}x over six algorithms and all sizes; "
                f"{'split binary' if self.operation == 'bcast' else 'in-order binary'} is not simulated")


ALL = {figure.name: figure for figure in (
    Enhancement("figure5", 5, "ntw10e5", "bcast", _BCAST, 21),
    Enhancement("figure6", 6, "smp20e7", "bcast", _BCAST, 11),
    Enhancement("figure7", 7, "smp12e5", "bcast", _BCAST, 22),
    Enhancement("figure8", 8, "ntw10e5", "reduce", _REDUCE, 39),
    Enhancement("figure9", 9, "smp20e7", "reduce", _REDUCE, 11),
    Enhancement("figure10", 10, "smp12e5", "reduce", _REDUCE, 8),
)}
