"""Options of bench/demo and the order of events."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

from emulated_cluster.plan import ORDERS

from . import applications, competitors, plot, report, units
from .cluster import NOT_SUPPORTED, Cluster, ClusterError, Interrupted, check_support, raise_on_signals
from .measure import Case, Effort, Measurement
from .progress import Progress

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_DESCRIPTION = """\
Shows what the plugin does. Installs what is missing from Debian, builds, brings up an emulated cluster (four
nodes with four ranks each, on two sites with a slow link between them) and times MPI_Bcast in an unmodified
program with stock Open MPI (coll/tuned), with coll/han, and with the plugin. Then it runs real applications
with and without the plugin and compares their results."""
_EPILOG = """\
Exit status: 0 if everything ran and all data was right, however fast; 1 if not; 77 if this machine does not
allow namespaces, of which the cluster is made. More about the cluster: bench/cluster --help."""

_SIZES = "8,1K,8K,64K,256K,1M,4M"
_QUICK_SIZES = "8,64K,1M,4M"
_SHAPE = {  # options that are passed on to `cluster up`
    "--nodes": ("N", "number of nodes (4)"),
    "--sites": ("N", "number of sites (2)"),
    "--site-sizes": ("A,B,...", "nodes of every site"),
    "--slots": ("N|A,B,...", "ranks per node, for all or for each (4)"),
    "--nic": ("RATE", "rate of a node's card (1gbit)"),
    "--uplink": ("RATE", "rate of a link between sites (200mbit)"),
    "--delay-us": ("N", "one-way delay between sites, in microseconds (0)"),
    "--relay-mbit": ("R", "rate between sites without bursts, instead of --uplink"),
    "--mtu": ("MTU", "largest packet (9000)"),
}


def _sizes(text):
    try:
        return tuple(sorted({units.parse_size(word) for word in text.split(",")}))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _words(allowed, expected):
    def parse(text):
        found = tuple(dict.fromkeys(text.split(",")))
        for word in found:
            if not re.fullmatch(allowed, word):
                raise argparse.ArgumentTypeError(f"'{word}': expected {expected}")
        return found
    return parse


def _count(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number from 1")
    return int(text)


def _parser():
    parser = argparse.ArgumentParser(prog="demo", description=_DESCRIPTION, epilog=_EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help=f"two rounds, sizes {_QUICK_SIZES}, applications once")
    parser.add_argument("--results", metavar="DIR", default="results/demo",
                        help="where to write (results/demo)")
    parser.add_argument("--orders", metavar="LIST", default=("block", "cyclic"),
                        type=_words("|".join(ORDERS), "one of " + ", ".join(ORDERS)),
                        help="orders of the ranks along the nodes: block, cyclic (round robin), shuffle "
                             "(block,cyclic)")
    parser.add_argument("--roots", metavar="LIST", default=("0",),
                        type=_words("0|[1-9][0-9]{0,5}|rotate", "a rank or rotate"),
                        help="roots of the Broadcast: ranks, or rotate (0)")
    parser.add_argument("--sizes", metavar="LIST", type=_sizes, help=f"message sizes in bytes ({_SIZES})")
    parser.add_argument("--reps", metavar="N", type=_count, default=2,
                        help="repetitions per round, at least; more of short ones (2)")
    parser.add_argument("--rounds", metavar="N", type=_count, default=0,
                        help="rounds over the competitors (as many as fit into --seconds, but at least 3)")
    parser.add_argument("--seconds", metavar="N", type=_count, default=100, help="time for all rounds (100)")
    parser.add_argument("--no-app", action="store_true", help="leave out the applications")
    parser.add_argument("--keep-cluster", action="store_true",
                        help="leave the cluster up and say how to use it")
    building = parser.add_argument_group("building")
    building.add_argument("--no-install", action="store_true",
                          help="install no packages; say which are missing")
    building.add_argument("--preset", metavar="NAME", default="release",
                          help="preset of CMakePresets.json (release)")
    building.add_argument("--build", metavar="DIR",
                          help="take what is built there; install and build nothing")
    shape = parser.add_argument_group("the cluster, as in bench/cluster up")
    for name, (metavar, text) in _SHAPE.items():
        shape.add_argument(name, metavar=metavar, help=text)
    return parser


def _shape_arguments(options):
    arguments = []
    for name in _SHAPE:
        value = getattr(options, name.removeprefix("--").replace("-", "_"))
        if value is not None:
            arguments += [name, value]
    return arguments


def _prepare(options):
    """Packages and build. Returns the build folder; raises ClusterError where no cluster is possible."""
    if options.build:
        check_support()
        return os.path.abspath(options.build)
    call = [os.path.join(_ROOT, "component", "packaging", "prepare"), "--preset", options.preset,
            "--for", "demo" if options.no_app else "demo,apps"]
    install = ["--no-install"] if options.no_install else []
    # In the same session as we are, so that sudo can ask for a password.
    for part in (["--packages-only", *install], None, ["--no-install"]):
        if part is None:
            check_support()
        elif status := subprocess.run([*call, *part], check=False).returncode:
            raise ClusterError("", status)
    return os.path.join(_ROOT, "build", options.preset)


def _require(build):
    """Paths of program and relay, and the plugin's folder."""
    needed = [os.path.join(build, *parts) for parts in
              (("bench", "bcast_latency"), ("bench", "relay"), ("plugin", "mca_coll_strata.so"))]
    for path in needed:
        if not os.path.exists(path):
            raise ClusterError(f"{path} is missing: it was not built")
    return needed[0], needed[1], os.path.dirname(needed[2])


def _results_folder(options):
    folder = os.path.abspath(options.results)
    shutil.rmtree(os.path.join(folder, "logs"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
    for name in os.listdir(folder):
        if re.fullmatch(r"(bcast|hierarchy-.*)\.(svg|png)|table\.txt|measurements\.json", name):
            os.unlink(os.path.join(folder, name))
    return folder


def _effort(options):
    if options.quick:
        return Effort(options.sizes or _sizes(_QUICK_SIZES), options.reps, options.rounds or 2)
    return Effort(options.sizes or _sizes(_SIZES), options.reps, options.rounds, seconds=options.seconds)


def _introduce(cluster, contenders, progress):
    plan = cluster.plan
    sites = f" ({' + '.join(map(str, plan.site_sizes))} on {plan.sites} sites)" if plan.sites > 1 else ""
    slots = str(plan.slots[0]) if len(set(plan.slots)) == 1 else ", ".join(map(str, plan.slots))
    link = plan.uplink if not plan.relay_mbit else f"{plan.relay_mbit:g} Mbit/s"
    progress.step(f"cluster is up: {plan.nodes} nodes{sites}, {slots} ranks each, cards {plan.nic}"
                  + (f", between sites {link}" if plan.sites > 1 else "")
                  + (f" and {plan.delay_us:g} us" if plan.delay_us else ""))
    for competitor in contenders:
        progress.say(f"      {competitor.name:7} {competitor.description}")


def _measure(options, cluster, build, folder, progress):
    """Everything that needs the cluster: the measurement and the applications' comparisons."""
    program, _relay, plugin = _require(build)
    network = os.path.join(folder, "topology.conf")
    cluster.write_topology(network)
    contenders = (competitors.tuned(), competitors.han(), competitors.strata(plugin, network))
    _introduce(cluster, contenders, progress)
    cases = [Case(order, root) for order in options.orders for root in options.roots]
    measurement = Measurement(cluster, program, contenders, cases, _effort(options), folder)
    chosen = () if options.no_app else applications.ALL
    repetitions = 1 if options.quick else 3
    progress.step(f"MPI_Bcast of {measurement.describe_sizes()}")
    measurement.run(progress, seconds_after=12 * repetitions * len(chosen))
    comparisons = []
    for application in chosen:
        if not shutil.which(application.program):
            progress.step(f"{application.name} is not installed: left out")
            continue
        progress.step(f"{application.title}")
        comparisons.append(applications.compare(application, cluster, contenders[0], contenders[-1],
                                                repetitions, folder, progress.show))
    return measurement, comparisons


def _write(measurement, comparisons, folder):
    """All files. Returns their paths and what went wrong with the plot."""
    text = os.path.join(folder, "table.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(_summary(measurement, comparisons, report.Paint(False))
                             + report.chosen_plans(measurement)).lstrip("\n") + "\n")
    data = os.path.join(folder, "measurements.json")
    with open(data, "w", encoding="utf-8") as file:
        everything = {**measurement.to_json(), "applications": [one.to_json() for one in comparisons]}
        json.dump(everything, file, indent=1)
    plots, complaint = plot.draw(measurement, folder)
    return [text, *plots, *measurement.pictures, data], complaint


def _summary(measurement, comparisons, paint):
    return (report.table(measurement, paint) + report.notes(measurement)
            + report.application_lines(comparisons, paint) + report.verdict(measurement, paint))


def _demonstrate(options, progress):
    build = _prepare(options)
    _program, relay, _plugin = _require(build)
    folder = _results_folder(options)
    progress.show("building the cluster")
    with Cluster([*_shape_arguments(options), "--relay", relay], options.keep_cluster) as cluster:
        measurement, comparisons = _measure(options, cluster, build, folder, progress)
    progress.clear()
    files, complaint = _write(measurement, comparisons, folder)
    progress.say("\n".join(_summary(measurement, comparisons, report.Paint.for_stream())))
    progress.say(f"\nWritten after {units.clock(progress.elapsed)} minutes:")
    for path in files:
        progress.say("  " + units.path_text(path))
    if complaint:
        progress.say(complaint)
    if options.keep_cluster:
        tool = units.path_text(os.path.join(_ROOT, "bench", "cluster"))
        progress.say(f"The cluster is up:  {tool} run --state {cluster.directory} -- PROGRAM\n"
                     f"Take it down with:  {tool} down --state {cluster.directory}")
    return 0 if report.succeeded(measurement) and all(one.succeeded() for one in comparisons) else 1


def main(arguments):
    options = _parser().parse_args(arguments)
    progress = Progress()
    raise_on_signals()
    try:
        return _demonstrate(options, progress)
    except ClusterError as error:
        progress.clear()
        if str(error):
            print(f"demo: {error}", file=sys.stderr)
        return error.status if error.status == NOT_SUPPORTED else 1
    except Interrupted as stop:
        progress.clear()
        print(f"demo: {stop}; nothing is left running", file=sys.stderr)
        return 128 + stop.number
