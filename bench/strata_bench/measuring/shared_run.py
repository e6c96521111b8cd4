"""One run of collective_latency that several competitors share, repetition by repetition.

All competitors thus see the same conditions, and run-to-run differences (places of processes and buffers,
open connections) affect all alike. Each has its own communicator, made with an info object. Open MPI's log
(coll_base_verbose) shows whether the named component serves it, and the plugin's log shows the plugin's
choice.
"""

import dataclasses
import glob
import os
import re

from .competitors import explaining, with_parameters
from .files import read_json_lines, write_json
from .series import Series, engine_was_given, is_passed_at_every_size, plans_in, reason_against

_NEW = re.compile(r"\[(\S+)\] coll:base:comm_select: new communicator: .*\(cid (\d+)\)")
_ASKS = re.compile(r"\[(\S+)\] coll:base:comm_select: Checking all available modules")
_SELECTED = re.compile(r"\[(\S+)\] coll:base:comm_select: selecting\s+(\w+), priority\s+-?\d+, (Enabled|Disabled)")
_DECLINED = re.compile(r"\[(\S+)\] coll:base:comm_select: component not available: (\w+)")
_NEVER_BLOCKING = ("libnbc", "self", "inter")  # components that do not do what is measured, or do it alone
_PLUGIN = "strata"

# Least time of each contender at each size, which repeats short operations more often. All ranks wait for
# each other before each repetition, some milliseconds, so that more would cost minutes.
_LEAST_SECONDS = "0.01"


@dataclasses.dataclass
class Job:
    """One operation, and the sizes at which each competitor measures it."""

    operation: str
    root: str  # as collective_latency takes it; None: the operation has none
    wanted: dict  # sizes by name of the competitor; none: it is left out
    series: dict  # results, by name

    def sizes(self):
        return sorted({size for sizes in self.wanted.values() for size in sizes})

    def to_file(self):
        sizes = self.sizes()
        except_at = {name: left_out for name, its in self.wanted.items()
                     if (left_out := [size for size in sizes if size not in its])}
        return {"op": self.operation, **({"root": self.root} if self.root else {}), "sizes": sizes, "except": except_at}

    def only(self, name):
        return dataclasses.replace(self, wanted={name: self.wanted.get(name, ())})


class Account:
    """Components that serve each communicator, from the logs of a run's processes (coll_base_verbose 10).

    Output through mpirun comes in pieces, and pieces of several processes mix, so a missing line proves
    nothing. A process therefore differs from others if it logs another component, not if it logs fewer.
    That is enough for MPI's own communicators; every process writes to its own file while the measured
    communicators are made.
    """

    def __init__(self, errors):
        # By communicator. Numbers are reused, but measured communicators live to the end, so the last line
        # holds.
        self._enabled = {}  # by process: components, in their order
        self._without = {}  # by process: components that are not available or disabled
        making = {}  # by process: the communicator
        for line in errors.splitlines():
            if found := _NEW.search(line):
                making[found[1]] = (int(found[2]), True)
                self._enabled.setdefault(int(found[2]), {})[found[1]] = []
                self._without.setdefault(int(found[2]), {})[found[1]] = set()
            elif found := _ASKS.search(line):
                communicator, is_new = making.get(found[1], (None, False))
                making[found[1]] = (communicator if is_new else None, False)  # else: the line above is missing
            elif found := _SELECTED.search(line) or _DECLINED.search(line):
                self._note(making.get(found[1], (None, False))[0], *found.groups())

    def _note(self, communicator, process, component, state="Disabled"):
        if communicator is None or component in _NEVER_BLOCKING:
            return
        if state == "Enabled":
            self._enabled[communicator][process].append(component)
        else:
            self._without[communicator][process].add(component)

    def serving(self, communicator):
        """Returns the components, one unless processes differ; none without a log. The last selected
        component serves."""
        every = self._enabled.get(communicator, {})
        last = {process: its[-1] for process, its in every.items() if its}
        replaced = {component for its in every.values() for component in its[:-1]}
        serving = set(last.values()) - replaced or set(last.values())
        return serving | {own for process, own in last.items() if serving & self._without[communicator][process]}

    def communicators_of(self, component):
        return {communicator for communicator in self._enabled if component in self.serving(communicator)}


class SharedRun:
    """`runner` is a Cluster or Launcher. `places` and `program_options` place the ranks for the one and the
    other. `folder` holds logs."""

    def __init__(self, runner, program, places, program_options, folder):
        self._runner, self._program, self._folder = runner, program, folder
        self._places, self._options = places, program_options

    def measure(self, competitors, jobs, repetitions, name, seconds, explained):
        """Runs all jobs, with competitors that start alike in one run. Stores results, and the reasons why
        competitors are given up, in the jobs' series. `name` is that of the logs. Ends a run after
        `seconds`. `explained` logs and checks the serving components."""
        starts = {}
        for one in competitors:
            if any(job.wanted.get(one.name) for job in jobs):
                starts.setdefault((one.options, one.environment), []).append(one)
        for number, group in enumerate(starts.values(), 1):
            label = f"{name}-{number}" if len(starts) > 1 else name
            self._measure_group(group, jobs, repetitions, label, seconds, explained)

    def _measure_group(self, group, jobs, repetitions, name, seconds, explained):
        def run(members, its_jobs, label):
            return _Attempt(self, members, its_jobs, repetitions, label, seconds, explained)

        attempt = run(group, jobs, name)
        if attempt.ended():
            attempt.deliver()
            return
        # One competitor brought the run down. The others, which do not fail alone, continue.
        alone_failed = False
        for one in group:
            mine = [job.only(one.name) for job in jobs if job.wanted.get(one.name)]
            if not mine:
                continue
            alone = run([one], mine, f"{name}-{one.name}") if len(group) > 1 else attempt
            if len(mine) > 1 and not alone.ended():
                for number, job in enumerate(mine, 1):
                    single = run([one], [job], f"{name}-{one.name}-{number}")
                    single.deliver(final=True)
                    alone_failed = alone_failed or not single.ended()
            else:
                alone.deliver(final=True)
                alone_failed = alone_failed or not alone.ended()
        if not alone_failed:
            attempt.blame_plugin()


class _Attempt:
    """One start of the program and its results."""

    def __init__(self, where, competitors, jobs, repetitions, name, seconds, explained):
        # pylint: disable=protected-access  # of one piece
        self._competitors, self._explained = competitors, explained
        self._jobs = [job for job in jobs if any(job.wanted.get(one.name) for one in competitors)]
        self._log = os.path.join(where._folder, "logs", name)
        members = [one.name for one in competitors]
        given = [dataclasses.replace(job, wanted={one: job.wanted.get(one, ()) for one in members})
                 for job in self._jobs]
        write_json(self._log + ".contenders.json", [{"name": one.name, "with": one.program[-1] if one.program else "mpi",
                                          "info": dict(one.info)} for one in competitors])
        write_json(self._log + ".cells.json", [job.to_file() for job in given])
        if os.path.exists(self._log + ".json"):
            os.unlink(self._log + ".json")
        chosen = competitors[0]
        if explained:
            chosen = with_parameters(explaining(chosen), {"coll_base_verbose": "10"})
        command = [where._program, "--contenders", self._log + ".contenders.json", "--cells", self._log + ".cells.json",
                   *where._options, "--warm-up", "1", "--reps", str(repetitions), "--min-time", _LEAST_SECONDS,
                   "--json", self._log + ".json"]
        if explained:
            command += ["--errors", self._log + ".errors"]
        for path in self._error_files():
            os.unlink(path)
        self._run = where._runner.run(where._places, chosen, command, self._log, seconds)
        self._gather_errors()
        self._lines = read_json_lines(self._log + ".json", missing_ok=True)

    def _error_files(self):
        return sorted(glob.glob(glob.escape(self._log) + ".errors.*"))

    def _gather_errors(self):
        """Inserts the ranks' output into the log of the run, before the last lines of mpirun."""
        errors = []
        for path in self._error_files():
            with open(path, encoding="utf-8", errors="replace") as file:
                errors += file.read().splitlines()
            os.unlink(path)
        if errors:
            self._run = dataclasses.replace(self._run, errors="\n".join([*errors, self._run.errors]))
            with open(self._log + ".err", "w", encoding="utf-8") as file:
                file.write(self._run.errors)

    def _records(self, number, name):
        return [line for line in self._lines if "times" in line and (line["cell"], line["contender"]) == (number, name)]

    def _skipped(self, number, name):
        return next((line["skipped"] for line in self._lines
                     if "skipped" in line and (line["cell"], line["contender"]) == (number, name)), "")

    def _complete(self, number, job, name):
        missing = set(job.wanted.get(name, ())) - {line["size"] for line in self._records(number, name)}
        return not missing or bool(self._skipped(number, name))

    def ended(self):
        """Returns whether it ended regularly, perhaps with wrong data of some competitor."""
        return all(self._complete(number, job, one.name) for number, job in enumerate(self._jobs)
                   for one in self._competitors) and (self._run.status == 0 or self._has_mistakes())

    def _has_mistakes(self):
        return any(line.get("wrong_bytes") or line.get("left_early") for line in self._lines)

    def deliver(self, final=False):
        """With `final`, gives up every incomplete competitor."""
        account = Account(self._run.errors) if self._explained else None
        for number, job in enumerate(self._jobs):
            for one in self._competitors:
                series = job.series.get(one.name)
                if series is None or series.given_up or not job.wanted.get(one.name):
                    continue
                for record in self._records(number, one.name):
                    series.add(record)
                series.absent = self._skipped(number, one.name)
                if series.mistakes() or (final and not self.ended()):
                    series.failure = (f"{series.mistakes()}exit status {self._run.status}, see {self._log}.err\n"
                                      f"{self._run.complaint()}")
                elif account and not series.absent:
                    self._check_server(one, series, account)
                    if one.is_plugin and not series.given_up:
                        self._check_plans(job, one, series)

    def _check_server(self, one, series, account):
        """Checks that the named component serves the competitor's communicator, and that the plugin serves
        no others."""
        communicator = next((line["communicator"] for line in self._lines
                             if "communicator" in line and line["contender"] == one.name), None)
        serving = account.serving(communicator)
        if serving != {one.component}:
            why = f"its communicator is served by {', '.join(sorted(serving)) or 'an unknown component'}"
            # A stock component may have nothing to do here, as han on one node.
            series.failure, series.absent = (why, "") if one.is_plugin or not serving else ("", why)
            return
        ours = {line["communicator"] for line in self._lines if "communicator" in line
                for other in self._competitors if other.is_plugin and other.name == line["contender"]}
        if stray := account.communicators_of(_PLUGIN) - ours:
            series.failure = f"the plugin serves communicators that are not its own: {sorted(stray)}"

    def _check_plans(self, job, one, series):
        """Checks that the plugin was used and followed the info object."""
        if one.program[-1:] not in ((), ("mpi",)):
            return  # a mock-up over the plugin calls other operations than the job's
        plans = plans_in(self._run.errors, job.operation, one.name, may_step_aside=True)
        series.note_plans(plans)
        engines = {engine for engine, _ in plans.values()}
        if not plans:
            if one.engine or not is_passed_at_every_size(self._run.errors, job.operation, one.name):
                series.failure = (f"the plugin made no plan for {job.operation}: it was not used\n"
                                  f"{self._run.complaint()}")
        elif one.engine and (why := reason_against(one.engine, self._run.errors, job.operation, one.name)):
            series.absent = f"it cannot do that here: {why}"
        elif one.engine and plans.get(0) == ("forward", ""):
            series.absent = "the plugin passes everything through to the underlying component"
        elif one.engine and not engine_was_given(self._run.errors, job.operation, one.name):
            series.failure = "the plugin ignored its settings: its engine is not from an info key"
        elif one.engine and one.engine not in engines:
            series.absent = f"it cannot do that here, and uses {', '.join(sorted(engines))}"
        elif one.levels and any(len(levels.split(";")[0].split(", ")) > one.levels for _, levels in plans.values()):
            series.failure = f"the plugin ignored its settings: {'; '.join(levels for _, levels in plans.values())}"

    def blame_plugin(self):
        """Records that competitors fail together and not alone, for which the plugin is responsible."""
        for job in self._jobs:
            for one in self._competitors:
                series = job.series.get(one.name, Series())
                if one.is_plugin and not series.failure:
                    series.failure = (f"fails beside others, not alone: exit status {self._run.status}, see "
                                      f"{self._log}.err\n{self._run.complaint()}")

