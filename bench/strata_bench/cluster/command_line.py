"""The commands of bench/cluster and their options."""

import argparse
import json
import os
import signal
import sys

from . import holder, plan, runner, state, support
from .plan import UserError

_DESCRIPTION = """\
Emulates a cluster of Open MPI nodes on one Linux machine. Every node has its own network, host name, mounts
(with a private /dev/shm) and System V memory; mpirun starts one daemon per node and ranks on different nodes
talk TCP through links with a limited rate and, between sites, a delay. Changes nothing outside the cluster's
namespaces and the state directory. Needs no root where user namespaces are allowed."""

_EXAMPLES = """\
example:
  bench/cluster up --nodes 4 --sites 2 --slots 4 --nic 1gbit --uplink 200mbit
  bench/cluster run --order cyclic --timeout 120 -- ./program its-arguments
  bench/cluster run -- --mca coll_han_priority 100 ./program     (mpirun's options come first)
  bench/cluster up --sites 1 --nic 500mbit --far-mbit 300        (half of the ranks are far from the NIC)
  bench/cluster down

Debian packages: iproute2, util-linux, python3, openmpi-bin; g++ for delays."""


class _Help(argparse.ArgumentDefaultsHelpFormatter):
    """Shows defaults, except None."""

    def _get_help_string(self, action):
        return action.help if action.default in (None, []) else super()._get_help_string(action)


def _parser():
    parser = argparse.ArgumentParser(prog="strata-bench cluster", description=_DESCRIPTION, epilog=_EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="name", required=True, metavar="COMMAND")

    def command(name, function, text, **more):
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".",
                                  formatter_class=_Help, **more)
        sub.set_defaults(function=function)
        if name != "check-support":
            sub.add_argument("--state", metavar="DIR", default=state.default_directory(),
                             help="state directory; each directory is a separate cluster")
        return sub

    _add_up(command("up", _up, "build a cluster"))
    _add_run(command("run", _run, "run mpirun on node n0 with the settings that reach the other nodes",
                     usage="strata-bench cluster run [options] -- [mpirun options] program [arguments]"))
    execute = command("exec", _exec, "run one command on one node, without mpirun",
                      usage="strata-bench cluster exec [options] NODE -- command [arguments]")
    execute.add_argument("node", metavar="NODE", help="n0, n1, ...")
    execute.add_argument("--timeout", type=float, metavar="SECONDS", help="as in run")
    execute.add_argument("command", nargs=argparse.REMAINDER, help="the command and its arguments")
    link = command("link", _link, "cut or restore a node's cable, or make it lossy, while programs run")
    link.add_argument("node", metavar="NODE", help="n0, n1, ...")
    link.add_argument("how", choices=("cut", "lossy", "whole", "show"),
                      help="lossy: drops one packet in 16 each way. mpirun's own network is unaffected. show: prints "
                      "its state and its packets, sent and lost, as JSON")
    command("status", _status, "show the state; exit status 0 if a cluster is up, else 1")
    command("down", _down, "remove the cluster and all its processes; no error if there is none")
    topology = command("topology", _topology, "write the cluster as a Slurm topology.conf")
    topology.add_argument("--file", metavar="PATH", help="output file (default: standard output)")
    parameters = command("parameters", _parameters, "write the parameters that give coll/strata the "
                         "ranks far from the NIC, as a file for mca_base_param_files")
    parameters.add_argument("--file", metavar="PATH", help="output file (default: standard output)")
    _add_places(parameters)
    command("check-support", _check_support,
            "exit status 0 if clusters can be made here, else 77 and one line with the reason")
    return parser


def _add_up(up):
    up.add_argument("--nodes", type=int, metavar="N", help="number of nodes (4, or from --site-sizes)")
    up.add_argument("--sites", type=int, metavar="N", help="number of sites (2, or from --site-sizes)")
    up.add_argument("--site-sizes", metavar="A,B,...", help="nodes of every site (default: divided evenly)")
    up.add_argument("--slots", default="4", metavar="N|A,B,...",
                    help="ranks per node: one number for all nodes, or one each")
    up.add_argument("--nic", default="1gbit", metavar="RATE",
                    help="rate of a node's NIC, each way; none: no limit")
    up.add_argument("--uplink", metavar="RATE",
                    help="rate of a link between sites, each way; none: no limit (200mbit, "
                         "or none with --relay-mbit). Lets about 15 kB through in a burst")
    up.add_argument("--delay-us", type=float, default=0, metavar="N",
                    help="one-way delay between sites in microseconds, by a relay (which adds about 50 of its "
                         "own)")
    up.add_argument("--relay-mbit", type=float, default=0, metavar="R",
                    help="rate in Mbit/s at which the relay serialises every frame, without bursts; 0: no "
                         "limit")
    up.add_argument("--far-mbit", type=float, default=0, metavar="R",
                    help="rate in Mbit/s of a slower path by which some ranks of every node reach its NIC; "
                         "0: all ranks are NIC-local")
    up.add_argument("--far-ranks", default="half", metavar="N|A,B,...|half",
                    help="number of far ranks: one for all nodes, one each, or half (rounded down). They are "
                         "the lowest local ranks")
    up.add_argument("--far-direction", choices=plan.FAR_DIRECTIONS, default="receive",
                    help="slow directions: to the far ranks, or both")
    up.add_argument("--second-nic", "--second-card", metavar="RATE", default="",
                    help="gives the far ranks of every node their own NIC instead: its rate, each way")
    up.add_argument("--mtu", type=int, default=9000, help="largest packet of the data network")
    up.add_argument("--queue-bytes", type=int, default=1000000, metavar="N",
                    help="bytes that a limited link queues before it drops")
    up.add_argument("--relay", metavar="PATH", default=os.environ.get("STRATA_CLUSTER_RELAY"),
                    help="a compiled relay (default: compiled when needed)")


def _add_places(command):
    command.add_argument("--per-node", metavar="N|A,B,...",
                         help="ranks per node: one number, or one each; 0 leaves a node out (default: all slots)")
    command.add_argument("--far-ranks", metavar="N|A,B,...|half",
                         help="number of far ranks, in place of that of `up`")


def _add_run(run):
    _add_places(run)
    run.add_argument("--order", choices=plan.ORDERS, default="block",
                     help="ranks along the nodes: node by node, round robin, or a random order that the seed "
                          "fixes")
    run.add_argument("--seed", type=int, default=plan.SHUFFLE_SEED, help="seed of --order shuffle")
    run.add_argument("--np", type=int, metavar="N", help="number of ranks (default: all slots)")
    run.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                     help="environment variable of every rank (repeatable)")
    run.add_argument("--timeout", type=float, metavar="SECONDS",
                     help="seconds after which every process of the run is killed; exit status 124")
    run.add_argument("--mpirun", default="mpirun.openmpi", metavar="PROGRAM", help="mpirun to use")
    run.add_argument("command", nargs=argparse.REMAINDER, help="mpirun's options, the program, its arguments")


def _open(options):
    return state.State(options.state)


def _command_of(options):
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise UserError("no program given; write it after --")
    return command


def _up(options):
    support.require_programs()
    wanted = plan.make(options)
    where = _open(options)
    where.claim()
    where.save(plan=wanted.to_json(), holder=0, holder_start=-1, ready=False)
    try:
        relay = support.relay_program(where, options.relay) if wanted.has_relay else None
        notes = holder.start(where, wanted, relay)
    except BaseException:
        where.remove()
        raise
    for note in notes:
        print(f"cluster: {note}", file=sys.stderr)
    print(plan.describe(wanted))
    return 0


def _run(options):
    where = _open(options)
    where.require_up()
    options.release = support.release_of(options.mpirun)
    options.command = _command_of(options)
    if options.far_ranks and not where.plan.has_far:
        raise UserError("--far-ranks: no rank of this cluster is far; `cluster up --far-mbit` or `--second-nic` makes such ones")
    return runner.run(where, 0, runner.mpirun_command(where, options),
                      runner.run_environment(where, options), options.timeout)


def _exec(options):
    where = _open(options)
    where.require_up()
    return runner.run(where, _node_of(where, options), _command_of(options), {}, options.timeout)


def _node_of(where, options):
    names = [plan.node_name(node) for node in range(where.plan.nodes)]
    if options.node not in names:
        raise UserError(f"no node '{options.node}'; known: {names[0]} to {names[-1]}")
    return names.index(options.node)


def _link(options):
    where = _open(options)
    where.require_up()
    if options.how == "show":
        print(json.dumps(holder.link_state(where, _node_of(where, options))))
    else:
        holder.change_link(where, _node_of(where, options), options.how)
    return 0


def _status(options):
    where = _open(options)
    if not where.record:
        print(f"no cluster in {where.directory}")
        return 1
    if not where.alive():
        print(f"the cluster in {where.directory} has ended without `cluster down`, "
              "which removes its remains")
        return 1
    if not where.record["ready"]:
        print(f"a cluster is being built in {where.directory} by process {where.holder}")
        return 1
    print(f"up in {where.directory}, held by process {where.holder}"
          + (" in a user namespace" if where.record["user_namespace"] else ""))
    print(plan.describe(where.plan))
    running = runner.count_processes(where)
    print("processes running in it: " + ("unknown" if running is None else str(running)))
    return 0


def _down(options):
    for line in holder.stop(_open(options)):
        print(line)
    return 0


def _topology(options):
    where = _open(options)
    where.require_up()
    _write(options.file, plan.slurm_topology(where.plan))
    return 0


def _parameters(options):
    where = _open(options)
    where.require_up()
    if not where.plan.has_far:
        raise UserError("all ranks of this cluster are equally near to their NIC")
    slots = plan.chosen_slots(where.plan, options.per_node)
    far = plan.far_counts(options.far_ranks or where.plan.far_ranks, slots)
    parameters = plan.machine_parameters(slots, far, bool(where.plan.second_nic))
    _write(options.file, "".join(f"{name}={value}\n" for name, value in parameters.items()))
    return 0


def _write(path, text):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


def _check_support(_options):
    reason = support.obstacle()
    if reason is None:
        return 0
    print(f"no emulated clusters here: {reason}")
    return support.NOT_SUPPORTED


def main(arguments):
    """Runs one command; returns the exit status. 2 means a mistake in the call or a missing prerequisite."""
    # A terminated `up` has to clean up like an interrupted one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = _parser().parse_args(arguments)
    try:
        return options.function(options)
    except UserError as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cluster: interrupted", file=sys.stderr)
        return 130
