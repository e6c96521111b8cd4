"""Options of bench/tune and its sequence of steps."""

import argparse
import os
import sys

from ..measuring import cli, command, files, operations, place, units
from ..measuring.table import Paint

from . import plot, report
from .decide import broken, decide, share
from .session import Session

_KNOWN = tuple(name for name, one in operations.ALL.items() if name not in ("gatherv", "scatterv"))
_OPERATIONS = "bcast,reduce,allreduce,allgather,barrier,gather,scatter"
_SIZES = "8,256,2K,16K,64K,256K,1M,4M"
_UNFINISHED = 3

_DESCRIPTION = """\
Tunes the plugin for a cluster: measures the links of each level of a job; then, for every operation and size, the
choice in force and all close alternatives of the cost model, in turn in the same job. A clearly better alternative (by
2 %, with 95 % intervals apart, in each of three jobs and once more in three others) becomes a rule; the model decides
all other cells, from then on with the measured links. Rules hold for jobs with the same number of ranks on the same
levels: run it once for each such job; every run adds to the same file. It measures the order of ranks that the launcher
makes (block on the emulated cluster), and root 0; a rule holds for all orders and roots.

Writes into --results: SITE.conf, a parameter file (mpirun --tune SITE.conf, or its lines in
openmpi-mca-params.conf); SITE-rules.json, which it names; report.md with plots. A second run starts from that file
and replaces a rule only where an alternative is clearly better again.

Runs on the emulated cluster of the other benchmarks, on one that is up (--state), or where --launcher starts jobs; the
results folder must be visible on all nodes. After an interruption the same command continues."""
_EPILOG = """\
Exit status: 0 if the plugin delivered right data everywhere and, with --check, enough cells are close to the best; 1
if not; 3 if --check had no time for some cells, which the same command then measures; 77 if this machine does not
allow the namespaces of which an emulated cluster is made.

example:
  bench/tune --launcher "srun --mpi=pmix -N 4 -n 256"
  bench/tune --launcher "mpirun -n 64 --map-by numa" --budget 20m --op bcast,allreduce --site lab
  bench/tune --launcher "mpirun -n 64 --map-by numa" --check --within 5%"""


def _percent(text):
    number = text.removesuffix("%")
    if number == text or not number.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}': expected a share such as 10%")
    return int(number) / 100


def _seconds(text):
    try:
        return units.parse_seconds(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _parser():
    parser = cli.parser("tune", _DESCRIPTION, _EPILOG)
    cli.add_operations(parser, _OPERATIONS, _KNOWN)
    cli.add_sizes(parser, _SIZES)
    parser.add_argument("--budget", metavar="TIME", type=_seconds, default=300,
                        help="time for all measurements: 90s, 5m, 1h (5m); nothing begins that would end later")
    parser.add_argument("--candidates", metavar="N%", type=_percent,
                        help="measure plans predicted to take at most this much longer (50%%; with --check, 100%%)")
    parser.add_argument("--rules", metavar="FILE",
                        help="rules file in force, to be improved (default: SITE-rules.json if that exists, else none)")
    parser.add_argument("--measure-links", action="store_true",
                        help="measure links even of levels that the file in force describes")
    parser.add_argument("--site", metavar="NAME", default="site", type=_name, help="name of the files (site)")
    parser.add_argument("--check", action="store_true",
                        help="write no rules: report how far the choices in force are from the best")
    parser.add_argument("--within", metavar="N%", type=_percent, default=0.10,
                        help="--check: greatest distance from the best (10%%)")
    parser.add_argument("--cells", metavar="N%", type=_percent, default=0.90,
                        help="--check: share of cells that must be that close (90%%)")
    parser.add_argument("--anew", action="store_true", help="do not continue an interrupted run")
    cli.add_place(parser, "results/tune")
    return parser


def _name(text):
    if not text or text.startswith(".") or "/" in text:
        raise argparse.ArgumentTypeError(f"'{text}': expected a name for files")
    return text


def _write_conf(session, path):
    """Writes the parameter file."""
    lines = ["# Written by bench/tune. mpirun --tune THIS ...; for all users: docs/tuning.md.",
             f"# {session.shape.text}"]
    parameters = {**session.parameters, "rules": session.written}
    lines += [f"coll_strata_{name}={value}" for name, value in parameters.items()]
    files.write_text(path, lines)


def _finish(session, decisions):
    """Writes all files, the rules last: until they are in force, the same command continues. Returns
    (findings, paths, the plots' error)."""
    options, folder = session.options, session.folder
    problems, written = [], {}
    if not options.check:
        problems = session.check_rules(decisions)
        if not problems:
            written = {"parameter file": os.path.join(folder, f"{options.site}.conf"), "rules": session.written}
    links = [(one, session.defaults.get(one.level, {})) for one in session.links]
    found = report.Findings(f"{'Check' if options.check else 'Tuning'} of {options.site}", session.shape.text,
                            session.order, links, decisions, options.check, session.budget.spent, options.budget,
                            written, problems)
    pictures, paths, complaint = _draw(found, folder, options)
    texts = [os.path.join(folder, name) for name in ("report.md", "table.csv", "measurements.json")]
    files.write_text(texts[0], report.markdown(found, pictures).split("\n"))
    report.write_table(decisions, texts[1])
    report.write_data(found, session.settings, texts[2])
    if written:
        _write_conf(session, written["parameter file"])
        session.put_in_force()
    return found, [*written.values(), *texts, *paths], complaint


def _draw(found, folder, options):
    """Returns (pictures for the report, all paths, error)."""
    pictures, paths, complaint = [], [], ""
    for after in () if options.no_plots else (False, True) if found.has_after else (False,):
        drawn, complaint = plot.draw(found.decisions, folder, after)
        paths += drawn
        pictures += [("after" if after else "before", os.path.basename(path)) for path in drawn
                     if path.endswith(".svg")]
    return pictures, paths, complaint


def _status(found, options):
    if broken([one.cell for one in found.decisions]) or found.problems:
        return 1
    if not options.check:
        return 0
    if found.missing and not found.measured:
        return _UNFINISHED
    if share(found.decisions, options.within).value < options.cells:
        return 1
    return _UNFINISHED if found.missing else 0


def _tune(options, progress):
    built = command.prepare(options, "demo,tune", needs_cluster=not options.launcher)
    folder = command.results_folder(options.results, r"(ratios|after)\.(svg|png)|report\.md|table\.csv|"
                                    r"measurements\.json", keep_logs=not options.anew)
    progress.show("building the cluster")
    with place.of(options, built) as runner:
        session = Session(options, built, runner, folder, progress)
        session.look()
        if not options.check:
            session.measure_links()
        session.plan()
        session.race()
        decisions = [decide(cell) for cell in session.cells]
        found, paths, complaint = _finish(session, decisions)
        if found.is_open:
            session.pause()
        elif not found.problems:
            session.done()
    progress.say("\n".join(report.terminal(found, Paint.for_stream(sys.stdout))))
    command.say_files(paths, complaint, progress)
    command.say_kept(runner, progress)
    return _status(found, options)


def main(arguments):
    options = _parser().parse_args(arguments)
    if options.candidates is None:
        options.candidates = 1.0 if options.check else 0.5
    return command.run("tune", _tune, options)
