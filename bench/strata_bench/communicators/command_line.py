"""Options of bench/communicators and its sequence of steps."""

import argparse
import os

from ..cluster.plan import UserError, integers
from ..measuring import cli, command, competitors, files, place
from ..measuring.cluster import ClusterError
from ..measuring.table import Paint

from . import costs as findings
from . import plot

_DESCRIPTION = """\
Measures the cost of a communicator up to the end of its first collective operation with stock Open MPI (coll/tuned),
with coll/han, and with the plugin. The contenders share one job and take turns, each with a new communicator every
time: first of the same ranks in the same order (so that data of one communicator may serve the next), then in another
order every time. Times are those of the slowest rank; memory is that of one rank. Then starts jobs, without and with
the plugin in turn, and measures MPI_Init and the plugin's part of it. Where ranks share cores, a time is mostly the sum
of all ranks' work there: it compares contenders, but does not predict a cluster. The emulated cluster has the ranks per
node that --ranks needs, or those of --slots.

--gate judges: in every cell at most 0.2 times han's time and, for small messages, 1.1 times tuned's; at most 2 % of
MPI_Init in the plugin, by CPU time where ranks share cores.

Exit status: 0; with --gate 1 if a limit is missed or something could not be measured."""
_CONTENDERS = ("tuned", "han", "strata")
_OPERATIONS = ("bcast", "allreduce", "barrier")
_SECONDS = 600  # seconds of a run
_NODES, _SLOTS = 4, 4  # options of `cluster up`


def _number(text):
    return 0 if text == "0" else cli.count(text)


def make_parser():
    parser = cli.parser("communicators", _DESCRIPTION)
    parser.add_argument("--op", choices=_OPERATIONS, default="bcast", help="first operation (bcast)")
    cli.add_sizes(parser, "8,64K", "sizes of that operation in bytes")
    parser.add_argument("--ranks", metavar="LIST", type=cli.counts, default=(2, 4, 8, 16),
                        help="ranks of the communicators, evenly spread over the job (2,4,8,16)")
    parser.add_argument("--reps", metavar="N", type=cli.count, default=30,
                        help="communicators of each contender, in turn (30)")
    parser.add_argument("--starts", metavar="N", type=_number, default=10,
                        help="jobs to start without and with the plugin (10; 0: none)")
    parser.add_argument("--gate", action="store_true", help="fail if a limit is missed")
    cli.add_place(parser, "results/communicators")
    return parser


def fit(options):
    """Gives an emulated cluster as many ranks per node as the largest communicator needs."""
    if options.launcher or options.state or options.slots:
        return
    nodes = _nodes(options)
    if (largest := max(options.ranks)) > _SLOTS * nodes:
        options.slots = str(-(-largest // nodes))


def _nodes(options):
    """Returns slots as `cluster up` takes them."""
    if options.site_sizes:
        try:
            return sum(integers(options.site_sizes, "--site-sizes"))
        except UserError as error:
            raise ClusterError(str(error)) from error
    try:
        return _NODES if options.nodes is None else cli.count(options.nodes)
    except argparse.ArgumentTypeError as error:
        raise ClusterError(f"--nodes {error}") from error


def _contenders_file(folder):
    path = os.path.join(folder, "contenders.json")
    files.write_json(path, [{"name": name, "info": {"ompi_comm_coll_preference": name}} for name in _CONTENDERS])
    return path


def _measure(options, runner, built, folder, order):
    base = competitors.together(built.plugin_folder, place.parameters(options, runner, folder),
                                 lazy_setup=True)("all", "", "")
    log = os.path.join(folder, "logs", f"{options.op}-{order}")
    program = [built.tool(os.path.join("bench", "communicator_cost")), "--contenders", _contenders_file(folder),
               "--op", options.op, "--sizes", ",".join(map(str, options.sizes)), "--ranks",
               ",".join(map(str, options.ranks)), "--reps", str(options.reps), "--json", log + ".json",
               *(["--reorder"] if order == findings.OTHER else [])]
    runner.run((), base, program, log, _SECONDS).require_success()
    costs = findings.Costs(order)
    for record in files.read_json_lines(log + ".json"):
        costs.add(record)
    return costs


def _start(options, runner, built, folder, progress):
    """Starts jobs that do nothing else."""
    starts = findings.Starts()
    contenders = {"stock": competitors.tuned(),
                  "strata": competitors.strata(built.plugin_folder, place.parameters(options, runner, folder))}
    for turn in range(options.starts):
        for name, contender in contenders.items():
            progress.show(f"start {turn + 1} of {options.starts}, {name}")
            log = os.path.join(folder, "logs", f"start-{name}-{turn}")
            program = [built.tool(os.path.join("bench", "start_cost")), log + ".json"]
            runner.run((), contender, program, log, _SECONDS).require_success()
            starts.add(name, files.read_json(log + ".json"))
    return starts


def _write(costs, starts, options, folder):
    content = {"operation": options.op, "costs": {found.order: found.to_json() for found in costs},
               "starts": starts.to_json()}
    paths = files.write_tables(folder, content, _report(costs, starts, options, Paint(False)))
    pictures, complaint = ([], "") if options.no_plots else plot.draw(costs, options.op, _CONTENDERS, folder)
    return [*paths, *pictures], complaint


def _report(costs, starts, options, paint):
    lines = []
    for found in costs:
        lines += [*findings.table(found, options.op, _CONTENDERS, paint), *findings.verdict(found), ""]
    return [*lines, *starts.report(paint)]


def _judged(costs, starts, options, ranks):
    """Returns the gate's findings; empty without --gate."""
    if not options.gate:
        return [], 0
    oversubscribed = not options.launcher and ranks > (os.cpu_count() or 1)
    lines = findings.missed(costs, starts, oversubscribed)
    return ["", *(f"gate: {line}" for line in lines or ["all limits are kept"])], int(bool(lines))


def _benchmark(options, progress):
    fit(options)
    built = command.prepare(options, "demo,communicators", needs_cluster=not (options.launcher or options.state))
    folder = command.results_folder(options.results, r"table\.txt|measurements\.json|contenders\.json|communicators\.(svg|png)")
    progress.show("starting")
    with place.of(options, built) as runner:
        costs = []
        for order in (findings.SAME, findings.OTHER):
            progress.show(f"{options.op}: communicators of {', '.join(map(str, options.ranks))} ranks, {findings.ORDERS[order]}")
            costs.append(_measure(options, runner, built, folder, order))
        starts = _start(options, runner, built, folder, progress)
        command.say_kept(runner, progress)
    progress.clear()
    paths, complaint = _write(costs, starts, options, folder)
    judged, status = _judged(costs, starts, options, max(options.ranks))
    progress.say("\n" + "\n".join([*_report(costs, starts, options, Paint.for_stream()), *judged]))
    command.say_files(paths, complaint, progress)
    return status


def main(arguments):
    return command.run("communicators", _benchmark, make_parser().parse_args(arguments))
