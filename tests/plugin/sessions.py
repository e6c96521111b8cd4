#!/usr/bin/env python3
"""Tests ten MPI sessions one after the other (Open MPI 5.0). Inside another open session, where stock Open MPI
always passes, all must pass. When Open MPI itself ends and starts again with each session, stock fails too: jobs
with the plugin must not fail clearly more often, and never with wrong data."""
import math
import re
import sys

from job import SKIPPED, Failure, Outcome, Paths, check, conclude, synthetic, run

RANKS = 4
SESSIONS = 10
JOBS = 10
TOO_RARE = 0.01  # probability if the plugin makes no difference
SETTINGS = synthetic(2, 2) | {"coll_strata_verbose": "2"}


def served(outcome):
    """Counts sessions by rank 0's log of the first broadcast on every communicator."""
    return len(re.findall(r"bcast of 400000 bytes from rank 0: tree", outcome.output))


def one_job(paths, arguments, parameters):
    """Returns the outcome, or an Outcome with status -1 for a hang."""
    try:
        outcome = run(paths, RANKS, "sessions", ["--cycles", str(SESSIONS), *arguments], parameters, timeout=40)
    except Failure as failure:
        if not str(failure).startswith("no end"):
            raise
        return Outcome(-1, str(failure))
    if outcome.status == SKIPPED:
        print("skipped: this MPI has no sessions")
        sys.exit(SKIPPED)
    return outcome


def how_it_ended(outcome):
    if f"sessions: {SESSIONS} passed" in outcome.output and outcome.status == 0:
        return "passed"
    if outcome.status == -1:
        return "no end"
    signal = re.search(r"Signal: ([\w ]+?) *\(", outcome.output) or re.search(r"exited on signal (\d+)", outcome.output)
    return signal.group(1) if signal else f"status {outcome.status}"


def chance(plugin, stock, jobs):
    """Returns the probability that, of all these failures, as many or more hit the plugin's jobs (Fisher's exact
    test)."""
    failures = plugin + stock
    ways = [math.comb(jobs, k) * math.comb(jobs, failures - k) for k in range(max(0, failures - jobs),
                                                                              min(jobs, failures) + 1)]
    return sum(ways[plugin - max(0, failures - jobs):]) / math.comb(2 * jobs, failures)


def within(paths, wanted):
    outcome = one_job(paths, ["--within"], SETTINGS)

    def judge(job):
        job.expect_success()
        job.expect_messages()
        job.expect(how_it_ended(job) == "passed", "the job has not passed")
        job.expect(served(job) == wanted, f"{served(job)} sessions were served by the plugin, expected {wanted}")

    check(outcome, judge)


def restarts(paths):
    ends = {"stock": [], "plugin": []}
    for _ in range(JOBS):  # alternates: both see the same load
        for who, parameters in (("stock", {"coll": "^strata"}), ("plugin", SETTINGS)):
            outcome = one_job(paths, [], parameters)
            ends[who].append(how_it_ended(outcome))
            if who == "plugin":
                judge_job(outcome, ends[who][-1])
    compare(ends)


def compare(ends):
    failures = {}
    for who, all_of_them in ends.items():
        failures[who] = sum(end != "passed" for end in all_of_them)
        print(f"{who}: {failures[who]} of {JOBS} jobs failed: {', '.join(all_of_them)}")
    if chance(failures["plugin"], failures["stock"], JOBS) < TOO_RARE:
        raise Failure("with the plugin jobs fail clearly more often")


def judge_job(outcome, end):
    def judge(job):
        job.expect("wrong" not in job.output, "wrong data")
        job.expect(end != "passed" or served(job) == SESSIONS,
                   f"{served(job)} sessions were served by the plugin, expected {SESSIONS}")

    check(outcome, judge)


CASES = {"within": lambda paths: within(paths, SESSIONS), "can_fail_within": lambda paths: within(paths, SESSIONS + 1),
         "restarts": restarts,
         "can_fail_restarts": lambda paths: compare({"stock": ["passed"] * (JOBS - 2) + ["no end"] * 2,
                                                     "plugin": ["passed"] + ["no end"] * (JOBS - 1)})}
conclude(lambda: CASES[sys.argv[2]](Paths(sys.argv[1])))
