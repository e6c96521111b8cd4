"""The jobs that measure with the plugin, on the emulated cluster or by the user's launcher."""

import os

from ..measuring import competitors
from ..measuring.cluster import ClusterError
from ..measuring.files import read_json_lines, write_json
from ..measuring.series import asides_reported, plans_reported

from .plans import FORWARD, info_keys
from .race import Job

ROOT = 0
_PLACES = ("--order", "block")  # on the emulated cluster
_PATIENCE = 30  # seconds beyond the remaining budget


class Jobs:
    """`parameters` are the plugin's; use_rules() adds those of a rules file."""

    def __init__(self, runner, built, parameters, folder):
        self._runner, self._built, self._folder = runner, built, folder
        self._parameters = dict(parameters)
        self._count = 0

    def use_rules(self, path):
        """Sets the file in force; None: none."""
        self._parameters.pop("rules", None)
        if path:
            self._parameters["rules"] = path

    def run(self, command, log, timeout, explained=False, picture=None):
        """`explained`: the plugin reports its plans. `picture`: file for that of the hierarchy."""
        # Short calls before set-up would be measured without a plan.
        chosen = competitors.strata(self._built.plugin_folder, {"setup_after": "0"} | self._parameters)
        if explained or picture:
            chosen = competitors.explaining(chosen, picture)
        return self._runner.run(_PLACES, chosen, command, log, max(1, round(timeout)))

    def picture(self, path):
        """Makes the picture of the hierarchy. Returns the seconds that a job takes before it measures."""
        if os.path.exists(path):
            os.unlink(path)
        command = [self._built.program, "--op", "bcast", "--sizes", "1", "--reps", "1", "--warm-up", "0"]
        done = self.run(command, os.path.join(self._folder, "logs", "hierarchy"), 120, picture=path)
        if done.status:
            raise ClusterError(f"a first job failed with status {done.status}:\n{done.complaint()}")
        if not os.path.exists(path):
            raise ClusterError("the plugin found no levels in this job: there is nothing to tune. Take several nodes, or "
                               "bind the processes, such as with mpirun --bind-to core\n" + done.complaint())
        return done.seconds

    def launch(self, operation, work, repetitions, seconds_left):
        """Measures all contenders of all cells of `work` in one job."""
        self._count += 1
        log = os.path.join(self._folder, "logs", f"{self._count:03d}-{operation}")
        names_by_size = {}  # by the parameters of contenders
        for cell, names in work:
            for name in names:
                names_by_size.setdefault(cell.contender(name).parameters, {})[cell.size] = name
        numbered = {str(number): one for number, one in enumerate(names_by_size.items())}
        listed = [{"name": number, "info": info_keys(parameters), **({"sizes": [*sizes]} if all(sizes) else {})}
                  for number, (parameters, sizes) in numbered.items()]
        write_json(log + ".contenders.json", listed)
        command = [self._built.program, "--op", operation, "--sizes",
                   ",".join(str(cell.size or 1) for cell, _ in work), "--root", str(ROOT), "--contenders",
                   log + ".contenders.json", "--reps", str(repetitions), "--warm-up", "1", "--json", log + ".json"]
        if os.path.exists(log + ".json"):
            os.unlink(log + ".json")
        done = self.run(command, log, max(0, seconds_left) + _PATIENCE, explained=True)
        job = Job(done.seconds)
        _read(log + ".json", numbered, _reported(done.errors, operation), operation, job)
        if done.status and not job.wrong:
            job.failure = f"exit status {done.status}, see {log}.err\n{done.complaint()}"
        return job


def _reported(errors, operation):
    """Returns the plugin's plans by communicator, operation and bytes; none where it steps aside."""
    aside = {(name, operation, 0): (FORWARD, "") for name in asides_reported(errors)}
    return aside | {one[:3]: one[3:] for one in plans_reported(errors)}


def _plan_in(reported, number, operation, size):
    """Returns a contender's plan. Sizes of the same class share a plan, which the plugin reports once; one
    for 0 bytes serves all sizes."""
    if plan := reported.get((number, operation, size)) or reported.get((number, operation, 0)):
        return plan
    alike = sorted(other for name, its, other in reported
                   if (name, its, _class_of(other)) == (number, operation, _class_of(size)))
    below = [other for other in alike if other <= size]
    return reported[number, operation, (below or alike)[-1]] if alike else None


def _class_of(size):
    """Four classes per power of two, as in algorithms/planning/planner.cc."""
    return (size.bit_length(), size >> size.bit_length() - 3) if size >= 8 else (0, size)


def _read(path, numbered, reported, operation, job):
    """Stores the records in `job`. `numbered`: (parameters, names by size); `reported`: the plugin's plans by
    communicator, operation and bytes."""
    for record in read_json_lines(path, missing_ok=True):
        if "times" not in record:
            continue
        number, size = record["contender"], record["size"]
        key = (size, numbered[number][1][size])
        job.times.setdefault(key, []).extend(record["times"])
        if plan := _plan_in(reported, number, operation, record["bytes"]):
            job.plans[key] = plan
        if record["wrong_bytes"]:
            job.wrong[key] = f"{record['wrong_bytes']} wrong bytes"
        elif record["left_early"]:
            job.wrong[key] = "left a Barrier too early"
