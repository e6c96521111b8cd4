"""Options of bench/apps and its sequence of steps."""

import os
import subprocess

from ..cluster.plan import ORDERS
from ..measuring import cli, command, competitors, files, place
from ..measuring.cluster import ClusterError
from ..measuring.table import Paint

from . import catalogue, plot, report
from .comparison import NAMES, TOTAL, Runner, places_of

_DESCRIPTION = """\
Runs real programs from Debian packages on an emulated cluster (four nodes with four ranks each, on two sites with
a slow link between them), without and with the plugin in turn. Reports for each its time, the MPI functions in which
its ranks spend that time, and whether its results are the same. The programs are unmodified; a preloaded library
(bench/programs/mpi_profile) measures both."""
_EPILOG = f"""\
Exit status: 0 if every program that ran gave the same results with the plugin and none was slower by more than
{report.TOLERANCE_TEXT} and beyond the spread of its times (smaller losses are listed); 1 if not, or if none could run;
77 if this machine does not allow the namespaces of which the cluster is made. A program whose packages cannot be
installed is left out, with a message."""


def _parser():
    parser = cli.parser("apps", _DESCRIPTION, _EPILOG)
    known = tuple(catalogue.ALL)
    parser.add_argument("--app", metavar="LIST", default=known, type=cli.some_of(known),
                        help=f"programs ({','.join(known)})")
    parser.add_argument("--list", action="store_true", help="list the programs and their MPI traffic, then exit")
    cli.add_orders(parser, ORDERS, ("block",), ": block, cyclic (round robin), shuffle")
    parser.add_argument("--rounds", metavar="N", type=cli.count, default=5,
                        help="runs of each program, without and with the plugin (5)")
    cli.add_results(parser, "results/apps")
    cli.add_keep(parser)
    cli.add_building(parser)
    cli.add_shape(parser)
    return parser


def _list():
    for application in catalogue.ALL.values():
        here = "" if not (gap := catalogue.missing(application)) else f" (not installed: no {gap})"
        print(f"{application.name:17} {application.title}{here}\n{'':17} {application.traffic}")
    return 0


def _installed(options, progress):
    """Returns the chosen applications that can run, and by name why the others cannot."""
    chosen, left_out = [], {}
    for name in options.app:
        application = catalogue.ALL[name]
        if catalogue.missing(application) and not options.build:
            call = [command.PREPARE, "--for", catalogue.purpose(application), "--packages-only"]
            progress.step(f"{name} is not installed yet")
            subprocess.run(call + ["--no-install"] * options.no_install, check=False)
        gap = catalogue.missing(application)
        if gap:
            left_out[name] = f"not installed: no {gap}"
            progress.step(f"LEFT OUT: {name} is {left_out[name]}")
        else:
            chosen.append(application)
    if not chosen:
        raise ClusterError("none of the programs is installed")
    return chosen, left_out


def _seconds_left(runners, rounds, done, number):
    """Estimates the seconds of all runs after the first `done` of round `number`, from earlier runs or else
    the catalogue."""
    left = 0.0
    for place, runner in enumerate(runners):
        if runner.comparison.failure:
            continue
        known = [time for times in runner.comparison.times.get(TOTAL, ((), ())) for time in times]
        mean = sum(known) / len(known) if known else runner.application.seconds
        left += 2 * mean * (rounds - number - (place < done))
    return left


def _measure(runners, rounds, progress):
    for number in range(rounds):
        for done, runner in enumerate(runners):
            for place in places_of(number):
                text = f"round {number + 1} of {rounds}: {runner.application.name}, {runner.order}, {NAMES[place]}"
                progress.show(text, _seconds_left(runners, rounds, done, number))
                runner.run(place)
        progress.step(f"round {number + 1} of {rounds} measured")


def _write(runners, left_out, cluster, rounds, folder):
    """Writes all files. Returns their paths and the plot's error."""
    comparisons = [runner.comparison for runner in runners]
    content = {"cluster": cluster.plan.to_json(), "ranks": cluster.ranks, "rounds": rounds, "left_out": left_out,
               "applications": [{"name": runner.application.name, "order": runner.order,
                                 "slower": runner.comparison.slower(), **runner.comparison.to_json()}
                                for runner in runners]}
    text, data = files.write_tables(folder, content, _summary(comparisons, left_out, rounds, Paint(False)))
    names = [runner.application.name + (f", {runner.order}" if len({one.order for one in runners}) > 1 else "")
             for runner in runners]
    plots, complaint = plot.draw(names, comparisons, os.path.join(folder, "applications"))
    return [text, *plots, data], complaint


def _summary(comparisons, left_out, rounds, paint):
    return (report.summary(comparisons, rounds, paint)
            + [f"Left out: {name}, {why}." for name, why in left_out.items()])


def _run(options, progress):
    chosen, left_out = _installed(options, progress)
    built = command.prepare(options, "demo", libraries=("libmpi_profile.so",))
    folder = command.results_folder(options.results, r"applications\.(svg|png)|table\.txt|measurements\.json")
    progress.show("building the cluster")
    with place.opened(built.relay, cli.shape_arguments(options), keep=options.keep_cluster) as cluster:
        pair = (competitors.tuned(), competitors.strata(built.plugin_folder, place.network(cluster, folder)))
        runners = [Runner(application, cluster, pair, folder, order, built.libraries[0])
                   for application in chosen for order in options.orders]
        progress.step(f"rounds: {options.rounds}; in each, without and with the plugin: "
                      + ", ".join(f"{one.application.name} ({one.order})" for one in runners))
        _measure(runners, options.rounds, progress)
    progress.clear()
    paths, complaint = _write(runners, left_out, cluster, options.rounds, folder)
    comparisons = [runner.comparison for runner in runners]
    progress.say("\n".join(_summary(comparisons, left_out, options.rounds, Paint.for_stream())))
    command.say_files(paths, complaint, progress)
    command.say_kept(cluster, progress)
    return 0 if all(one.succeeded() and not one.slower() for one in comparisons) else 1


def main(arguments):
    options = _parser().parse_args(arguments)
    return _list() if options.list else command.run("apps", _run, options)
