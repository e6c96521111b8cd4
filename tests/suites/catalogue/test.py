"""A test of a suite, and how to judge it."""
import dataclasses
import re
from typing import Callable

from jobs import ONE_NODE


@dataclasses.dataclass(frozen=True)
class Test:
    """A program to be run by mpirun in an empty folder."""

    suite: str
    name: str
    ranks: int
    command: tuple
    judge: Callable  # jobs.Ended -> verdict
    ranks_on_nodes: int = 0  # on synthetic nodes, if another number tests more there
    files: tuple = ()  # copied to the folder first
    environment: tuple = ()  # pairs
    limit: int = 60  # seconds

    def ranks_on(self, layout):
        return self.ranks if layout == ONE_NODE else self.ranks_on_nodes or self.ranks


def ended_badly(ended):
    """Returns a verdict if the program crashed or ended with an error, else None. The status itself comes from the
    first rank to exit, which is random; a signal is not."""
    crash = re.search(r"exited on signal (\d+)", ended.output)
    if crash:
        return f"crash (signal {crash[1]})"
    return "fail (exit status)" if ended.status else None


def judged_by_counts(passed, failed):
    """Returns a verdict from numbers of passed and failed cases inside the program."""
    if not failed and passed:
        return "pass"
    return f"fail ({passed} passed, {failed} failed)"
