"""The command bench/simulate."""

import os

from ..measuring import cli, command

from .catalogue import ALL, DEFAULT
from .runs import Runner

_OWN_FILES = rf"({'|'.join(ALL)})\.(txt|csv|svg|png)"
_EPILOG = """\
Everything is simulated: ranks run the plugin's own planner, hierarchy and engines over SimGrid's model of the machines
in bench/simgrid/machines (its README.md describes the model and the sources of the numbers). The same command prints
the same numbers every time.
Exit status: 0 if every figure was made, else 1; the output reports whether a paper's statement was reached."""


def parse(arguments):
    parser = cli.parser("simulate", "Reproduces figures of the papers in simulation.", _EPILOG)
    parser.add_argument("--figure", metavar="LIST", type=cli.some_of(tuple(ALL)), default=DEFAULT,
                        help=f"all, or some of {', '.join(ALL)} (those that take less than a minute)")
    parser.add_argument("--all", action="store_true", help="all figures; some take many minutes")
    parser.add_argument("--list", action="store_true", help="list the figures and the papers' statements")
    cli.add_no_plots(parser)
    cli.add_results(parser, "results/simulate")
    cli.add_building(parser)
    options = parser.parse_args(arguments)
    if options.all:
        options.figure = tuple(ALL)
    return options


def _list():
    for figure in ALL.values():
        print(f"{figure.name:13} {figure.title}\n{'':13} {figure.statement}")


def _body(options, progress):
    folder = command.build_folder(options, "simulate")
    runs = {name: ALL[name].runs() for name in options.figure}
    programs = {name: command.built_file(folder, os.path.join("bench", "simgrid", name))
                for name in sorted({run.program for of_figure in runs.values() for run in of_figure})}
    results = command.results_folder(options.results, _OWN_FILES)
    files, complaints = [], []
    for name in options.figure:
        figure = ALL[name]
        found = Runner(programs, results, progress).found(runs[name])
        progress.clear()
        files += figure.write(found, results)
        if not options.no_plots:
            drawn, complaint = figure.draw(found, os.path.join(results, name))
            files += drawn
            complaints += [complaint] if complaint not in ("", *complaints) else []
        print(f"\n{name}: {figure.text(found)}", end="")
        print("Reached." if figure.reached(found) else "Not reached.", flush=True)
    command.say_files(files, "\n".join(complaints), progress)
    return 0


def main(arguments):
    options = parse(arguments)
    if options.list:
        _list()
        return 0
    return command.run("simulate", _body, options)
