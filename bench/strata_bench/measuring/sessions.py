"""Ends a command that leads its own session, and all processes that it has started there.

A job starter may be a script that a signal ends before mpirun, and mpirun gives each rank a process group:
only their session contains them all.
"""

import contextlib
import os
import signal

from ..cluster import kernel

_SECONDS_TO_LINGER = 3  # seconds for processes that outlive the command by a little
_SECONDS_TO_DIE = 5  # seconds after SIGKILL; a process that waits for a device may not end

_not_ended = []  # names of commands


def end(process, seconds):
    """Asks its process group to end; kills the rest of the session after some seconds."""
    _signal(os.killpg, process.pid, signal.SIGTERM)
    if kernel.wait_until(lambda: _is_over(process), seconds):
        return

    def is_killed():
        _signal(os.killpg, process.pid, signal.SIGKILL)
        for pid in kernel.session_members(process.pid):  # ranks are in other groups
            _signal(os.kill, pid, signal.SIGKILL)
        return _is_over(process)

    if not kernel.wait_until(is_killed, _SECONDS_TO_DIE):
        _not_ended.append(process)


def end_rest(process, seconds):
    """Does the same after the command has ended by itself."""
    if not kernel.wait_until(lambda: _is_over(process), _SECONDS_TO_LINGER):
        end(process, seconds)


def left():
    """Returns the processes that could not be ended, in words."""
    pids = sorted(pid for process in _not_ended for pid in kernel.session_members(process.pid))
    return f"still running: {', '.join(map(str, pids))}" if pids else "nothing is left running"


def _is_over(process):
    return process.poll() is not None and not kernel.session_members(process.pid)


def _signal(send, target, number):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(target, number)
