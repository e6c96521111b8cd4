"""Emulated clusters with slow links between the sites or at the nodes, on which figures reorder ranks."""

import contextlib
import dataclasses
import os

from ..measuring import cli, competitors

FILES = r"topology-(sites|nics|cards)\.conf"
_MONITORED = {"pml": "ob1,monitoring", "pml_monitoring_enable": "1"}  # parameters of Open MPI
_NARROW = ("sites", "nics")


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    title: str
    shape: tuple  # options of bench/cluster up


def add_options(parser):
    parser.add_argument("--narrow", metavar="LIST", type=cli.some_of(_NARROW, cards="nics"), default=_NARROW,
                        help="slow links for reordering and cg, one cluster for each: all, or some of "
                             f"{', '.join(_NARROW)} (all)")


def networks(options):
    """Returns the wanted networks."""
    known = (Network("sites", f"2 sites of 2 nodes, {options.relay_mbit} Mbit/s and {options.delay_us} us between "
                     "them, NICs of 1 Gbit/s",
                     ("--nodes", "4", "--sites", "2", "--slots", "4", "--delay-us", str(options.delay_us),
                      "--relay-mbit", str(options.relay_mbit))),
             Network("nics", f"1 site of 4 nodes, NICs of {options.relay_mbit} Mbit/s",
                     ("--nodes", "4", "--sites", "1", "--slots", "4", "--nic", f"{options.relay_mbit}mbit")))
    return tuple(network for network in known if network.name in options.narrow)


@contextlib.contextmanager
def opened(network, setting):
    """Returns the network's cluster, and Open MPI's own components with its monitoring; the library reads the cluster's
    switches from a file."""
    with setting.cluster(network.shape, network.title) as cluster:
        topology = os.path.join(setting.folder, f"topology-{network.name}.conf")
        cluster.write_topology(topology)
        stock = dataclasses.replace(competitors.tuned(), environment=(("STRATA_NETWORK", f"file:{topology}"),))
        yield cluster, competitors.with_parameters(stock, _MONITORED)
