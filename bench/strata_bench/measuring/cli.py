"""Options that several commands have."""

import argparse

from . import operations, units

EPILOG = """\
Exit status: 0 if with the plugin everything ran and all data was right, at any speed; 1 if not; 77 if this machine
does not allow the namespaces of which the cluster is made. If a component of Open MPI itself crashes or delivers
wrong data, the command reports it and continues without it. More about the cluster: bench/cluster --help."""


def parser(name, description, epilog=EPILOG):
    """Returns the parser of the command strata-bench `name`."""
    return argparse.ArgumentParser(prog=f"strata-bench {name}", description=description, epilog=epilog,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def count(text):
    """Parses a number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number from 1")
    return int(text)


def counts(text):
    return tuple(sorted({count(word) for word in text.split(",")}))


def sizes(text):
    """Message sizes."""
    try:
        return tuple(sorted({units.parse_size(word) for word in text.split(",")}))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def some_of(known, **former):
    """Returns a parser of a list of known words, or "all". `former`: present words by former ones, still accepted."""
    def parse(text):
        words = known if text == "all" else text.split(",")
        found = tuple(dict.fromkeys(former.get(word, word) for word in words))
        for word in found:
            if word not in known:
                raise argparse.ArgumentTypeError(f"'{word}': expected all, or some of {', '.join(known)}")
        return found

    return parse


def add_operations(parser, default, known=tuple(operations.ALL), note=""):
    """`default` is its value as text."""
    parse = some_of(known)
    parser.add_argument("--op", metavar="LIST", type=parse, default=parse(default),
                        help=f"operations: all, or some of {', '.join(known)} ({default}){note}")


def add_sizes(parser, default, text="sizes in bytes", name="--sizes"):
    """`default` is its value as text."""
    parser.add_argument(name, metavar="LIST", type=sizes, default=sizes(default), help=f"{text} ({default})")


def add_orders(parser, known, default, text):
    parser.add_argument("--orders", metavar="LIST", type=some_of(known), default=default,
                        help=f"orders of the ranks along the nodes{text} ({','.join(default)})")


def add_effort(parser, folder, seconds, least="3", reps=2):
    """Adds options for effort and places. `folder`, `seconds` and `reps` are defaults; `least` is for the help."""
    add_results(parser, folder)
    parser.add_argument("--reps", metavar="N", type=count, default=reps,
                        help=f"least repetitions per round; short ones get more ({reps})")
    parser.add_argument("--rounds", metavar="N", type=count, default=0,
                        help="rounds over the competitors (as many as fit into --seconds, but "
                             f"at least {least})")
    parser.add_argument("--seconds", metavar="N", type=count, default=seconds,
                        help=f"time for all rounds ({seconds})")
    add_keep(parser)
    add_building(parser)


def add_results(parser, folder):
    parser.add_argument("--results", metavar="DIR", default=folder,
                        help=f"output folder: new, empty, or of an earlier run ({folder})")


def add_no_plots(parser):
    parser.add_argument("--no-plots", action="store_true", help="draw no plots")


def add_keep(parser):
    parser.add_argument("--keep-cluster", action="store_true",
                        help="leave the cluster up and print how to use it")


def add_building(parser):
    building = parser.add_argument_group("building")
    building.add_argument("--no-install", action="store_true",
                          help="install no packages; list the missing ones")
    building.add_argument("--preset", metavar="NAME", default="release",
                          help="preset of CMakePresets.json (release)")
    building.add_argument("--build", metavar="DIR",
                          help="use this build; install and build nothing")


_SHAPE = {  # options that are passed on to `cluster up`
    "--nodes": ("N", "number of nodes (4)"),
    "--sites": ("N", "number of sites (2)"),
    "--site-sizes": ("A,B,...", "nodes of every site"),
    "--slots": ("N|A,B,...", "ranks per node, for all or for each (4)"),
    "--nic": ("RATE", "rate of a node's NIC (1gbit)"),
    "--uplink": ("RATE", "rate of a link between sites (200mbit)"),
    "--delay-us": ("N", "one-way delay between sites, in microseconds (0)"),
    "--relay-mbit": ("R", "rate between sites without bursts, instead of --uplink"),
    "--mtu": ("MTU", "largest packet (9000)"),
}


def add_shape(parser):
    shape = parser.add_argument_group("the cluster, as in bench/cluster up")
    for name, (metavar, text) in _SHAPE.items():
        shape.add_argument(name, metavar=metavar, help=text)


def shape_arguments(options):
    """Returns the chosen options of add_shape as arguments of `cluster up`."""
    arguments = []
    for name in _SHAPE:
        value = getattr(options, name.removeprefix("--").replace("-", "_"))
        if value is not None:
            arguments += [name, value]
    return arguments


def add_place(parser, results):
    """Adds options of commands that measure wherever jobs run. `results` is the default output folder."""
    add_no_plots(parser)
    parser.add_argument("--parameter", metavar="NAME=VALUE", action="append", default=[],
                        help="parameter of the plugin, without coll_strata_ (repeatable)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--launcher", metavar="COMMAND", help="command that starts a job, instead of the emulated cluster")
    where.add_argument("--state", metavar="DIR", help="state directory of an emulated cluster that is up")
    add_results(parser, results)
    add_keep(parser)
    add_building(parser)
    add_shape(parser)
