"""Options of bench/demo and its sequence of steps."""

import re
from argparse import ArgumentTypeError

from ..apps import catalogue
from ..apps.comparison import compare
from ..apps.report import times_lines
from ..cluster.plan import ORDERS
from ..measuring import cli, command, competitors, files, operations, place
from ..measuring.rounds import Effort
from ..measuring.table import Paint, chosen_plans

from . import plot, report
from .measure import Measurement, cases_of

_DESCRIPTION = """\
Demonstrates the plugin. Installs missing Debian packages, builds, brings up an emulated cluster (four nodes with
four ranks each, on two sites with a slow link between them) and times MPI_Bcast, or other collective operations,
in an unmodified program with stock Open MPI (coll/tuned), with coll/han, and with the plugin. Then runs real
applications with and without the plugin and compares their results."""
_SIZES = "8,1K,8K,64K,256K,1M,4M"
_QUICK_SIZES = "8,64K,1M,4M"


def _parser():
    parser = cli.parser("demo", _DESCRIPTION)
    parser.add_argument("--quick", action="store_true",
                        help=f"two rounds, sizes {_QUICK_SIZES}, applications once")
    cli.add_operations(parser, "bcast", note="; all take ten to fifteen minutes")
    cli.add_orders(parser, ORDERS, ("block", "cyclic"), ": block, cyclic (round robin), shuffle")
    parser.add_argument("--roots", metavar="LIST", default=("0",), type=_roots,
                        help="roots of rooted operations: ranks, or rotate (0)")
    parser.add_argument("--sizes", metavar="LIST", type=cli.sizes,
                        help=f"sizes in bytes ({_SIZES}), of the vector or, for Gather, Scatter and "
                             "Allgather, of all ranks' chunks together")
    parser.add_argument("--no-app", action="store_true", help="leave out the applications")
    cli.add_effort(parser, "results/demo", 100)
    cli.add_shape(parser)
    return parser


def _roots(text):
    found = tuple(dict.fromkeys(text.split(",")))
    for word in found:
        if not re.fullmatch("0|[1-9][0-9]{0,5}|rotate", word):
            raise ArgumentTypeError(f"'{word}': expected a rank or rotate")
    return found


def _introduce(cluster, contenders, progress):
    plan = cluster.plan
    sites = f" ({' + '.join(map(str, plan.site_sizes))} on {plan.sites} sites)" if plan.sites > 1 else ""
    slots = str(plan.slots[0]) if len(set(plan.slots)) == 1 else ", ".join(map(str, plan.slots))
    link = plan.uplink if not plan.relay_mbit else f"{plan.relay_mbit:g} Mbit/s"
    progress.step(f"cluster is up: {plan.nodes} nodes{sites}, {slots} ranks each, NICs {plan.nic}"
                  + (f", between sites {link}" if plan.sites > 1 else "")
                  + (f" and {plan.delay_us:g} us" if plan.delay_us else ""))
    for competitor in contenders:
        progress.say(f"      {competitor.name:7} {competitor.description}")


def _measure(options, cluster, built, folder, progress):
    """Runs all steps that need the cluster: the measurement and the applications' comparisons."""
    ours = competitors.strata(built.plugin_folder, place.network(cluster, folder))
    contenders = (competitors.tuned(), competitors.han(), ours)
    _introduce(cluster, contenders, progress)
    cases = cases_of(options.op, options.orders, options.roots)
    effort = Effort.chosen(options, _SIZES, _QUICK_SIZES, quick_rounds=2)
    measurement = Measurement(cluster, built.program, contenders, cases, effort, folder)
    chosen = () if options.no_app else (catalogue.ALL["lammps"],)
    repetitions = 1 if options.quick else 3
    progress.step(f"{operations.titles(options.op)}: {measurement.describe_sizes()}")
    measurement.run(progress, seconds_after=12 * repetitions * len(chosen))
    comparisons = []
    for application in chosen:
        if catalogue.missing(application):
            progress.step(f"{application.name} is not installed: left out")
            continue
        progress.step(f"{application.title}")
        comparisons.append(compare(application, cluster, (contenders[0], contenders[-1]), repetitions, folder,
                                   progress.show))
    return measurement, comparisons


def _write(measurement, comparisons, folder):
    """Writes all files. Returns their paths and the plot's error."""
    everything = {**measurement.to_json(), "applications": [one.to_json() for one in comparisons]}
    text, data = files.write_tables(folder, everything, _summary(measurement, comparisons, Paint(False))
                                    + chosen_plans(measurement))
    plots, complaint = plot.draw(measurement, folder)
    return [text, *plots, *measurement.pictures, data], complaint


def _summary(measurement, comparisons, paint):
    return (report.table(measurement, paint) + report.notes(measurement)
            + [line for one in comparisons for line in times_lines(one, paint)] + report.verdict(measurement, paint))


def _demonstrate(options, progress):
    built = command.prepare(options, "demo" if options.no_app else "demo,apps-lammps")
    folder = command.results_folder(options.results,
                                    rf"({'|'.join(operations.ALL)}|hierarchy-.*)\.(svg|png)|table\.txt"
                                    r"|measurements\.json")
    progress.show("building the cluster")
    with place.opened(built.relay, cli.shape_arguments(options), keep=options.keep_cluster) as cluster:
        measurement, comparisons = _measure(options, cluster, built, folder, progress)
    progress.clear()
    paths, complaint = _write(measurement, comparisons, folder)
    progress.say("\n".join(_summary(measurement, comparisons, Paint.for_stream())))
    command.say_files(paths, complaint, progress)
    command.say_kept(cluster, progress)
    return 0 if measurement.succeeded() and all(one.succeeded() for one in comparisons) else 1


def main(arguments):
    return command.run("demo", _demonstrate, _parser().parse_args(arguments))
