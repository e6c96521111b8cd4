"""Reproducible figures of the papers, by name."""

from .choice import SIZES, Choice
from .conjugate_gradient import ConjugateGradient
from .enhancement import Enhancement
from .leaders import SHARED_PATH, SIZES as LEADER_SIZES, Leaders, Point
from .multilevel import BINOMIAL, MULTILEVEL, OURS, Multilevel
from .sensitivity import Sensitivity
from .summa import Summa
from .vectors import GATHER, Vectors

_ONE_PER_NODE = (("--ppn", "1", "--placement", "2"), ("--ppn", "1", "--placement", "0"))  # ranks in domain 1 and 0


def _per_node(ranks, placement):
    job = ("--ppn", str(ranks), "--placement", placement)
    return Point(f"{ranks} per node", job, job)


def _nodes(count):
    job = ("--nodes", str(count))
    return Point(f"{count} nodes", job, job)


def _leaders(name, figure, title, finding, points, expected, **more):
    """The figure with the far path that the paper's figure 4 gives, and with one that reads and writes share."""
    return (Leaders(name, figure, title, finding, points, expected, **more),
            Leaders(f"{name}-shared", figure, f"{title}; reads and writes share the far path", finding, points, expected,
                    options=SHARED_PATH, **more))


_RINGS = (("allgather", 32 << 10),)  # largest size: above it others send some 500,000 messages at once
_MADE_UP = ((3, 4, 2, 3, 8), (6, 2, 2, 3, 8), (3, 2, 2, 8, 6), (3, 2, 4, 6, 4))  # sizes of groups, topmost first
_BOUND = Point("all ranks there", *_ONE_PER_NODE, elected=False)
_EACH_CORE = Point("leaders there", (), ())

ALL = {figure.name: figure for figure in (
    Enhancement("figure5", 5, "ntw10e5", "bcast", 21),
    Enhancement("figure6", 6, "smp20e7", "bcast", 11),
    Enhancement("figure7", 7, "smp12e5", "bcast", 22),
    Enhancement("figure8", 8, "ntw10e5", "reduce", 39),
    Enhancement("figure9", 9, "smp20e7", "reduce", 11),
    Enhancement("figure10", 10, "smp12e5", "reduce", 8),
    Summa("figure11", 11, "ntw10e5", (15, 16), 12),
    Summa("figure12", 12, "smp20e7", (10, 16), 5),
    Summa("figure13", 13, "smp12e5", (8, 12), 6),
    Vectors("figure14", 14, "ntw24e5", _MADE_UP, 10),
    Vectors("figure14-gather", 14, "ntw24e5", _MADE_UP, 10, GATHER),
    # The description guesses four links between switches.
    *(Vectors(f"figure14-uplinks{links}", 14, "ntw24e5", _MADE_UP, 10, GATHER, links / 4, (1 << 10, 256 << 10))
      for links in (1, 2, 12)),
    Multilevel("grid-wide", 7, "Bcast over two sites, 48 ranks", "fewer messages between sites gain at every size",
               (BINOMIAL, MULTILEVEL, OURS)),
    Multilevel("grid-local", 8, "Bcast over two machines of one site, 32 ranks",
               "fewer messages between machines gain at every size", (BINOMIAL, MULTILEVEL, OURS),
               ("--hosts", "anl-sp,anl-o2k")),
    Multilevel("grid-levels", 9, "Bcast over two sites, compared with trees of two levels, 48 ranks",
               "all levels are better than two, by machine or by site, and than a binomial tree",
               (BINOMIAL, "whole:binomial@node", "whole:binomial@switch0", MULTILEVEL, OURS)),
    Leaders("nuioa-pingpong", 4, "One message to another node: both ranks near the NIC, or both far",
            "25 to 30 % more from 32 KiB on", (Point("two nodes", *(("--nodes", "2", *job) for job in _ONE_PER_NODE),
                                                     elected=False),), (None, None), contenders=("whole:linear",),
            sizes=tuple(size for size in LEADER_SIZES if size >= 32 << 10), every=(25, 30)),
    Leaders("nuioa-gather", 6,
            "Gather from 8 nodes, one rank on each, the root's chunk included: all near the NIC, or all far",
            "47 % more with the root near", (_BOUND,), (None, 47), contenders=("strata", "whole:linear"),
            operation="gather"),
    *_leaders("nuioa-binding", 5, "Bcast over 8 nodes, one rank on each: all near the NIC, or all far",
            "up to 50 % more", (_BOUND,), (None, 50)),
    *_leaders("nuioa-leaders", 7, "Bcast over 8 nodes, 8 ranks on each: NIC-local leaders, or the lowest ranks",
            "10 to 25 % more", (_EACH_CORE,), (None, None), every=(10, 25)),
    *_leaders("nuioa-ranks", 8, "Bcast over 8 nodes, with more and more ranks on each",
            "from 50 % at one rank per node down to 10 % at eight",
            (_BOUND, _per_node(2, "0;2"), _per_node(4, "0;2;4;6"), _per_node(8, "core")), (10, 50), grows=-1),
    *_leaders("nuioa-nodes", 9, "Bcast with 8 ranks per node, on more and more nodes",
            "from 2 % on two nodes to 10 % on eight", tuple(map(_nodes, (2, 4, 8))), (2, 10), grows=1),
    *(Choice(f"choice-{machine}", machine, ranks, per_node) for machine, ranks, per_node in
      (("ntw10e5", 240, 24), ("smp20e7", 160, 160), ("smp12e5", 96, 96), ("nuioa8", 64, 8))),
    # For each arriving message SMPI searches all unexpected ones: with Open MPI's pipelines this takes ten
    # minutes.
    Choice("choice-ntw24e5", "ntw24e5", 576, 24, limits=(*_RINGS, ("reduce", 32 << 10)),
           crashes=frozenset({("mpich", "reduce", 4 << 10)})),
    # Intel MPI's Allreduce of 16 MiB takes more than 24 GB of memory there.
    Choice("choice-fattree", "fattree4k", 1024, 64, ("--hosts", "n[0-15]"), sizes=SIZES[:-1],
           limits=(*_RINGS, ("reduce", 32 << 10))),
    Sensitivity("sensitivity", "nuioa8", 64),
    # The paper's 3 and 11 nodes of 24 cores.
    ConjugateGradient("cg-64", "B", 64, "3 nodes below one switch", "n[0-2]", "24,24,16", 20_000),
    ConjugateGradient("cg-64-a", "A", 64, "3 nodes below one switch", "n[0-2]", "24,24,16", 20_000),
    ConjugateGradient("cg-256", "A", 256, "11 nodes below one switch", "n[0-10]", "24," * 10 + "16", 80_000),
    ConjugateGradient("cg-sites", "A", 64, "two sites of 2 nodes", "n[0-1],n[11-12]", "16", 20_000),
)}

# Figures that take longer than a minute are made on request.
DEFAULT = tuple(name for name in ALL if not name.startswith(("cg-", "choice-", "sensitivity", "figure14-uplinks")))
