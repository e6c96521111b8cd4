"""Where jobs run: on an emulated cluster of their own, on one that is up, or as the user's launcher starts them."""

import hashlib
import os

from . import command
from .cluster import Cluster, ClusterError, StandingCluster
from .launcher import Launcher


def add_options(parser, results):
    """Those of commands that measure wherever jobs run. `results`: where to write by default."""
    parser.add_argument("--no-plots", action="store_true", help="draw no pictures")
    parser.add_argument("--parameter", metavar="NAME=VALUE", action="append", default=[],
                        help="parameter of the plugin, without coll_strata_ (repeatable)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--launcher", metavar="COMMAND", help="how to start a job, instead of the emulated cluster")
    where.add_argument("--state", metavar="DIR", help="an emulated cluster that is up: its state directory")
    command.add_results_option(parser, results)
    command.add_keep_option(parser)
    command.add_building_options(parser)
    command.add_shape_options(parser)
    return parser


def of(options, built):
    """A context that runs programs."""
    return opened(built.relay, command.shape_arguments(options), options.state, options.launcher,
                  options.keep_cluster)


def opened(relay, shape=(), state="", launcher="", keep=False):
    """The same. `shape`: options of `cluster up`."""
    if launcher:
        return Launcher(launcher)
    if state:
        return StandingCluster(state)
    return Cluster([*shape, "--relay", relay], keep)


def say_kept(options, runner, progress):
    if options.keep_cluster and not (options.launcher or options.state):
        command.say_kept(runner, progress)


def parameters(options, runner, folder):
    """Of the plugin, by name without coll_strata_; they tell it the switches of an emulated cluster."""
    found = _given(options.parameter)
    if hasattr(runner, "write_topology") and "network" not in found:
        network = os.path.join(folder, "topology.conf")
        runner.write_topology(network)
        found["network"] = f"file:{network}"
    return found


def _given(texts):
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not (name and equals)]:
        raise ClusterError(f"--parameter {wrong[0]}: expected NAME=VALUE")
    return {name: value for name, _, value in pairs}


def build_digest(built, *more):
    """What was measured with another build is something else."""
    digest = hashlib.sha256()
    for path in (built.program, os.path.join(built.plugin_folder, "mca_coll_strata.so"), *more):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]
