#!/usr/bin/env python3
"""Tests one process that fails a step of the start, at any allocation of the plugin from MPI_Init to the end of the
first collective call: all processes pass the calls through together or serve them together, results are right, one
message names the node and the cause, and no process waits. If recovery is impossible the job ends with an
explanation.

    start_failures.py PATHS synthetic|real|boards|dump|can_fail|can_fail_node|can_fail_wait HOW VICTIM [--points N]

dump: on a synthetic topology, with a dump of the hierarchy. boards: on the real node, with shared memory.
"""
import argparse
import re
import socket
import sys
import time

from job import Failure, Paths, check, conclude, synthetic, run

RANKS = 4
# No process waits for a failed one; the extra time of a busy machine for a job of a second is far below this.
MOST_EXTRA_S = 8  # seconds
CAUSES = {
    "missing": "or could not start there",
    "unable": "it had no memory left|an error in the plugin itself|hwloc could not determine its hardware",
}
ENDED = re.compile(r"process \d+ on node (\S+) cannot go on with communicator .+: .+")
STARTED = re.compile(r"start: asked (\d+), failed (\d+), served (\d+) of (\d+) calls")


def numbers(outcome):
    """Returns (requested allocations, whether one failed, calls served, all calls)."""
    found = STARTED.search(outcome.output)
    outcome.expect(found, "the program does not print its counts")
    return tuple(int(number) for number in found.groups())


def judge(outcome, how, node):
    """Returns the outcome of one failure: "left", "served", or "ended"."""
    text = " ".join(outcome.output.split())
    if outcome.status != 0 and how == "lasting":
        ended = ENDED.search(outcome.output)
        outcome.expect(ended and ended[1] == node, f"the job ended, and no message names {node} and the cause")
        return "ended"
    outcome.expect_success()
    _, failed, served, calls = numbers(outcome)
    outcome.expect(failed == 1, "nothing failed")
    if served:
        outcome.expect(served == calls, f"{served} of {calls} calls were served")
        outcome.expect_messages()
        return "served"
    said = {kind: 1 for kind, cause in CAUSES.items() if re.search(cause, text)}
    if how == "other" and not said:  # while it read a parameter, for which process 0 also reports the error
        said = {"settings": 1, "bad_parameters": int("as the test has it in process 0" in text)}
    else:
        outcome.expect(len(said) == 1, f"{len(said)} messages name a cause, expected one")
    outcome.expect_messages(**said)
    outcome.expect(f" {node} " in text, f"the message does not name {node}")
    return "left"


def sample(count, most):
    """Returns the first and the last of `count` points, and others evenly between."""
    if count <= most:
        return list(range(count))
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})


class Start:
    """Jobs in which `victim` fails. `runs`: job.run() or a similar function, without the program. `most_extra`:
    seconds."""

    def __init__(self, runs, how, victim, node, most_extra=MOST_EXTRA_S):
        self._runs, self._how, self._victim, self._node = runs, how, victim, node
        self._most_extra = most_extra

    def _job(self, point):
        begin = time.monotonic()
        outcome = self._runs([f"rank={self._victim}", f"STRATA_FAIL={point}:{self._how}"])
        return outcome, time.monotonic() - begin

    def undisturbed(self):
        """Returns (allocations of the start, its seconds)."""
        outcome, seconds = self._job(-1)
        found = []

        def served(outcome):
            outcome.expect_success()
            outcome.expect_messages()
            found.extend(numbers(outcome))
            outcome.expect(found[0] > 0 and not found[1] and found[2] == found[3] > 0, f"without a failure: {found}")
        check(outcome, served)
        return found[0], seconds

    def _job_that_fails(self, point):
        """Runs with a failure at this allocation, or at the last one if the start makes fewer: the number varies
        slightly."""
        for _ in range(3):
            outcome, seconds = self._job(point)
            started = STARTED.search(outcome.output)
            if not started or int(started[2]) or int(started[1]) > point:
                break
            point = int(started[1]) - 1
        return outcome, seconds

    def fail(self, point, usual):
        """Returns the outcome of a failure at `point`."""
        for _ in range(2):  # a busy machine may delay one run
            outcome, seconds = self._job_that_fails(point)
            became = []
            check(outcome, lambda outcome: became.append(judge(outcome, self._how, self._node)))
            if seconds < usual + self._most_extra:
                return became[0]
        raise Failure(f"allocation {point}, {self._how}: the job took {seconds:.1f} s, {usual:.1f} s without a failure")

    def fail_at(self, most):
        """Runs failures at up to `points` allocations; returns the number of each outcome."""
        count, usual = self.undisturbed()
        tally = {}
        for point in sample(count, most):
            try:
                became = self.fail(point, usual)
            except Failure as failure:
                raise Failure(f"allocation {point} of {count}, {self._how}, rank {self._victim}: {failure}") from None
            tally[became] = tally.get(became, 0) + 1
        if not tally.get("left"):
            raise Failure(f"no failure made the plugin pass calls through: {tally}")
        words = {"left": "passed through", "served": "served", "ended": "ended with a message"}
        print(f"{sum(tally.values())} failures: "
              + ", ".join(f"{tally.get(became, 0)} {word}" for became, word in words.items())
              + f", of {count} allocations of a start")


PARAMETERS = {"coll_strata_allreduce_algorithm": "tree", "coll_strata_setup_after": "0"}


def test(paths, name, how, victim, points):
    # The plugin inspects the real machine in other ways than a synthetic one.
    parameters = PARAMETERS | ({} if name in ("real", "boards") else synthetic(2, 2))
    if name == "boards":
        parameters["coll_strata_allreduce_algorithm"] = "node"
    if name == "dump":
        parameters["coll_strata_dump"] = "/dev/null"
    arguments = {"can_fail": ["--sabotage", "alike"], "can_fail_wait": ["--late", "9"]}.get(name, [])
    node = "elsewhere" if name == "can_fail_node" else socket.gethostname()
    Start(lambda some: run(paths, RANKS, "start_failures", arguments, parameters, some), how, victim, node,
          4 if name == "can_fail_wait" else MOST_EXTRA_S).fail_at(points)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("name")
    parser.add_argument("how", choices=("once", "lasting", "other", "object"))
    parser.add_argument("victim", type=int)
    parser.add_argument("--points", type=int, default=8)
    options = parser.parse_args()
    test(Paths(options.paths), options.name, options.how, options.victim, options.points)


if __name__ == "__main__":
    conclude(main)
