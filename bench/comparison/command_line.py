"""Options of bench/compare and the order of events."""

import argparse
import hashlib
import os
import shutil
import sys

from emulated_cluster.plan import SHUFFLE_SEED
from measuring import command, operations
from measuring.cluster import Cluster, StandingCluster
from measuring.launcher import Launcher
from measuring.table import Paint

from . import contenders, grid, plot, report
from .measure import CellRounds, Record
from .setting import ByLauncher, OnCluster
from .store import Store
from .survey import Survey, Verdict

_DESCRIPTION = """\
Measures collective operations in several orders of the ranks with everything that could do them: Open MPI's
components, the plugin, each of its engines, and mock-ups of other ones by public MPI. Contenders take turns,
every repetition begins at an agreed time, every byte is checked; shown are medians with 95 % intervals.

On an emulated cluster of its own, on one that is up (--state), or wherever --launcher starts jobs; the clocks of
several machines are compared by messages, to some microseconds. Finished cells (an operation, an order, four
sizes) are kept in --results: the same command goes on after an interruption and loses at most one cell.

--gate judges: strata must nowhere be slower than the best by more than 5 % with intervals apart, nor break a
performance guideline (Bcast <= Scatter + Allgather, Allreduce <= Reduce + Bcast, Reduce <= Allreduce, Allgather <=
Gather + Bcast, Gather <= Allgather, Barrier <= Allreduce of 1 byte; no size slower than a greater one, or than as
many smaller ones as hold it). What seems to be counts if a fresh run shows it again."""
_EPILOG = """\
Exit status: 0 if the plugin delivered right data everywhere and, with --gate, violated nothing; 1 if not; 3 if
--minutes were over before; 77 if this machine does not allow the namespaces of which an emulated cluster is made.

example:
  compare --op bcast,allreduce --sizes 8,64K,4M
  compare --gate
  compare --gate --launcher "mpirun -n 16 --map-by socket" --orders block,shuffle
  compare --launcher "srun --mpi=pmix -N 1 -n 32" --op all --parameter network=none"""


def _parser():
    parser = argparse.ArgumentParser(prog="compare", description=_DESCRIPTION, epilog=_EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    gated = ",".join(grid.GATED)
    parser.add_argument("--op", **command.operations_option(gated))
    parser.add_argument("--orders", metavar="LIST", default=grid.ORDERS,
                        type=command.words("|".join(grid.ORDERS), "some of " + ", ".join(grid.ORDERS)),
                        help="orders of the ranks along the nodes; unequal: node by node, fewer on some "
                             f"({','.join(grid.ORDERS)})")
    parser.add_argument("--sizes", metavar="LIST", type=command.sizes, default=grid.SIZES,
                        help="sizes in bytes (8 to 4M, all powers of 2)")
    parser.add_argument("--with", metavar="LIST", dest="names",
                        type=command.words("|".join(contenders.NAMES), "some of " + ", ".join(contenders.NAMES)),
                        help=f"contenders beside strata (all: {','.join(contenders.NAMES)}; with --gate "
                             f"{','.join(contenders.GATE)})")
    parser.add_argument("--parameter", metavar="NAME=VALUE", action="append", default=[],
                        help="parameter of the plugin, without coll_strata_ (repeatable)")
    gate = parser.add_argument_group("the gate")
    gate.add_argument("--gate", action="store_true",
                      help="judge; of the sizes every operation in every order gets four, drawn by lot")
    gate.add_argument("--full", action="store_true", help="judge at all sizes, without a limit of time")
    gate.add_argument("--seed", type=int, default=1, help="of the gate's sample (1)")
    gate.add_argument("--minutes", type=command.count, default=60,
                      help="begin no cell that would end later (60)")
    parser.add_argument("--reps", metavar="N", type=command.count, default=30,
                        help="repetitions of each contender at each size (30)")
    parser.add_argument("--rounds", metavar="N", type=command.count, default=3,
                        help="in how many runs, the contenders in turn (3)")
    parser.add_argument("--anew", action="store_true", help="forget the cells that --results holds")
    parser.add_argument("--no-plots", action="store_true", help="draw no pictures")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--launcher", metavar="COMMAND", help="how to start a job, instead of the emulated cluster")
    where.add_argument("--state", metavar="DIR", help="an emulated cluster that is up: its state directory")
    command.add_results_option(parser, "results/compare")
    command.add_keep_option(parser)
    command.add_building_options(parser)
    command.add_shape_options(parser)
    return parser


def _cells(options):
    if options.gate and not options.full:
        return grid.sample(options.op, options.orders, options.sizes, options.seed)
    return grid.full(options.op, options.orders, options.sizes)


def _parameters(options):
    pairs = [text.partition("=") for text in options.parameter]
    if wrong := [name for name, equals, _ in pairs if not (name and equals)]:
        raise command.ClusterError(f"--parameter {wrong[0]}: expected NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _place(options, built):
    """Where jobs run, as a context."""
    if options.launcher:
        return Launcher(options.launcher)
    if options.state:
        return StandingCluster(options.state)
    return Cluster([*command.shape_arguments(options), "--relay", built.relay], options.keep_cluster)


def _digest(*paths):
    """Cells of another build are others."""
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def _settings(options, runner, built):
    plan = runner.plan.to_json()
    return {"place": plan, "contenders": [*options.names], "parameters": options.parameter, "reps": options.reps,
            "rounds": options.rounds, "shuffle": SHUFFLE_SEED,
            "build": _digest(built.program, os.path.join(built.plugin_folder, "mca_coll_strata.so"))}


class _Quiet:
    """A cell's own progress, as part of the whole."""

    def __init__(self, show):
        self._show = show

    def show(self, text, _left=None):
        self._show(text)

    def step(self, _text):
        pass


def _measurer(options, runner, built, folder):
    parameters = _parameters(options)
    if not options.launcher and "network" not in parameters:
        network = os.path.join(folder, "topology.conf")
        runner.write_topology(network)
        parameters["network"] = f"file:{network}"
    competitors = contenders.make({*options.names, contenders.OURS}, built.plugin_folder, parameters)
    setting = (ByLauncher if options.launcher else OnCluster)(runner)

    def measure(cell, names, name, show):
        chosen = [one for one in competitors if names is None or one.name in names]
        # Logs of a second look must not replace those of the first.
        its_folder = os.path.join(folder, "again") if name.startswith("again-") else folder
        os.makedirs(os.path.join(its_folder, "logs"), exist_ok=True)
        rounds = CellRounds(setting, built.program, chosen, cell, options.reps, options.rounds, its_folder)
        rounds.run(_Quiet(show))
        return Record(cell, rounds.series[cell])

    return measure


def _write(settings, outcome, options, gate, folder):
    """All files. Returns their paths and what went wrong with the plot."""
    text, table, data = (os.path.join(folder, name) for name in ("table.txt", "table.csv", "measurements.json"))
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(_summary(outcome, gate, Paint(False))).lstrip("\n") + "\n")
    report.write_csv(outcome.records, table)
    report.write_json(settings, outcome, data)
    plots, complaint = ([], "") if options.no_plots else plot.draw(outcome.records, folder)
    return [text, table, *plots, data], complaint


def _summary(outcome, gate, paint):
    return (report.tables(outcome.records, outcome.suspected, paint) + report.notes(outcome.records)
            + report.failures(outcome.records, paint) + (report.verdict(outcome, paint) if gate else []))


def _compare(options, progress):
    gate = options.gate
    built = command.prepare(options, "demo", needs_cluster=not options.launcher)
    folder = command.results_folder(options.results, rf"({'|'.join(operations.ALL)})\.(svg|png)"
                                    r"|table\.(txt|csv)|measurements\.json", keep_logs=not options.anew)
    if options.anew:
        for name in ("cells", "again"):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    progress.show("building the cluster")
    with _place(options, built) as runner:
        settings = _settings(options, runner, built)
        store = Store(os.path.join(folder, "cells"), settings)
        limit = options.minutes * 60 if gate and not options.full else None
        outcome = Survey(_cells(options), _measurer(options, runner, built, folder), store, progress, limit).run(gate)
    progress.clear()
    files, complaint = _write(settings, outcome, options, gate, folder)
    progress.say("\n".join(_summary(outcome, gate, Paint.for_stream(sys.stdout))))
    command.say_files(files, complaint, progress)
    if options.keep_cluster and not (options.launcher or options.state):
        command.say_kept(runner, progress)
    return int(outcome.verdict() if gate or outcome.broken() else Verdict.PASSED)


def main(arguments):
    options = _parser().parse_args(arguments)
    options.gate = options.gate or options.full
    options.names = options.names or (contenders.GATE if options.gate else contenders.NAMES)
    return command.run("compare", _compare, options)
