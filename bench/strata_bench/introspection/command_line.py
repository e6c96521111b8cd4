"""Options of bench/introspection and its sequence of steps."""

from ..measuring import cli, command, files
from ..measuring.table import Paint

from . import conjugate_gradient, examples, monitoring, reordering, slow_links
from .figure import Setting

_DESCRIPTION = """\
Measures the gain of applications that adapt to the hardware with the introspection library: builds, brings up an
emulated cluster, and runs the programs of the figures on it. Checks every result.

summa, gather   the example applications with hierarchies of communicators that the library finds, with others, and with
                none; in blocks of ranks, round robin and shuffled
reordering      Broadcasts, Reduces, group Allgathers and the exchanges of a conjugate gradient solver before and after
                reordering the ranks by one iteration that the library monitored
cg              the conjugate gradient kernel of the NAS benchmarks without and with reordered ranks, which are bound to
                cores or not
wire            traffic between nodes by monitoring sessions, compared with the counters of the nodes' NICs: for patterns
                of messages, and every 10 ms
overhead        the cost of monitoring a Reduce, on this machine itself
overhead-nodes  the same between two emulated nodes, and for a message there and back"""
# Name in measurements.json -> module; see figure.py.
MODULES = {"examples": examples, "reordering": reordering, "conjugate_gradient": conjugate_gradient,
           "monitoring": monitoring}


def _figures():
    return tuple(name for module in MODULES.values() for name in module.FIGURES)


def _parser():
    parser = cli.parser("introspection", _DESCRIPTION)
    figures = _figures()
    parser.add_argument("--figure", type=cli.some_of(figures), default=figures, metavar="LIST",
                        help=f"figures to measure: all, or some of {', '.join(figures)} (all)")
    parser.add_argument("--rounds", metavar="N", type=cli.count, default=3, help="runs of every case, in turn (3)")
    parser.add_argument("--delay-us", metavar="N", type=cli.count, default=500,
                        help="one-way delay between the sites in microseconds (500)")
    parser.add_argument("--relay-mbit", metavar="R", type=cli.count, default=200,
                        help="rate between the sites in Mbit/s (200)")
    slow_links.add_options(parser)
    cli.add_results(parser, "results/introspection")
    cli.add_keep(parser)
    for module in MODULES.values():
        module.add_options(parser)
    cli.add_building(parser)
    return parser


def _measure(setting):
    """Findings by module name."""
    chosen = {name: [figure for figure in module.FIGURES if figure in setting.options.figure]
              for name, module in MODULES.items()}
    return {name: MODULES[name].measure(figures, setting) for name, figures in chosen.items() if figures}


def _text(findings, paint):
    return "\n\n".join("\n".join(found.text(paint)).strip("\n") for found in findings.values())


def _write(findings, folder):
    """Writes all files. Returns their paths and the error."""
    content = {name: found.to_json() for name, found in findings.items()}
    paths = files.write_tables(folder, content, _text(findings, Paint(False)).split("\n"))
    drawn = [found.draw(folder) for found in findings.values()]
    complaints = dict.fromkeys(complaint for _, complaint in drawn if complaint)
    return [*paths, *(path for pictures, _ in drawn for path in pictures)], "\n".join(complaints)


def _benchmark(options, progress):
    built = command.prepare(options, "demo,introspection")
    own_files = [r"table\.txt", r"measurements\.json", *(module.FILES for module in MODULES.values())]
    folder = command.results_folder(options.results, "|".join(own_files))
    findings = _measure(Setting(options, built, folder, progress))
    progress.clear()
    paths, complaint = _write(findings, folder)
    progress.say("\n" + _text(findings, Paint.for_stream()))
    failures = [failure for found in findings.values() for failure in found.failures()]
    for failure in failures:
        progress.say(f"FAILED: {failure}")
    command.say_files(paths, complaint, progress)
    return 1 if failures else 0


def main(arguments):
    return command.run("introspection", _benchmark, _parser().parse_args(arguments))
