"""Runs programs on the cluster and ends their remains.

A run has three processes. The front one is the user's command: it forwards signals and returns the exit
status. The supervisor is its child inside the cluster's process namespace. It adopts the run's orphans, so
that its descendants are exactly the processes of this run. The third is mpirun (or the command of `exec`).
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import sys
import time

from . import kernel
from .plan import (DATA_NETWORK, MANAGEMENT_NETWORK, UserError, chosen_slots, far_counts, hostfile, hostfile_by_rank,
                   node_name)

TIMED_OUT = 124

_FORWARDED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    _FORWARDED.remove(signal.SIGHUP)  # under nohup
_ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
_WATCHED = _FORWARDED | {signal.SIGCHLD}
# Settings of Open MPI 4.1's run time and of PRRTE, the run time of 5.0; and each release's shared memory
# component.
_ORTE = {
    "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
    "OMPI_MCA_oob_tcp_if_include": MANAGEMENT_NETWORK,
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl": "self,vader,tcp",
}
_PRRTE = {
    "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
    "PRTE_MCA_prte_if_include": MANAGEMENT_NETWORK,
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_btl": "self,sm,tcp",
}
_SECONDS_TO_OBEY = 8  # seconds for mpirun to end its ranks after a signal
_SECONDS_TO_LINGER = 3  # seconds for daemons to end after mpirun


def mpirun_environment(state, release):
    """Returns mpirun's settings on this cluster for an Open MPI release (its first number), as environment
    variables, which --mca on the command line overrides."""
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl_tcp_if_include": DATA_NETWORK,
        "OMPI_MCA_btl_tcp_disable_family": "6",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "PMIX_MCA_ptl_base_remote_connections": "1",
        "PMIX_MCA_ptl_base_if_include": MANAGEMENT_NETWORK,
        **(_PRRTE if release >= 5 else _ORTE),
    }
    settings["PRTE_MCA_plm_ssh_agent" if release >= 5 else "OMPI_MCA_plm_rsh_agent"] = state.path("rsh-agent")
    return settings


def run_environment(state, options):
    """Returns mpirun_environment() for `run`, with far ranks if there are any."""
    settings = mpirun_environment(state, options.release)
    if state.plan.has_far:
        agent = "PRTE_MCA_odls_base_exec_agent" if options.release >= 5 else "OMPI_MCA_orte_fork_agent"
        settings[agent] = _fork_agent(state, options)
    return settings


def _write_for_run(state, kind, text, mode=0o644):
    """Writes a file that runs need, named after its content, because concurrent runs may need different
    ones."""
    path = os.path.join("nodes", f"{kind}.{hashlib.sha256(text.encode()).hexdigest()[:16]}")
    if not os.path.exists(state.path(path)):
        temporary = f"{path}.{os.getpid()}"
        state.write(temporary, text, mode)
        os.replace(state.path(temporary), state.path(path))
    return state.path(path)


def _fork_agent(state, options):
    """Writes the program through which Open MPI's daemons start every rank: it moves far ranks to the
    network namespace from which the NIC is far. It leaves the program's arguments unchanged and need not
    parse mpirun's options."""
    plan = state.plan
    counts = far_counts(options.far_ranks or plan.far_ranks, chosen_slots(plan, options.per_node))
    cases = "\n".join(f"{node_name(node)}) far={count} pid={pid} ;;"
                      for node, (count, pid) in enumerate(zip(counts, state.record["far"])))
    return _write_for_run(state, "fork-agent", f"""#!/bin/sh
# Starts a rank of the emulated cluster where it belongs: fork-agent PROGRAM ARGUMENTS...
case $(uname -n) in
{cases}
esac
if [ "$OMPI_COMM_WORLD_LOCAL_RANK" -lt "$far" ]; then
    exec nsenter --net=/proc/"$pid"/ns/net -- "$@"
fi
exec "$@"
""", 0o755)


def mpirun_command(state, options):
    """Returns mpirun and its arguments for `run`. Writes a host file if the run does not use the nodes' own
    slots."""
    command = [options.mpirun]
    slots = chosen_slots(state.plan, options.per_node)
    # PRRTE cannot distribute ranks round robin over nodes with different numbers of slots.
    by_rank = options.order == "shuffle" or (options.order == "cyclic" and options.release >= 5)
    if by_rank:
        path = _write_for_run(state, "ranks", hostfile_by_rank(slots, options.order, options.seed))
        command += ["--hostfile", path, "--map-by", "seq"]
    else:
        path = state.path("hostfile") if slots == state.plan.slots else _write_for_run(
            state, "hosts", hostfile(slots))
        command += ["--hostfile", path]
        command += ["--map-by", "slot" if options.order == "block" else "node"]
    ranks = options.np
    if ranks is None and by_rank and not {"-n", "-np"} & set(options.command):
        ranks = sum(slots)  # without this mpirun miscounts the sequential list on some shapes
    if ranks is not None:
        command += ["-np", str(ranks)]
    for setting in options.env:
        if "=" not in setting:
            raise UserError(f"--env {setting}: expected NAME=VALUE")
        command += ["-x", setting]
    return command + options.command


def run(state, node, command, environment, timeout=None):
    """Runs a command on a node. Returns its exit status: 128 + signal if a signal killed it, 124 after a
    timeout.

    Afterwards no process of the run is left on any node.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    record = state.record
    flags = kernel.CLONE_NEWNS | kernel.CLONE_NEWPID
    kernel.join(state.holder, flags | (kernel.CLONE_NEWUSER if record["user_namespace"] else 0))
    supervisor = os.fork()
    if supervisor == 0:
        status = 125
        try:
            kernel.die_with_parent(signal.SIGTERM)
            status = _supervise(state, node, command, environment, timeout)
        except (UserError, OSError) as error:
            print(f"cluster: {error}", file=sys.stderr)
        finally:
            os._exit(status)
    while True:
        number = signal.sigwait(_WATCHED)
        if number != signal.SIGCHLD:
            os.kill(supervisor, number)
            continue
        pid, status = os.waitpid(supervisor, os.WNOHANG)
        if pid:
            break
    if os.WIFSIGNALED(status):
        print("cluster: the run ended because the cluster was taken down", file=sys.stderr)
    return _exit_code(status)


def _exit_code(status):
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _supervise(state, node, command, environment, timeout):
    os.setsid()
    kernel.adopt_orphans()
    lock = os.open(state.path("runs.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    main = os.fork()
    if main == 0:
        _become(state, node, command, environment)
    status, timed_out = _watch(main, timeout)
    _end_descendants(0 if timed_out else _SECONDS_TO_LINGER)
    _clear_leftovers(state, lock)
    if timed_out:
        print(f"cluster: timed out after {timeout:g} s", file=sys.stderr)
        return TIMED_OUT
    return _exit_code(status)


# The machine's own choice of a job starter: containers set `isolated`, which starts no jobs on other nodes.
_OF_THE_MACHINE = ("OMPI_MCA_plm", "PRTE_MCA_plm")


def _become(state, node, command, environment):
    """Turns the process into a command on a node. Does not return."""
    own = {name: value for name, value in os.environ.items() if name not in _OF_THE_MACHINE}
    try:
        kernel.join(state.record["nodes"][node], kernel.NODE_NAMESPACES)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
        os.execvpe(command[0], command,
                   {**environment, **own, "TMPDIR": state.path("nodes", node_name(node))})
    except OSError as error:
        print(f"cluster: {command[0]}: {error.strerror or error}", file=sys.stderr)
    finally:
        os._exit(127)


def _watch(main, timeout):
    """Waits for the main process and forwards signals. Returns its wait status and whether time ran out.

    Kills it at a second ending signal, or if it does not obey one in time.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    timed_out = ending = False
    while True:
        left = 3600 if deadline is None else max(0, deadline - time.monotonic())
        found = signal.sigtimedwait(_WATCHED, left)
        pid, status = os.waitpid(main, os.WNOHANG)
        if pid:
            return status, timed_out
        number = found.si_signo if found else None
        if number in _FORWARDED and not (number in _ENDING and ending):
            os.kill(main, number)
        elif number == signal.SIGCHLD or (number is None and deadline is None):
            _collect_orphans(main)
            continue
        elif number is None and not ending:
            timed_out = True
            os.kill(main, signal.SIGTERM)
        elif number is None or number in _ENDING:
            os.kill(main, signal.SIGKILL)
            deadline = None
            continue
        if not ending and (number is None or number in _ENDING):
            ending = True
            deadline = time.monotonic() + _SECONDS_TO_OBEY


def _collect_orphans(main):
    """Reaps adopted processes but leaves the main one's status for _watch."""
    for pid in kernel.descendants(os.getpid()):
        if pid != main:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _end_descendants(linger_seconds):
    """Gives the remains of the run some time to end, then kills them."""
    def none_left():
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        return not kernel.descendants(os.getpid())

    kernel.wait_until(none_left, linger_seconds)
    while not none_left():
        for pid in kernel.descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _clear_leftovers(state, lock):
    """Empties the nodes' shared memory and temporary directories, unless another run uses them."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    for node, pid in enumerate(state.record["nodes"]):
        for directory in (f"/proc/{pid}/root/dev/shm", state.path("nodes", node_name(node))):
            for entry in os.scandir(directory):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with contextlib.suppress(OSError):
                        os.unlink(entry.path)


def count_processes(state):
    """Returns the number of user processes in the cluster, or None if it is not visible from here."""
    own = {"strata-cluster", "strata-node", "relay"}
    try:
        namespace = os.stat(f"/proc/{state.holder}/ns/pid").st_ino
    except OSError:
        return None
    count = 0
    for pid in kernel.processes():
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}/ns/pid").st_ino == namespace:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                    count += file.read().strip() not in own
    return count
