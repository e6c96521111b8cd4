"""Options of bench/compare and its sequence of steps."""

import os
import shutil
import sys

from ..cluster.plan import SHUFFLE_SEED
from ..measuring import cli, command, files, operations, place, results
from ..measuring.cluster import ClusterError
from ..measuring.table import Paint

from . import contenders, grid, places, plot, report, summary
from .measure import CellRounds
from .store import Store
from .survey import Clock, Survey, Verdict

_DESCRIPTION = """\
Measures collective operations in several orders of the ranks with all contenders: Open MPI's components, the plugin,
each of its engines, and mock-ups composed of other operations through public MPI. All share a job, each with its own
communicator, and take turns repetition by repetition. Every repetition begins at an agreed time, and every byte is
checked. The output has medians with 95 % intervals.

Runs on its own emulated cluster, on one that is up (--state), or where --launcher starts jobs; messages compare the
clocks of several machines, to some microseconds. --results keeps finished cells (an operation, an order, a root, four
sizes): after an interruption the same command continues and loses at most the few cells that shared the current jobs.

--gate judges: strata must nowhere be slower than the best by more than 5 % with intervals apart and in every job,
nor break a performance guideline (Bcast <= Scatter + Allgather, Allreduce <= Reduce + Bcast, Reduce <= Allreduce,
Allgather <= Gather + Bcast, Gather <= Allgather, Barrier <= Allreduce of 1 byte; no size slower than a greater one, or
than as many smaller ones as hold it). A suspected violation counts if a fresh run confirms it."""
_EPILOG = """\
Exit status: 0 if the plugin delivered right data everywhere and, with --gate, violated nothing; 1 if not; 3 if
--minutes ended before, or times are missing that the verdict needs (of tuned, or to clear a suspicion); 77 if this
machine does not allow the namespaces of which an emulated cluster is made.

example:
  bench/compare --op bcast,allreduce --sizes 8,64K,4M
  bench/compare --gate
  bench/compare --gate --grid --minutes 90
  bench/compare --gate --launcher "mpirun -n 16 --map-by socket" --orders block,shuffle
  bench/compare --launcher "srun --mpi=pmix -N 1 -n 32" --op all --parameter network=none"""
_OWN_FILES = (rf"({'|'.join(operations.ALL)})\.(svg|png)|table\.(txt|csv)|measurements\.json"
              r"|summary\.(txt|csv|json)")


def _parser():
    parser = cli.parser("compare", _DESCRIPTION, _EPILOG)
    cli.add_operations(parser, ",".join(grid.GATED))
    cli.add_orders(parser, grid.ORDERS, grid.ORDERS, "; unequal: node by node, fewer on some")
    parser.add_argument("--sizes", metavar="LIST", type=cli.sizes, default=grid.SIZES,
                        help="sizes in bytes (8 to 4M, all powers of 2)")
    parser.add_argument("--with", metavar="LIST", dest="names",
                        type=cli.some_of(contenders.NAMES, lanes="rails"),
                        help=f"contenders beside strata (all: {','.join(contenders.NAMES)}; with --gate "
                             f"{','.join(contenders.GATE)}, and {contenders.RIVAL} always)")
    gate = parser.add_argument_group("the gate")
    gate.add_argument("--gate", action="store_true",
                      help="judge; every operation in every order gets four of the sizes, drawn at random")
    gate.add_argument("--full", action="store_true", help="judge at all sizes, without a time limit")
    gate.add_argument("--grid", action="store_true",
                      help="on six emulated clusters (4x4 and 8x2 ranks; sites 1 Gbit/s, 200 Mbit/s, and 200 Mbit/s "
                           "and 2 ms apart) and one node with 16 ranks, one after another, with one summary")
    gate.add_argument("--seed", type=int, default=1, help="seed of the gate's sample and of the roots (1)")
    gate.add_argument("--minutes", type=cli.count, default=60,
                      help="begin no cells that would end later (60, for all clusters together)")
    parser.add_argument("--reps", metavar="N", type=cli.count, default=30,
                        help="repetitions per contender and size (30)")
    parser.add_argument("--rounds", metavar="N", type=cli.count, default=3,
                        help="number of jobs (3)")
    parser.add_argument("--block", metavar="N", type=cli.count, default=1,
                        help="calls per repetition, one after the other, up to 1 MiB of data; for short calls, because "
                             "an agreed start takes longer than they do (1)")
    parser.add_argument("--anew", action="store_true", help="discard the cells in --results")
    cli.add_place(parser, "results/compare")
    return parser


def _cells(options, orders):
    if options.gate and not options.full:
        return grid.sample(options.op, orders, options.sizes, options.seed)
    return grid.full(options.op, orders, options.sizes, options.seed)


def _places(options):
    if not options.grid:
        return (places.chosen(options),)
    if options.launcher or options.state or options.keep_cluster or cli.shape_arguments(options):
        raise ClusterError("--grid makes its own clusters: no --launcher, --state, --keep-cluster, or shape")
    return places.all_of_grid()


def _settings(options, runner, built):
    plan = runner.plan.to_json()
    return {"place": plan, "contenders": [*options.names], "parameters": options.parameter, "reps": options.reps,
            "rounds": options.rounds, "block": options.block, "shuffle": SHUFFLE_SEED,
            "build": place.build_digest(built)}


def _measurer(options, setting, built, folder):
    competitors = contenders.make({*options.names, contenders.OURS}, built.plugin_folder,
                                  place.parameters(options, setting.runner, folder))

    def measure(cells, names_of, label, show):
        # Logs of a second look must not replace those of the first.
        its_folder = os.path.join(folder, "again") if label.startswith("again-") else folder
        os.makedirs(os.path.join(its_folder, "logs"), exist_ok=True)
        rounds = CellRounds(setting, built.program, competitors, options.reps, options.rounds, its_folder,
                            options.block)
        return rounds.run(cells, names_of, label, show)

    return measure


def _write(settings, outcome, options, folder):
    """Writes all files of one place. Returns their paths and the plot's error."""
    text, table, data = (os.path.join(folder, name) for name in ("table.txt", "table.csv", "measurements.json"))
    files.write_text(text, _tables(outcome, options.gate, Paint(False)))
    report.write_csv(outcome.records, table)
    report.write_json(settings, outcome, data)
    plots, complaint = ([], "") if options.no_plots else plot.draw(outcome.records, folder)
    return [text, table, *plots, data], complaint


def _tables(outcome, gate, paint):
    return (report.tables(outcome.records, outcome.suspected, paint) + report.notes(outcome.records)
            + _judged("", outcome, gate, paint))


def _one_place(where, options, built, clock, progress):
    """Returns the outcome, the rows of the summary, and the written files with the plot's error."""
    folder = command.results_folder(os.path.join(options.results, where.name), _OWN_FILES, keep_logs=not options.anew)
    if options.anew:
        for name in ("cells", "again"):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    progress.show("building the cluster")
    orders = [order for order in options.orders if order in where.orders]
    with where.open(built.relay, options.keep_cluster) as runner:
        setting = where.setting(runner)
        settings = _settings(options, runner, built)
        store = Store(os.path.join(folder, "cells"), settings)
        survey = Survey(_cells(options, orders), _measurer(options, setting, built, folder), store, progress, clock,
                        setting.limit_ms)
        outcome = survey.run(options.gate)
        rows = summary.rows(where.name, outcome.records, setting.limit_ms)
        command.say_kept(runner, progress)
    progress.clear()
    return outcome, rows, _write(settings, outcome, options, folder)


def _summarise(outcomes, rows, options, paint):
    """Writes the results of all places together. Returns lines to print, and the paths."""
    text, table, data = (os.path.join(options.results, name) for name in
                         ("summary.txt", "summary.csv", "summary.json"))
    plain = [line for name, outcome in outcomes.items() for line in _judged(name, outcome, options.gate, Paint(False))]
    files.write_text(text, plain + summary.means(rows, Paint(False)) + summary.details(rows))
    summary.write_csv(rows, table)
    summary.write_json(outcomes, rows, data)
    lines = [line for name, outcome in outcomes.items() for line in _judged(name, outcome, options.gate, paint)
             if options.grid]
    return lines + summary.means(rows, paint), [text, table, data]


def _judged(name, outcome, gate, paint):
    title = ["", paint(name, "bold")] if name else []
    return (title + report.failures(outcome.records + outcome.blind, paint)
            + (report.verdict(outcome, paint) if gate else []))


def _compare(options, progress):
    chosen = _places(options)
    for one in chosen:
        results.check(os.path.join(options.results, one.name))
    built = command.prepare(options, "demo", needs_cluster=not options.launcher)
    results.claim(options.results)
    clock = Clock(options.minutes * 60 if options.gate and not options.full else None)
    outcomes, rows, paths, complaints = {}, [], [], []
    for one in chosen:
        if one.title:
            progress.step(one.title)
        outcome, its_rows, (its_paths, complaint) = _one_place(one, options, built, clock, progress)
        outcomes[one.name] = outcome
        rows += its_rows
        paths += its_paths if not options.grid else []
        complaints += [complaint] if complaint not in ("", *complaints) else []
        if not options.grid:
            progress.say("\n".join(_tables(outcome, options.gate, Paint.for_stream(sys.stdout))))
    lines, its_paths = _summarise(outcomes, rows, options, Paint.for_stream(sys.stdout))
    progress.say("\n".join(lines))
    command.say_files(paths + its_paths, "\n".join(complaints), progress)
    return _status(outcomes.values(), options.gate)


def _status(outcomes, gate):
    """Returns the worst status: failed, then unfinished."""
    found = {outcome.verdict() for outcome in outcomes if gate or outcome.broken()}
    order = (Verdict.FAILED, Verdict.UNFINISHED)
    return int(next((one for one in order if one in found), Verdict.PASSED))


def main(arguments):
    options = _parser().parse_args(arguments)
    options.gate = options.gate or options.full or options.grid
    options.names = options.names or (contenders.GATE if options.gate else contenders.NAMES)
    if options.gate and contenders.RIVAL not in options.names:
        options.names = (contenders.RIVAL, *options.names)
    return command.run("compare", _compare, options)
