"""Builds a cluster; the holder process keeps it.

The holder is the first process of its own process namespace, with its own mount and network namespaces
(and, for a normal user, a user namespace around them). Its network namespace is the fabric. One child per
node keeps that node's namespaces. Nothing has a name outside: when the holder ends, for any reason, the
kernel ends every process in the cluster and removes every mount and link. `down` relies on that.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys

from . import kernel, network
from .plan import UserError, hostfile, management_address, node_name

NODE_PROGRAM_NAME = "strata-node"
_HOLDER_NAMESPACES = (kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWUTS |
                      kernel.CLONE_NEWIPC)


class Channel:
    """Messages between two processes: one JSON value per line."""

    def __init__(self, end):
        self._socket = end
        self._reader = end.makefile("r", encoding="utf-8")

    @staticmethod
    def pair():
        return socket.socketpair()

    def send(self, **message):
        self._socket.sendall((json.dumps(message) + "\n").encode())

    def receive(self):
        """Returns the next message, or None when the other side is gone."""
        line = self._reader.readline()
        return json.loads(line) if line else None

    def expect(self, who):
        """Returns the next message; raises an error that the other side reports."""
        message = self.receive() or {"error": f"{who} ended unexpectedly"}
        if "error" in message:
            raise UserError(message["error"])
        return message


def start(state, plan, relay):
    """Builds the cluster in a claimed state directory. `relay` is the path of the relay, or None if it is
    not needed."""
    needs_user_namespace = not kernel.may_make_namespaces()
    state.save(user_namespace=needs_user_namespace)
    state.write("hostfile", hostfile(plan.slots))
    state.write("hosts", "127.0.0.1 localhost\n" + "".join(
        f"{management_address(node)} {node_name(node)}\n" for node in range(plan.nodes)))
    for node in range(plan.nodes):
        os.makedirs(state.path("nodes", node_name(node)))
    ours, theirs = Channel.pair()
    spawned = os.fork()
    if spawned == 0:
        ours.close()
        _spawn_holder(state, plan, relay, Channel(theirs), needs_user_namespace)
    theirs.close()
    channel = Channel(ours)
    holder = None
    try:
        holder = channel.expect("the process that builds the cluster")["holder"]
        os.waitpid(spawned, 0)
        state.save(holder=holder, holder_start=kernel.start_time(holder) or -1)
        built = channel.expect("the process that holds the cluster")
        state.write("rsh-agent", _remote_shell(state, built["nodes"]), 0o755)
        state.save(nodes=built["nodes"], far=built["far"], ready=True)
        channel.send(keep=True)
    except BaseException:
        if holder:
            with contextlib.suppress(ProcessLookupError):
                os.kill(holder, signal.SIGKILL)
            kernel.wait_until(lambda: kernel.start_time(holder) is None, 5)
        ours.close()  # a holder whose record is not yet written ends when it finds this closed
        state.remove()
        raise
    return built["notes"]


def _remote_shell(state, pids):
    """Returns mpirun's remote shell. Process ids are those of the cluster's process namespace."""
    cases = "\n".join(f"{node_name(node)}) pid={pid} ;;" for node, pid in enumerate(pids))
    return f"""#!/bin/sh
# Runs a command on a node of the emulated cluster: rsh-agent [-x] NODE COMMAND...
[ "$1" = -x ] && shift
node=$1
shift
case $node in
{cases}
*) echo "rsh-agent: the emulated cluster has no node '$node'" >&2; exit 1 ;;
esac
TMPDIR={state.path("nodes")}/$node
export TMPDIR
exec nsenter --target "$pid" --net --uts --mount --ipc -- env -C "$PWD" /bin/sh -c "$*"
"""


def _spawn_holder(state, plan, relay, channel, needs_user_namespace):
    """Runs in a child of `up`: enters the namespaces and leaves the holder behind. Does not return."""
    try:
        os.setsid()
        if needs_user_namespace:
            kernel.enter_user_namespace()
        kernel.unshare(_HOLDER_NAMESPACES)
        pid = os.fork()
        if pid == 0:
            _hold(state, plan, relay, channel)
        channel.send(holder=pid)
    except OSError as error:
        channel.send(error=f"namespaces are not allowed here ({error})")
    finally:
        os._exit(0)


def _hold(state, plan, relay, channel):
    """The holder: builds, reports, then waits for SIGTERM. Does not return."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        kernel.set_process_name("strata-cluster")
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        kernel.mount(None, "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
        kernel.mount("proc", "/proc", "proc")
        network.disable_ipv6()
        network.build_bridges(plan)
        nodes, far = zip(*(_start_node(state, plan, node) for node in range(plan.nodes)))
        notes = _start_relay(state, relay, network.connect_sites(plan))
        channel.send(nodes=nodes, far=far, notes=notes)
        if channel.receive():
            _wait_for_the_end()
    except (UserError, OSError) as error:
        channel.send(error=str(error))
    finally:
        os._exit(0)


def _wait_for_the_end():
    """Collects orphans until SIGTERM, then lets the relay write its figures."""
    signals = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    while signal.sigwait(signals) != signal.SIGTERM:
        _collect()
    for pid in kernel.descendants(1):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                if file.read().strip() == "relay":
                    os.kill(pid, signal.SIGTERM)
                    kernel.wait_until(lambda pid=pid: kernel.start_time(pid) is None, 1)


def _collect():
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _start_node(state, plan, node):
    """Makes one node. Returns the process that keeps it, and the one that keeps the network namespace of
    its far ranks (None if all are near)."""
    pid, channel = _start(lambda channel: _be_node(state, plan, node, channel))
    far = channel.expect(node_name(node))["far"]
    network.connect_node(plan, node, pid, far)
    channel.send(connected=True)
    channel.expect(node_name(node))
    return pid, far


def _start(body):
    """Forks a process that runs body(channel) and does not return from it. Returns its id and the parent's
    channel."""
    ours, theirs = Channel.pair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        body(Channel(theirs))
    theirs.close()
    return pid, Channel(ours)


def _be_node(state, plan, node, channel):
    """The process that keeps a node's namespaces. Does not return."""
    try:
        kernel.set_process_name(NODE_PROGRAM_NAME)
        kernel.unshare(kernel.NODE_NAMESPACES)
        socket.sethostname(node_name(node))
        kernel.mount("tmpfs", "/dev/shm", "tmpfs", data="mode=1777")
        kernel.mount(state.path("hosts"), "/etc/hosts", flags=kernel.MS_BIND)
        _show_own_interfaces(state.path("nodes", node_name(node)))
        network.disable_ipv6()
        far = far_channel = None
        if plan.has_far:
            far, far_channel = _start(lambda channel: _be_far(plan, node, channel))
            far_channel.expect("the far side")
        channel.send(far=far)
        channel.receive()
        network.configure_node(plan, node, far)
        if plan.has_far:
            far_channel.send(connected=True)
            far_channel.expect("the far side")
        channel.send(configured=True)
        while True:
            signal.pause()
    except (UserError, OSError) as error:
        channel.send(error=f"{node_name(node)}: {error}")
    finally:
        os._exit(1)


def _be_far(plan, node, channel):
    """The process that keeps the network namespace of a node's far ranks. Far ranks share all else with
    near ranks: both meet in shared memory. Does not return."""
    try:
        kernel.unshare(kernel.CLONE_NEWNET)
        network.disable_ipv6()
        channel.send(made=True)
        channel.receive()
        network.configure_far(plan, node)
        channel.send(configured=True)
        while True:
            signal.pause()
    except (UserError, OSError) as error:
        channel.send(error=f"far side: {error}")
    finally:
        os._exit(1)


def _show_own_interfaces(scratch):
    """Mounts a /sys for the node, so that /sys/class/net has its interfaces and not the host's.

    The control groups stay visible, because hwloc reads them. Where the kernel refuses (containers that
    hide parts of /sys), the host's /sys stays.
    """
    kernel.mount("/sys/fs/cgroup", scratch, flags=kernel.MS_BIND | kernel.MS_REC)
    try:
        with contextlib.suppress(OSError):
            kernel.mount("sysfs", "/sys", "sysfs")
            kernel.mount(scratch, "/sys/fs/cgroup", flags=kernel.MS_BIND | kernel.MS_REC)
    finally:
        kernel.unmount(scratch)


def _start_relay(state, program, links):
    """Starts the relay if there are links for it; returns the lines that it has logged."""
    if not links:
        return []
    with open(state.path("relay.log"), "w", encoding="utf-8") as log:
        relay = subprocess.Popen([program, *links], stdout=subprocess.PIPE, stderr=log, text=True)
    ready = relay.stdout.readline()
    relay.stdout.close()
    with open(state.path("relay.log"), encoding="utf-8") as log:
        lines = log.read().splitlines()
    if not ready:
        raise UserError("the relay did not start: " + "; ".join(lines))
    return lines


def change_link(state, node, how):
    """Runs network.change_link() in the fabric of a running cluster."""
    _in_fabric(state, lambda: network.change_link(state.plan, node, how))


def link_state(state, node):
    """Runs network.link_state() in the fabric of a running cluster."""
    return _in_fabric(state, lambda: network.link_state(state.plan, node))


def _in_fabric(state, function):
    ours, theirs = Channel.pair()
    child = os.fork()
    if child == 0:
        channel = Channel(theirs)
        try:
            kernel.join(state.holder, kernel.CLONE_NEWNET |
                        (kernel.CLONE_NEWUSER if state.record["user_namespace"] else 0))
            channel.send(result=function())
        except (UserError, OSError) as error:
            channel.send(error=str(error))
        finally:
            os._exit(0)
    theirs.close()
    try:
        return Channel(ours).expect("the process that enters the fabric")["result"]
    finally:
        os.waitpid(child, 0)


def stop(state):
    """Ends a cluster if it is alive. Returns the relay's figures, one line per direction.

    Safe at any time: the record names the holder by process id and start time.
    """
    if state.alive():
        holder = state.holder
        for number, seconds in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(holder, number)
            if kernel.wait_until(lambda: kernel.start_time(holder) is None, seconds):
                break
        else:
            print(f"cluster: process {holder} does not end", file=sys.stderr)
    figures = []
    with contextlib.suppress(OSError):
        with open(state.path("relay.log"), encoding="utf-8") as log:
            figures = [line for line in log.read().splitlines() if "frames" in line]
    state.remove()
    return figures
