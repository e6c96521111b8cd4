"""Places of a comparison: one cluster, the user's launcher, or a grid of clusters."""

import dataclasses
import shutil

from ..measuring import cli, place

from . import grid
from .setting import ByLauncher, OnCluster


@dataclasses.dataclass(frozen=True)
class Place:
    """An emulated cluster of the given `shape` (options of `cluster up`), one that is already up, or a
    launcher."""

    name: str  # name of its folder; "": none of its own
    title: str
    shape: tuple = ()
    state: str = ""
    launcher: str = ""
    orders: tuple = grid.ORDERS  # orders that differ there

    def open(self, relay, keep=False):
        """Returns the context that starts programs there."""
        return place.opened(relay, self.shape, self.state, self.launcher, keep)

    def setting(self, runner):
        return (ByLauncher if self.launcher else OnCluster)(runner)


def chosen(options):
    """Returns the place that the options name."""
    return Place("", "", tuple(cli.shape_arguments(options)), options.state, options.launcher)


_SHAPES = {"4x4": ("4 nodes with 4 ranks", ("--nodes", "4", "--slots", "4")),
           "8x2": ("8 nodes with 2 ranks", ("--nodes", "8", "--slots", "2"))}
_UPLINKS = {"1gbit": ("sites 1 Gbit/s apart", ("--uplink", "1gbit")),
            "200mbit": ("sites 200 Mbit/s apart", ("--uplink", "200mbit")),
            "200mbit-2ms": ("sites 200 Mbit/s and 2 ms apart", ("--relay-mbit", "200", "--delay-us", "2000"))}
_ONE_NODE_RANKS = 16


def all_of_grid():
    """Returns clusters of two sites each, and one node."""
    found = [Place(f"{shape}-{uplink}", f"{nodes}, {sites}", (*options, "--sites", "2", *more))
             for shape, (nodes, options) in _SHAPES.items() for uplink, (sites, more) in _UPLINKS.items()]
    mpirun = shutil.which("mpirun.openmpi") or "mpirun"
    # On one node all orders but a random one are the same.
    found.append(Place("one-node", f"one node with {_ONE_NODE_RANKS} ranks",
                       launcher=f"{mpirun} --oversubscribe -n {_ONE_NODE_RANKS}", orders=("block", "shuffle")))
    return tuple(found)
