"""Checks by jobs of their own: is the plugin on, and how long does a job take to start."""

import dataclasses
import enum
import os
import statistics
import time

from ..measuring import competitors, files
from ..measuring.cluster import ClusterError

MORE_SECONDS = 1.0  # that a job may take longer to start and end with the plugin
_TIMEOUT = 600  # seconds of a job
_PASSED = "forward"


class Result(enum.Enum):
    PASSED = "passed"
    FAILED = "FAILED"
    UNFINISHED = "not finished"


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    result: Result
    lines: tuple  # what was found


def on(runner, contender, built, folder):
    """Runs some calls, and looks into the job's picture for communicators and served calls."""
    picture = os.path.join(folder, "logs", "job.json")
    explained = competitors.explaining(competitors.with_parameters(contender, {"coll_strata_setup_after": "0"}), picture)
    program = [built.program, "--op", "allreduce", "--sizes", "8,64K,1M", "--reps", "3"]
    try:
        runner.run((), explained, program, os.path.join(folder, "logs", "on"), _TIMEOUT).require_success()
        job = files.read_json(picture) if os.path.exists(picture) else {"communicators": []}
    except (ClusterError, ValueError) as error:
        return Check("on", Result.FAILED, (f"a job with the plugin: {error}",))
    if not job["communicators"]:
        return Check("on", Result.FAILED, ("the job did not use the plugin; strata-info shows why",))
    calls = [call for one in job["communicators"] for call in one["calls"]]
    served = sum(call["calls"] for call in calls if call["path"] != _PASSED)
    levels = ", ".join(f"{len(level['groups'])} {level['kind']}" for level in job["levels"])
    reasons = sorted({f"passed through: {call['why']}" for call in calls if call["path"] == _PASSED})
    return Check("on", Result.PASSED, (f"{job['ranks']} processes; levels: {levels or 'none'}",
                                       f"{served} of {sum(call['calls'] for call in calls)} calls of Allreduce served", *reasons))


def start(runner, contender, built, folder, jobs, show):
    """Times whole jobs without and with the plugin, in turn."""
    seconds = {"without": [], "with": []}
    program = [built.tool(os.path.join("bench", "start_cost"))]
    for turn in range(jobs):
        for name, competitor in (("without", competitors.tuned()), ("with", contender)):
            show(f"start {turn + 1} of {jobs}, {name} the plugin")
            log = os.path.join(folder, "logs", f"start-{name}-{turn}")
            begin = time.monotonic()
            try:
                runner.run((), competitor, [*program, log + ".json"], log, _TIMEOUT).require_success()
            except ClusterError as error:
                return Check("start", Result.FAILED, (f"a job {name} the plugin: {error}",))
            seconds[name].append(time.monotonic() - begin)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    kept = medians["with"] - medians["without"] <= MORE_SECONDS
    return Check("start", Result.PASSED if kept else Result.FAILED, (
        *(f"{name} the plugin: {medians[name]:.2f} s ({min(values):.2f}–{max(values):.2f})" for name, values in seconds.items()),
        f"{MORE_SECONDS:g} s more are allowed"))
