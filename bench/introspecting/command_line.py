"""Options of bench/introspection and the order of events."""

import argparse
import json
import os

from measuring import command
from measuring.cluster import Cluster
from measuring.table import Paint

from . import examples

_DESCRIPTION = """\
Shows what applications gain that follow the hardware by the introspection library: builds, brings up an emulated
cluster, and runs the example applications with hierarchies of communicators that the library finds, and with others of
the same depth, in blocks of ranks, round robin and shuffled. Every result is checked."""
_SHAPE = ["--nodes", "4", "--sites", "2", "--slots", "4"]


def _parser():
    parser = argparse.ArgumentParser(prog="introspection", description=_DESCRIPTION, epilog=command.EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", type=command.some_of(tuple(examples.ALL)), default=tuple(examples.ALL), metavar="LIST",
                        help=f"what to measure: all, or some of {', '.join(examples.ALL)} (all)")
    parser.add_argument("--rounds", metavar="N", type=command.count, default=3, help="runs of every case, in turn (3)")
    parser.add_argument("--reps", metavar="N", type=command.count, default=10, help="repetitions in each of them (10)")
    parser.add_argument("--delay-us", metavar="N", type=command.count, default=500,
                        help="one-way delay between the sites in microseconds (500)")
    parser.add_argument("--relay-mbit", metavar="R", type=command.count, default=200,
                        help="rate between the sites in Mbit/s (200)")
    command.add_results_option(parser, "results/introspection")
    command.add_keep_option(parser)
    command.add_building_options(parser)
    return parser


def _benchmark(options, progress):
    chosen = [example for name in options.figure for example in examples.ALL[name]]
    built = command.prepare(options, "demo")
    folder = command.results_folder(options.results, r"table\.txt|measurements\.json|topology\.conf")
    progress.show("building the cluster")
    links = ["--delay-us", str(options.delay_us), "--relay-mbit", str(options.relay_mbit)]
    with Cluster([*_SHAPE, *links], options.keep_cluster) as cluster:
        progress.step(f"cluster is up: 4 nodes at 2 sites, 4 ranks each, {options.delay_us} us and {options.relay_mbit} Mbit/s "
                      "between the sites")
        measurement = examples.Measurement(cluster, built, folder, options.reps, options.rounds)
        measurement.run(chosen, progress)
    progress.clear()
    lines = examples.table(measurement, chosen, Paint(False)) + [""] + examples.verdict(measurement, chosen)
    files = [os.path.join(folder, name) for name in ("table.txt", "measurements.json")]
    with open(files[0], "w", encoding="utf-8") as file:
        file.write("\n".join(lines).lstrip("\n") + "\n")
    with open(files[1], "w", encoding="utf-8") as file:
        json.dump(examples.to_json(measurement), file, indent=1)
    progress.say("\n".join(examples.table(measurement, chosen, Paint.for_stream()) + [""] + examples.verdict(measurement, chosen)))
    for failure in measurement.failures():
        progress.say(f"FAILED: {failure}")
    command.say_files(files, None, progress)
    if options.keep_cluster:
        command.say_kept(cluster, progress)
    return 1 if measurement.failures() else 0


def main(arguments):
    return command.run("introspection", _benchmark, _parser().parse_args(arguments))
