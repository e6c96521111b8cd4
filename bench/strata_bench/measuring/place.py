"""Where jobs run: on an emulated cluster of their own, on one that is up, or as the user's launcher starts them."""

import hashlib
import os

from . import cli
from .cluster import Cluster, ClusterError, StandingCluster
from .launcher import Launcher


def of(options, built):
    """A context that runs programs."""
    return opened(built.relay, cli.shape_arguments(options), options.state, options.launcher, options.keep_cluster)


def opened(relay, shape=(), state="", launcher="", keep=False):
    """The same. `shape`: options of `cluster up`."""
    if launcher:
        return Launcher(launcher)
    if state:
        return StandingCluster(state)
    return Cluster([*shape, "--relay", relay], keep)


def parameters(options, runner, folder):
    """Of the plugin, by name without coll_strata_; they tell it the switches of an emulated cluster."""
    found = _given(options.parameter)
    return (network(runner, folder) if hasattr(runner, "write_topology") and "network" not in found else {}) | found


def network(cluster, folder):
    """The parameter that tells the plugin the switches of an emulated cluster."""
    path = os.path.join(folder, "topology.conf")
    cluster.write_topology(path)
    return {"network": f"file:{path}"}


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
