"""Options of bench/accept and its sequence of checks."""

import os
import shlex

from ..compare import command_line as compare
from ..measuring import cli, command, competitors, files, place
from ..measuring.cluster import check_support

from . import checks, page
from .checks import Check, Result

_DESCRIPTION = """\
Acceptance of the plugin for a site, in one batch job: is it on, are results right, is it nowhere slower on a sample of
operations, sizes and orders of the ranks than what Open MPI has without it, and does a job start as fast. Writes a page
to keep, acceptance.html, and how to take the plugin back. --launcher is the command that starts jobs, without the
program; without it everything runs on an emulated cluster. It takes the plugin of this build, whatever is installed.

The sample is that of bench/compare --gate, with its rule for slower; after --minutes the same command goes on."""
_EPILOG = """\
Exit status: 0 if accepted; 1 if not; 3 if --minutes ended before; 77 without --launcher if this machine does not allow
the namespaces of which an emulated cluster is made.

example:
  bench/accept --launcher "srun --mpi=pmix -N 4 -n 256"
  bench/accept --launcher "mpirun -n 32" --minutes 30 --parameter rules=ethernet-cluster"""
_OWN_FILES = r"acceptance\.(txt|html)"
_RESULTS = {0: Result.PASSED, 3: Result.UNFINISHED}
_SAID = {Result.PASSED: "nowhere slower by more than 5 %, with intervals apart and in every job; all data right",
         Result.FAILED: "see below: slower, wrong data, or a job that failed",
         Result.UNFINISHED: "some of the sample is not measured yet"}


def make_parser():
    parser = cli.parser("accept", _DESCRIPTION, _EPILOG)
    parser.add_argument("--minutes", metavar="N", type=cli.count, default=20, help="for the sample (20)")
    parser.add_argument("--jobs", metavar="N", type=cli.count, default=3, help="jobs to start without and with it (3)")
    cli.add_operations(parser, "bcast,allreduce,allgather,reduce")
    cli.add_sizes(parser, "8,1K,64K,1M", "sizes in bytes")
    cli.add_place(parser, "results/accept")
    return parser


def _speed(options, build, folder):
    """Lets bench/compare judge. Returns the check and its tables."""
    own = os.path.join(folder, "speed")
    where = ["--launcher", options.launcher] if options.launcher else ["--state", options.state] if options.state else \
        cli.shape_arguments(options)
    status = compare.main(["--gate", "--minutes", str(options.minutes), "--op", ",".join(options.op), "--sizes",
                           ",".join(map(str, options.sizes)), "--no-plots", "--results", own, "--build", build, *where,
                           *(word for one in options.parameter for word in ("--parameter", one))])
    result = _RESULTS.get(status, Result.FAILED)
    tables = {name: files.read_lines(path) for name, path in
              (("Summary", os.path.join(own, "summary.txt")), ("Times", os.path.join(own, "table.txt")))
              if os.path.exists(path)}
    return Check("speed", result, (_SAID[result],)), tables


def _accept(options, progress):
    elsewhere = options.launcher or options.state
    build = command.build_folder(options, "demo,communicators", (lambda: None) if elsewhere else check_support)
    built = command.Built(build)
    folder = command.results_folder(options.results, _OWN_FILES)
    progress.show("is it on?")
    with place.of(options, built) as runner:
        contender = competitors.strata(built.plugin_folder, place.parameters(options, runner, folder))
        found = [checks.on(runner, contender, built, folder)]
        if found[0].result is Result.PASSED:
            found.append(checks.start(runner, contender, built, folder, options.jobs, progress.show))
        command.say_kept(runner, progress)
    progress.clear()
    tables = {}
    if page.outcome(found) is Result.PASSED:
        speed, tables = _speed(options, build, folder)
        found.append(speed)
    paths = [os.path.join(folder, f"acceptance.{ending}") for ending in ("txt", "html")]
    call = shlex.join(["bench/accept", *(["--launcher", options.launcher] if options.launcher else [])])
    files.write_text(paths[0], page.text(found))
    files.write_text(paths[1], page.as_html(found, call, tables).split("\n"))
    progress.say("\n" + "\n".join(page.text(found)))
    command.say_files(paths, "", progress)
    return {Result.PASSED: 0, Result.FAILED: 1, Result.UNFINISHED: 3}[page.outcome(found)]


def main(arguments):
    return command.run("accept", _accept, make_parser().parse_args(arguments))
