"""Places of jobs: a new emulated cluster, one that is up, or the user's launcher."""

import hashlib
import os

from . import cli
from .cluster import Cluster, ClusterError, StandingCluster
from .launcher import Launcher


def of(options, built):
    """Returns a context that runs programs."""
    return opened(built.relay, cli.shape_arguments(options), options.state, options.launcher, options.keep_cluster)


def opened(relay, shape=(), state="", launcher="", keep=False):
    """Returns the same. `shape` holds options of `cluster up`."""
    if launcher:
        return Launcher(launcher)
    if state:
        return StandingCluster(state)
    return Cluster([*shape, "--relay", relay], keep)


def parameters(options, runner, folder):
    """Returns the plugin's parameters, by name without coll_strata_, with the switches of an emulated
    cluster."""
    found = _given(options.parameter)
    return (network(runner, folder) if hasattr(runner, "write_topology") and "network" not in found else {}) | found


def network(cluster, folder):
    """Returns the parameter that describes the switches of an emulated cluster to the plugin."""
    path = os.path.join(folder, "topology.conf")
    cluster.write_topology(path)
    return {"network": f"file:{path}"}


def _given(texts):
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not (name and equals)]:
        raise ClusterError(f"--parameter {wrong[0]}: expected NAME=VALUE")
    return {name: value for name, _, value in pairs}


def build_digest(built, *more):
    """Identifies the build, because results of another build differ."""
    digest = hashlib.sha256()
    for path in (built.program, os.path.join(built.plugin_folder, "mca_coll_strata.so"), *more):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]
