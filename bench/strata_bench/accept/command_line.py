"""Options of bench/accept and its sequence of checks."""

import datetime
import hashlib
import itertools
import os
import platform
import re
import shlex
import subprocess

from ..compare import command_line as compare
from ..compare import grid
from ..measuring import cli, command, competitors, files, place, units
from ..measuring.cluster import check_support

from . import checks, page
from .checks import Check, Result

_DESCRIPTION = """\
Acceptance of the plugin for a site, in one batch job: is it on, is all data right, is it nowhere slower than tuned and
han on a sample of operations, sizes and orders of the ranks, and does a job take at most 1 s longer. Writes a page to
keep, acceptance.html, with how to take the plugin back. --launcher is the command that starts jobs, without the program;
without it everything runs on an emulated cluster. It takes the plugin of this build, not an installed one. Build before:
inside the job give --build DIR, and nothing is installed or built.

The sample and the rule for slower are those of bench/compare --gate --with tuned,han; the rule that no size may be
slower than a greater one holds, too. If --minutes end before, the same command goes on."""
_EPILOG = """\
Exit status: 0 if accepted; 1 if not; 3 if undecided (--minutes ended before, times of tuned are missing, or the checks
or the comparison could not begin or were interrupted); 77 without --launcher if this machine does not allow the
namespaces of which an emulated cluster is made.

example:
  bench/accept --launcher "srun --mpi=pmix -N 4 -n 256" --build build/release
  bench/accept --launcher "mpirun -n 32" --minutes 30 --parameter rules=ethernet-cluster"""
_OWN_FILES = r"acceptance\.(txt|html)"
_STATUS = {Result.PASSED: 0, Result.FAILED: 1, Result.UNDECIDED: 3}
_VERDICTS = {"passed": Result.PASSED, "failed": Result.FAILED, "unfinished": Result.UNDECIDED}


def make_parser():
    parser = cli.parser("accept", _DESCRIPTION, _EPILOG)
    parser.add_argument("--minutes", metavar="N", type=cli.count, default=20, help="begin no part of the sample later (20)")
    parser.add_argument("--jobs", metavar="N", type=cli.count, default=3,
                        help="jobs to start without and with the plugin; twice as many if it looks slower (3)")
    cli.add_operations(parser, ",".join(grid.GATED))
    cli.add_orders(parser, grid.ORDERS, ("block", "shuffle"), "; unequal: node by node, fewer on some")
    cli.add_sizes(parser, "8,1K,64K,1M", "sizes in bytes")
    cli.add_place(parser, "results/accept")
    return parser


def _speed(options, build, state, digest, folder):
    """Lets bench/compare judge; its folder's name depends on what it compares, so that it goes on with that only. Returns
    the check and the tables."""
    where = ["--launcher", options.launcher] if options.launcher else ["--state", state]
    asked = ["--op", ",".join(options.op), "--sizes", ",".join(map(str, options.sizes)), "--orders", ",".join(options.orders),
             *(word for one in options.parameter for word in ("--parameter", one))]
    name = hashlib.sha256("\n".join([digest, options.launcher or "", *asked]).encode()).hexdigest()[:8]
    own = os.path.join(folder, f"speed-{name}")
    data = os.path.join(own, "measurements.json")
    if os.path.exists(data):
        os.unlink(data)
    compare.main(["--gate", "--with", "tuned,han", "--minutes", str(options.minutes), "--no-plots", "--results", own,
                  "--build", build, *where, *asked])
    if not os.path.exists(data):
        return Check("speed", Result.UNDECIDED, ("the comparison was interrupted or could not begin: see what it printed",)), {}
    tables = {title: files.read_lines(os.path.join(own, file)) for title, file in
              (("Summary", "summary.txt"), ("Times", "table.txt"))}
    result = _VERDICTS[files.read_json(data)["verdict"]]
    asked = f"{', '.join(options.op)}; {', '.join(map(units.size_text, options.sizes))}; {', '.join(options.orders)} order"
    found = list(filter(None, tables["Summary"]))
    lines = list(itertools.takewhile(lambda line: not line.startswith("Speed-up"), found))
    table = itertools.takewhile(lambda line: not line.startswith("Size by size"), found[len(lines):])
    right = ("every byte of every result was right",) if result is Result.PASSED else ()
    return Check("speed", result, (f"{asked} of the ranks", *right, *lines, f"all of it: {own}"), (*table,)), tables


def _ompi_info(*options):
    return subprocess.run(["ompi_info", *options], text=True, capture_output=True, check=False).stdout


def _parameters_folder():
    """Returns Open MPI's folder of the parameters for all users."""
    found = re.search(r"^path:sysconfdir:(.+)$", _ompi_info("--parsable", "--path", "sysconfdir"), re.MULTILINE)
    return found[1] if found else "/etc/openmpi"


def _facts(arguments, build, digest):
    release = re.search(r"v[0-9][^\s]*", _ompi_info("--version"))
    return (("command", shlex.join(["bench/accept", *arguments])), ("host", platform.node()),
            ("Open MPI", release[0] if release else "unknown"), ("build", f"{digest}, {build}"),
            ("date", datetime.datetime.now().astimezone().isoformat(" ", "minutes")))


def _accept(options, progress):
    elsewhere = options.launcher or options.state
    build = command.build_folder(options, "demo,communicators", (lambda: None) if elsewhere else check_support)
    built = command.Built(build)
    digest = place.build_digest(built)
    folder = command.results_folder(options.results, _OWN_FILES)
    tables = {}
    progress.show("is it on?")
    with place.of(options, built) as runner:
        contender = competitors.strata(built.plugin_folder, place.parameters(options, runner, folder))
        found = [checks.on(runner, contender, built, folder)]
        if found[0].result is Result.PASSED:
            found.append(checks.start(runner, contender, built, folder, options.jobs, progress.show))
            progress.clear()
            speed, tables = _speed(options, build, options.state or getattr(runner, "directory", ""), digest, folder)
            found.append(speed)
        command.say_kept(runner, progress)
    progress.clear()
    facts, parameters = _facts(options.arguments, build, digest), _parameters_folder()
    paths = [os.path.join(folder, f"acceptance.{ending}") for ending in ("txt", "html")]
    files.write_text(paths[0], page.text(found, facts, parameters))
    files.write_text(paths[1], page.as_html(found, facts, parameters, tables).split("\n"))
    progress.say("\n" + "\n".join(page.text(found, facts, parameters)))
    command.say_files(paths, "", progress)
    return _STATUS[page.outcome(found)]


def main(arguments):
    options = make_parser().parse_args(arguments)
    options.arguments = arguments
    return command.run("accept", _accept, options, failed=_STATUS[Result.UNDECIDED])
