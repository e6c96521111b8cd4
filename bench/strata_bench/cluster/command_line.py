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
talk TCP through links whose rate, and between sites delay, are limited. Nothing outside the cluster's
namespaces and the state directory is changed. Root is not needed where user namespaces are allowed."""

_EXAMPLES = """\
example:
  bench/cluster up --nodes 4 --sites 2 --slots 4 --nic 1gbit --uplink 200mbit
  bench/cluster run --order cyclic --timeout 120 -- ./program its-arguments
  bench/cluster run -- --mca coll_han_priority 100 ./program     (mpirun's options come first)
  bench/cluster up --sites 1 --nic 500mbit --far-mbit 300        (half of the ranks are far from the NIC)
  bench/cluster down

Debian packages: iproute2, util-linux, python3, openmpi-bin; g++ for delays."""


class _Help(argparse.ArgumentDefaultsHelpFormatter):
    """Shows defaults, but not that there is none."""

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
                             help="state directory; each one is a cluster of its own")
        return sub

    _add_up(command("up", _up, "build a cluster"))
    _add_run(command("run", _run, "run mpirun in node n0, with everything it needs to reach the other nodes",
                     usage="strata-bench cluster run [options] -- [mpirun options] program [arguments]"))
    execute = command("exec", _exec, "run one command on one node, without mpirun",
                      usage="strata-bench cluster exec [options] NODE -- command [arguments]")
    execute.add_argument("node", metavar="NODE", help="n0, n1, ...")
    execute.add_argument("--timeout", type=float, metavar="SECONDS", help="as for run")
    execute.add_argument("command", nargs=argparse.REMAINDER, help="the command and its arguments")
    link = command("link", _link, "cut a node's cable, let it lose packets, or mend it, while programs run")
    link.add_argument("node", metavar="NODE", help="n0, n1, ...")
    link.add_argument("how", choices=("cut", "lossy", "whole", "show"),
                      help="lossy: one packet in 16 vanishes, each way. mpirun's own network stays as it is. show: "
                      "how it is, and packets that went over it and were lost, as JSON")
    command("status", _status, "say what is up; exit status 0 if a cluster is, 1 if not")
    command("down", _down, "remove the cluster with all that runs in it; fine if there is none")
    topology = command("topology", _topology, "write the cluster as a Slurm topology.conf")
    topology.add_argument("--file", metavar="PATH", help="where to; standard output if not given")
    parameters = command("parameters", _parameters, "write the parameters by which coll/strata learns which "
                         "ranks are far from the NIC, as a file for mca_base_param_files")
    parameters.add_argument("--file", metavar="PATH", help="where to; standard output if not given")
    _add_places(parameters)
    command("check-support", _check_support,
            "exit status 0 if clusters can be made here, else 77 and one line that says why not")
    return parser


def _add_up(up):
    up.add_argument("--nodes", type=int, metavar="N", help="number of nodes; 4 if --site-sizes does not say")
    up.add_argument("--sites", type=int, metavar="N", help="number of sites; 2 if --site-sizes does not say")
    up.add_argument("--site-sizes", metavar="A,B,...", help="nodes of every site; if not given, dealt evenly")
    up.add_argument("--slots", default="4", metavar="N|A,B,...",
                    help="ranks per node: for all, or for each node")
    up.add_argument("--nic", default="1gbit", metavar="RATE",
                    help="rate of a node's NIC, each way; none: no limit")
    up.add_argument("--uplink", metavar="RATE",
                    help="rate of a link between sites, each way; none: no limit; if not given, 200mbit, "
                         "but none with --relay-mbit. Lets about 15 kB through in a burst")
    up.add_argument("--delay-us", type=float, default=0, metavar="N",
                    help="one-way delay between sites in microseconds, by a relay (which adds about 50 of its "
                         "own)")
    up.add_argument("--relay-mbit", type=float, default=0, metavar="R",
                    help="rate in Mbit/s at which the relay serialises every frame, without bursts; 0: no "
                         "limit")
    up.add_argument("--far-mbit", type=float, default=0, metavar="R",
                    help="some ranks of every node reach its NIC through a slower path: its rate in Mbit/s; "
                         "0: all are near")
    up.add_argument("--far-ranks", default="half", metavar="N|A,B,...|half",
                    help="how many: for all nodes, or for each, or half of the ranks (rounded down). They are "
                         "the lowest local ranks")
    up.add_argument("--far-direction", choices=plan.FAR_DIRECTIONS, default="receive",
                    help="what is slow: what far ranks receive, or both directions")
    up.add_argument("--second-nic", metavar="RATE", default="",
                    help="the far ranks of every node have a NIC of their own instead: its rate, each way")
    up.add_argument("--mtu", type=int, default=9000, help="largest packet of the data network")
    up.add_argument("--queue-bytes", type=int, default=1000000, metavar="N",
                    help="what a limited link holds back before it drops")
    up.add_argument("--relay", metavar="PATH", default=os.environ.get("STRATA_CLUSTER_RELAY"),
                    help="a compiled relay; if not given, it is compiled when needed")


def _add_places(command):
    command.add_argument("--per-node", metavar="N|A,B,...",
                         help="ranks on every node, or on each (0 leaves a node out); all slots if not given")
    command.add_argument("--far-ranks", metavar="N|A,B,...|half",
                         help="which ranks are far, instead of those that `up` said")


def _add_run(run):
    _add_places(run)
    run.add_argument("--order", choices=plan.ORDERS, default="block",
                     help="ranks along the nodes: node by node, round robin, or a random order that the seed "
                          "fixes")
    run.add_argument("--seed", type=int, default=plan.SHUFFLE_SEED, help="of the order shuffle")
    run.add_argument("--np", type=int, metavar="N", help="number of ranks; all slots if not given")
    run.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                     help="set in every rank (repeatable)")
    run.add_argument("--timeout", type=float, metavar="SECONDS",
                     help="end every process of the run after this time and exit with 124")
    run.add_argument("--mpirun", default="mpirun.openmpi", metavar="PROGRAM", help="the mpirun to use")
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
        raise UserError(f"no node '{options.node}'; there are {names[0]} to {names[-1]}")
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
              "which removes what is left")
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
