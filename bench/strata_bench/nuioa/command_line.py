"""Options of bench/nuioa and its sequence of steps."""

from ..cluster.plan import FAR_DIRECTIONS
from ..measuring import cli, command, competitors, files, place
from ..measuring.rounds import Effort
from ..measuring.table import Paint, chosen_plans

from . import plot, report
from .cases import FIGURES_OF, NODES, SLOTS, Measurement, cases_of

_DESCRIPTION = """\
Measures the gain by NIC-local leaders. Builds, brings up an emulated cluster on which some ranks of every node (the
lowest) reach the NIC through a slower path, and times MPI_Bcast, MPI_Reduce, MPI_Gather or MPI_Allgather in an
unmodified program with stock Open MPI (coll/tuned), with coll/han, and with the plugin, its election switched off and
on. Repeats the figures of the paper on NUIOA-aware collective operations and compares the results with its statements."""
_SIZES = "64K,256K,1M,4M"
_QUICK_SIZES = "1M,4M"


def _parser():
    parser = cli.parser("nuioa", _DESCRIPTION)
    cli.add_operations(parser, "bcast", tuple(FIGURES_OF))
    parser.add_argument("--figure", choices=[*FIGURES_OF["bcast"], "all"], default="all",
                        help="cases of Broadcasts: headline (4 nodes with 4 ranks), a figure of the paper, or "
                             "all. Other operations have one table each: 4 nodes with 4 ranks")
    parser.add_argument("--quick", action="store_true", help=f"one round, sizes {_QUICK_SIZES}")
    parser.add_argument("--sizes", metavar="LIST", type=cli.sizes,
                        help=f"message sizes in bytes, for Gather and Allgather of all chunks "
                             f"together ({_SIZES})")
    cli.add_effort(parser, "results/nuioa", 240)
    shape = parser.add_argument_group("the cluster, as in bench/cluster up")
    shape.add_argument("--nic", metavar="RATE", default="500mbit", help="rate of a node's NIC (500mbit)")
    shape.add_argument("--far-mbit", metavar="R", type=float, default=300,
                       help="rate of the path to far ranks in Mbit/s (300)")
    shape.add_argument("--far-direction", choices=FAR_DIRECTIONS, default="receive",
                       help="slow directions: to the far ranks (as in the paper), or both")
    return parser


def _competitors(built):
    ours = [competitors.strata(built.plugin_folder, {"nic": "none"}, "off",
                               "Open MPI with the plugin, the lowest ranks lead"),
            competitors.strata(built.plugin_folder, {}, "strata",
                               "Open MPI with the plugin, NIC-local ranks lead")]
    return (competitors.tuned(), competitors.han(), *ours)


def _measure(options, figures, cluster, built, folder, progress):
    contenders = _competitors(built)
    progress.step(f"cluster is up: {NODES} nodes, {SLOTS} slots each, NICs {options.nic}, "
                  f"{options.far_mbit:g} Mbit/s to far ranks")
    for competitor in contenders:
        progress.say(f"      {competitor.name:7} {competitor.description}")
    effort = Effort.chosen(options, _SIZES, _QUICK_SIZES, quick_rounds=1)
    measurement = Measurement(cluster, built.program, contenders, cases_of(figures), effort, folder)
    measurement.run(progress)
    return measurement


def _write(measurement, figures, folder):
    """Writes all files. Returns their paths and the plot's error."""
    plain = Paint(False)
    lines = (report.table(measurement, figures, measurement.effort.sizes, plain)
             + report.notes(measurement) + report.verdict(measurement, figures, plain)
             + chosen_plans(measurement, measurement.effort.sizes, "off"))
    text, data = files.write_tables(folder, measurement.to_json(), lines)
    plots, complaint = plot.draw(measurement, figures, folder)
    return [text, *plots, *measurement.pictures, data], complaint


def _figures(options):
    return [figure for operation in options.op for figure in FIGURES_OF[operation]
            if operation != "bcast" or options.figure in ("all", figure)]


def _benchmark(options, progress):
    figures = _figures(options)
    built = command.prepare(options, "demo")
    folder = command.results_folder(options.results,
                                    r"(nuioa|hierarchy-.*)\.(svg|png)|table\.txt|measurements\.json")
    progress.show("building the cluster")
    shape = ["--nodes", str(NODES), "--sites", "1", "--slots", str(SLOTS), "--nic", options.nic,
             "--far-mbit", f"{options.far_mbit:g}", "--far-direction", options.far_direction]
    with place.opened(built.relay, shape, keep=options.keep_cluster) as cluster:
        measurement = _measure(options, figures, cluster, built, folder, progress)
    progress.clear()
    paths, complaint = _write(measurement, figures, folder)
    paint, largest = Paint.for_stream(), measurement.effort.sizes[-1:]
    progress.say("\n".join(report.table(measurement, figures, largest, paint) + report.notes(measurement)
                           + report.verdict(measurement, figures, paint)))
    command.say_files(paths, complaint, progress)
    command.say_kept(cluster, progress)
    return 0 if measurement.succeeded() else 1


def main(arguments):
    return command.run("nuioa", _benchmark, _parser().parse_args(arguments))
