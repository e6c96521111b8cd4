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
four ranks each, on two sites with a slow link between them) and times MPI_Bcast, then MPI_Allreduce and
MPI_Allgather, or the operations of --op, in an unmodified program with stock Open MPI (coll/tuned), with coll/han,
and with the plugin."""
_SIZES = "8,64K,256K,1M,4M"
_SCREENS = {("bcast",): "8,64K,1M,4M", ("allreduce", "allgather"): "8,64K,1M"}  # without --op, to take two minutes
_LEAST_ROUNDS = 1  # of these; on a busy machine a second one would take too long
_NEXT = """
Next, on your own cluster (docs/README.md):
  install it    cmake --preset plugin && cmake --build --preset plugin
                cmake --install build/plugin --prefix $HOME/strata, and the line that it prints
  is it on?     strata-info mpirun -n 64 ./your_program
  its links     mpirun --mca coll_strata_rules ethernet-cluster ..., or measured: bench/tune --launcher "mpirun -n 64"
  accept it     bench/accept --launcher "mpirun -n 64" --build build/release"""


def _parser():
    parser = cli.parser("demo", _DESCRIPTION)
    parser.add_argument("--op", metavar="LIST", type=cli.some_of(tuple(operations.ALL)),
                        help=f"operations: all (five to ten minutes), or some of {', '.join(operations.ALL)} "
                             f"({','.join(name for names in _SCREENS for name in names)})")
    cli.add_orders(parser, ORDERS, ("block",), ": block, cyclic (round robin), shuffle")
    parser.add_argument("--roots", metavar="LIST", default=("0",), type=_roots,
                        help="roots of rooted operations: ranks, or rotate (0)")
    parser.add_argument("--sizes", metavar="LIST", type=cli.sizes,
                        help=f"sizes in bytes (with --op {_SIZES}, else fewer), of the vector or, for Gather, "
                             "Scatter and Allgather, of all ranks' chunks together")
    parser.add_argument("--app", action="store_true", help="then run LAMMPS without and with the plugin")
    cli.add_effort(parser, "results/demo", 80, f"{_LEAST_ROUNDS}, with --op {Effort.least}", reps=3)
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


def _screen(measurement, folder, progress, seconds_after):
    """Measures, shows and draws operations. Returns (paths, error) of the pictures."""
    names = operations.titles(measurement.operations())
    progress.step(f"{names}: {measurement.describe_sizes()}")
    measurement.run(progress, seconds_after)
    # Times differ from job to job, so one job alone does not show a loss.
    seems_slower = dict.fromkeys(case for case, *_ in report.slower(measurement))
    measurement.run_again(seems_slower, Effort.least, progress)
    progress.clear()
    progress.say("\n".join(_summary(measurement, Paint.for_stream())))
    plots, complaint = plot.draw(measurement, folder)
    return [*plots, *measurement.pictures], complaint


def _measure(options, cluster, built, folder, progress):
    """Runs all steps that need the cluster: the measurements and the application's comparison. Returns them, and the
    (paths, error) of the last pictures."""
    ours = competitors.strata(built.plugin_folder, place.network(cluster, folder))
    contenders = (competitors.tuned(), competitors.han(), ours)
    _introduce(cluster, contenders, progress)
    screens = {options.op: _SIZES} if options.op else _SCREENS
    least = Effort.least if options.op else _LEAST_ROUNDS
    seconds = options.seconds / len(screens)
    measurements = []
    for left, (names, sizes) in zip(reversed(range(len(screens))), screens.items()):
        effort = Effort(options.sizes or cli.sizes(sizes), options.reps, options.rounds, least, seconds)
        cases = cases_of(names, options.orders, options.roots)
        measurement = Measurement(cluster, built.program, contenders, cases, effort, folder, draws=not measurements)
        drawn = _screen(measurement, folder, progress, left * seconds)
        measurements.append(measurement)
        if left:
            command.say_files(*drawn, progress)
    application = catalogue.ALL["lammps"]
    comparisons = []
    if options.app and catalogue.missing(application):
        progress.step(f"{application.name} is not installed: left out")
    elif options.app:
        progress.step(f"{application.title}")
        comparisons.append(compare(application, cluster, (contenders[0], contenders[-1]), 3, folder,
                                   progress.show))
    return measurements, comparisons, drawn


def _content(measurements, comparisons):
    """Returns the data to write: the cases of all measurements as of one."""
    found = [measurement.to_json() for measurement in measurements]
    return {**found[0], "rounds": min(one["rounds"] for one in found),
            "cases": [case for one in found for case in one["cases"]],
            "applications": [one.to_json() for one in comparisons]}


def _summary(measurement, paint):
    return report.table(measurement, paint) + report.notes(measurement) + report.verdict(measurement, paint)


def _demonstrate(options, progress):
    built = command.prepare(options, "demo,apps-lammps" if options.app else "demo")
    folder = command.results_folder(options.results,
                                    rf"({'|'.join(operations.ALL)}|hierarchy-.*)\.(svg|png)|table\.txt"
                                    r"|measurements\.json")
    progress.show("building the cluster")
    with place.opened(built.relay, cli.shape_arguments(options), keep=options.keep_cluster) as cluster:
        measurements, comparisons, (paths, complaint) = _measure(options, cluster, built, folder, progress)
    progress.clear()
    lines = [line for one in comparisons for line in times_lines(one, Paint.for_stream())]
    if lines:
        progress.say("\n".join(lines))
    tables = [line for one in measurements for line in (*_summary(one, Paint(False)), *chosen_plans(one))]
    plain = [line for one in comparisons for line in times_lines(one, Paint(False))]
    written = files.write_tables(folder, _content(measurements, comparisons), tables + plain)
    command.say_files([*paths, *written], complaint, progress)
    command.say_kept(cluster, progress)
    succeeded = all(one.succeeded() for one in (*measurements, *comparisons))
    if succeeded and not options.op:
        progress.say(_NEXT)
    return 0 if succeeded else 1


def main(arguments):
    return command.run("demo", _demonstrate, _parser().parse_args(arguments))
