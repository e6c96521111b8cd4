"""Checks by jobs of their own: is the plugin on, and how long does a job take to start."""

import dataclasses
import enum
import os
import re
import statistics
import time

from ..measuring import competitors, files
from ..measuring.cluster import ClusterError

MORE_SECONDS = 1.0  # that a whole job may take longer with the plugin
_TIMEOUT = 600  # seconds of a job
_PASSED = "forward"  # the dump's word for a call that was passed through
_FRAME = re.compile(r"(.{0,79}[^-])?-{74}")  # of Open MPI's messages; launchers may label lines


class Result(enum.Enum):
    PASSED = "passed"
    FAILED = "FAILED"
    UNDECIDED = "undecided"


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    result: Result
    lines: tuple  # what was found
    table: tuple = ()  # more lines, in columns


def messages(path):
    """Returns Open MPI's framed messages about the plugin in a job's output, a line each."""
    found, text = [], None
    for line in files.read_lines(path) if os.path.exists(path) else []:
        if _FRAME.fullmatch(line.rstrip()):
            if text and any("strata" in one for one in text):
                found += text
            text = None if text else []
        elif text is not None and "coll:strata:" not in line:
            text.append(line)
    return [line for line in found if line.strip()]


def on(runner, contender, built, folder):
    """Runs some calls, and looks for messages and into the job's picture for communicators."""
    log = os.path.join(folder, "logs", "on")
    picture = os.path.join(folder, "logs", "job.json")
    program = [built.program, "--op", "allreduce", "--sizes", "8,64K,1M", "--reps", "12"]
    try:
        runner.run((), competitors.explaining(contender, picture), program, log, _TIMEOUT).require_success()
        job = files.read_json(picture) if os.path.exists(picture) else {"communicators": []}
    except (ClusterError, ValueError) as error:
        return Check("on", Result.FAILED, (f"a job with the plugin: {error}", f"output of the job: {log}.err"))
    complaints = messages(log + ".err") + messages(log + ".out")
    if complaints or not job["communicators"]:
        return Check("on", Result.FAILED, (*complaints, "the job did not use the plugin; strata-info, before the launcher, says what excludes it"
                                           if not job["communicators"] else
                                           "Open MPI's messages about the plugin are above", f"output of the job: {log}.err"))
    calls = [call for one in job["communicators"] for call in one["calls"]]
    served = sum(call["calls"] for call in calls if call["path"] != _PASSED)
    levels = ", ".join(f"{len(level['groups'])} {level['kind']}" for level in job["levels"])
    reasons = sorted({f"passed through: {call['why']}" for call in calls if call["path"] == _PASSED})
    harmless = () if served else ("so this job can show that it does no harm; one on several nodes shows what it gains",)
    return Check("on", Result.PASSED, (f"{job['ranks']} processes; levels: {levels or 'none'}",
                                       f"{served} of {sum(call['calls'] for call in calls)} calls of Allreduce served",
                                       *reasons, *harmless))


def start(runner, contender, built, folder, jobs, show):
    """Times whole jobs without and with the plugin, in turn; once more as many if it looks too slow."""
    seconds = {"without": [], "with": []}
    contenders = {"without": competitors.tuned(), "with": contender}
    program = [built.tool(os.path.join("bench", "start_cost"))]

    def more():
        return statistics.median(seconds["with"]) - statistics.median(seconds["without"])

    for turn in range(2 * jobs):
        if turn == jobs and more() <= MORE_SECONDS:
            break
        for name in sorted(contenders, reverse=turn % 2 == 0):
            show(f"start {turn + 1} of {jobs}, {name} the plugin")
            log = os.path.join(folder, "logs", f"start-{name}-{turn}")
            begin = time.monotonic()
            try:
                runner.run((), contenders[name], [*program, log + ".json"], log, _TIMEOUT).require_success()
            except ClusterError as error:
                return Check("start", Result.FAILED, (f"a job {name} the plugin: {error}", f"output of the job: {log}.err"))
            seconds[name].append(time.monotonic() - begin)
    return Check("start", Result.PASSED if more() <= MORE_SECONDS else Result.FAILED, (
        *(f"{name} the plugin: {statistics.median(values):.2f} s ({min(values):.2f}–{max(values):.2f})"
          for name, values in seconds.items()), f"medians of {len(seconds['with'])} jobs; {MORE_SECONDS:g} s more are allowed"))
