"""What the commands of this folder have in common: options, packages and build, results, how they end."""

import argparse
import os
import re
import shutil
import subprocess
import sys

from . import operations, results, sessions, units
from .cluster import NOT_SUPPORTED, ClusterError, Interrupted, check_support, raise_on_signals
from .folders import BENCH, ROOT
from .progress import Progress

PREPARE = os.path.join(ROOT, "component", "packaging", "prepare")
EPILOG = """\
Exit status: 0 if with the plugin everything ran and all data was right, however fast; 1 if not; 77 if this
machine does not allow namespaces, of which the cluster is made. Where a component of Open MPI itself crashes
or delivers wrong data, that is shown and the measurement goes on without it. More about the cluster:
bench/cluster --help."""


def count(text):
    """A number from 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number from 1")
    return int(text)


def sizes(text):
    """Message sizes, for argparse."""
    try:
        return tuple(sorted({units.parse_size(word) for word in text.split(",")}))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def some_of(known):
    """A list of known words, or "all", for argparse."""
    def parse(text):
        found = tuple(dict.fromkeys(known if text == "all" else text.split(",")))
        for word in found:
            if word not in known:
                raise argparse.ArgumentTypeError(f"'{word}': expected all, or some of {', '.join(known)}")
        return found

    return parse


def operations_option(default, known=tuple(operations.ALL)):
    """The settings of an option for a list of operations, for argparse. `default`: its value as text."""
    parse = some_of(known)
    return {"metavar": "LIST", "type": parse, "default": parse(default),
            "help": f"operations: all, or some of {', '.join(known)} ({default})"}


def words(allowed, expected):
    """A list of words, for argparse: `allowed` is a regular expression, `expected` says what it means."""
    def parse(text):
        found = tuple(dict.fromkeys(text.split(",")))
        for word in found:
            if not re.fullmatch(allowed, word):
                raise argparse.ArgumentTypeError(f"'{word}': expected {expected}")
        return found

    return parse


def add_options(parser, folder, seconds):
    """How much to measure, and where things are. `folder`, `seconds`: defaults."""
    add_results_option(parser, folder)
    parser.add_argument("--reps", metavar="N", type=count, default=2,
                        help="repetitions per round, at least; more of short ones (2)")
    parser.add_argument("--rounds", metavar="N", type=count, default=0,
                        help="rounds over the competitors (as many as fit into --seconds, but at least 3)")
    parser.add_argument("--seconds", metavar="N", type=count, default=seconds,
                        help=f"time for all rounds ({seconds})")
    add_keep_option(parser)
    add_building_options(parser)


def add_results_option(parser, folder):
    parser.add_argument("--results", metavar="DIR", default=folder,
                        help=f"where to write: a new or empty folder, or one of an earlier run ({folder})")


def add_keep_option(parser):
    parser.add_argument("--keep-cluster", action="store_true",
                        help="leave the cluster up and say how to use it")


def add_building_options(parser):
    building = parser.add_argument_group("building")
    building.add_argument("--no-install", action="store_true",
                          help="install no packages; say which are missing")
    building.add_argument("--preset", metavar="NAME", default="release",
                          help="preset of CMakePresets.json (release)")
    building.add_argument("--build", metavar="DIR",
                          help="take what is built there; install and build nothing")


_SHAPE = {  # options that are passed on to `cluster up`
    "--nodes": ("N", "number of nodes (4)"),
    "--sites": ("N", "number of sites (2)"),
    "--site-sizes": ("A,B,...", "nodes of every site"),
    "--slots": ("N|A,B,...", "ranks per node, for all or for each (4)"),
    "--nic": ("RATE", "rate of a node's NIC (1gbit)"),
    "--uplink": ("RATE", "rate of a link between sites (200mbit)"),
    "--delay-us": ("N", "one-way delay between sites, in microseconds (0)"),
    "--relay-mbit": ("R", "rate between sites without bursts, instead of --uplink"),
    "--mtu": ("MTU", "largest packet (9000)"),
}


def add_shape_options(parser):
    shape = parser.add_argument_group("the cluster, as in bench/cluster up")
    for name, (metavar, text) in _SHAPE.items():
        shape.add_argument(name, metavar=metavar, help=text)


def shape_arguments(options):
    """What was chosen of add_shape_options, as arguments of `cluster up`."""
    arguments = []
    for name in _SHAPE:
        value = getattr(options, name.removeprefix("--").replace("-", "_"))
        if value is not None:
            arguments += [name, value]
    return arguments


def built_file(folder, name):
    """The path of what the build made there. Raises ClusterError."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise ClusterError(f"{path} is missing: it was not built")
    return path


class Built:
    """What the build made: the program, the cluster's relay, the folder of the plugin, and further libraries."""

    def __init__(self, folder, libraries=()):
        self._folder = folder
        self.program = os.path.join(folder, "bench", "collective_latency")
        self.relay = os.path.join(folder, "bench", "relay")
        plugin = os.path.join(folder, "plugin", "mca_coll_strata.so")
        further = [os.path.join(folder, "bench", name) for name in libraries]
        for path in (self.program, self.relay, plugin, *further):
            built_file(folder, path)
        self.plugin_folder = os.path.dirname(plugin)
        self.libraries = further

    def tool(self, name):
        """Another program of the build."""
        return built_file(self._folder, name)


def build_folder(options, purposes, check=lambda: None):
    """Packages and build, of which the folder is returned; `check` may refuse between them."""
    if options.build:
        check()
        return os.path.abspath(options.build)
    call = [PREPARE, "--preset", options.preset, "--for", purposes]
    install = ["--no-install"] if options.no_install else []
    # In the same session as we are, so that sudo can ask for a password.
    for part in (["--packages-only", *install], None, ["--no-install"]):
        if part is None:
            check()
        elif status := subprocess.run([*call, *part], check=False).returncode:
            raise ClusterError("", status)
    return os.path.join(ROOT, "build", options.preset)


def prepare(options, purposes, needs_cluster=True, libraries=()):
    """The same for what measures real jobs; raises ClusterError where a cluster is needed and none possible.
    `libraries`: what is needed of bench besides."""
    return Built(build_folder(options, purposes, check_support if needs_cluster else lambda: None), libraries)


def results_folder(path, own_names, keep_logs=False):
    """A folder of ours (see results.py) with an empty `logs`. `own_names`: a regular expression of files to be written,
    old ones of which are removed."""
    folder = results.claim(path)
    if not keep_logs:
        shutil.rmtree(os.path.join(folder, "logs"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
    for name in os.listdir(folder):
        if re.fullmatch(own_names, name):
            os.unlink(os.path.join(folder, name))
    return folder


def say_files(files, complaint, progress):
    progress.say(f"\nWritten after {units.clock(progress.elapsed)} minutes:")
    for path in files:
        progress.say("  " + units.path_text(path))
    if complaint:
        progress.say(complaint)


def say_kept(cluster, progress):
    tool = units.path_text(os.path.join(BENCH, "cluster"))
    progress.say(f"The cluster is up:  {tool} run --state {cluster.directory} -- PROGRAM\n"
                 f"Take it down with:  {tool} down --state {cluster.directory}")


def run(name, body, options):
    """body(options, progress) -> exit status. Returns that of the command `name`."""
    progress = Progress()
    raise_on_signals()
    try:
        results.check(options.results)  # before anything is installed, built or measured
        return body(options, progress)
    except ClusterError as error:
        progress.clear()
        if str(error):
            print(f"{name}: {error}", file=sys.stderr)
        return error.status if error.status == NOT_SUPPORTED else 1
    except OSError as error:  # a folder that cannot be written, a full disk
        progress.clear()
        where = f"{error.filename}: " if error.filename else ""
        print(f"{name}: {where}{error.strerror or error}", file=sys.stderr)
        return 1
    except Interrupted as stop:
        progress.clear()
        print(f"{name}: {stop}; {sessions.left()}", file=sys.stderr)
        return 128 + stop.number
