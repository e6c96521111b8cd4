"""One run of the tuner, step by step; it continues an interrupted run."""

import hashlib
import os
import shutil

from ..measuring import place
from ..measuring.cluster import ClusterError
from ..measuring.files import read_json, write_json
from ..measuring.store import Store

from . import hierarchy, links, plans, rules
from .cells import Cell
from .jobs import Jobs
from .race import Budget, Race

_LINKS_SHARE = 0.2  # share of the budget
_FINISHED = "finished.json"


class Session:
    """State of a run. Its steps: look, measure_links, plan, race, check_rules, put_in_force, done."""

    def __init__(self, options, built, runner, folder, progress):
        self.options, self.folder, self.progress = options, folder, progress
        self.parameters = place.parameters(options, runner, folder)
        if "rules" in self.parameters:
            raise ClusterError("--parameter rules=...: --rules names the file")
        self.jobs = Jobs(runner, built, self.parameters, folder)
        self.written = os.path.join(folder, f"{options.site}-rules.json")
        self.checked = self.written + ".checked"
        self.in_force = _in_force(options.rules, self.written)
        self.topo, self.probe = built.tool("bin/strata-topo"), built.tool("bench/link_probe")
        self.settings = {"place": runner.plan.to_json(), "parameters": options.parameter, "operations": [*options.op],
                         "sizes": [*options.sizes], "candidates": options.candidates,
                         "rules": _digest(self.in_force), "build": place.build_digest(built, self.topo, self.probe)}
        self.cells_folder = os.path.join(folder, "check-cells" if options.check else "cells")
        if options.anew or _is_finished(self.cells_folder, self.in_force):
            self.done()
        self.store = Store(self.cells_folder, self.settings)
        self.budget = Budget(options.budget, (self.store.load("spent") or {"seconds": 0})["seconds"])
        self.links, self.defaults, self.cells = [], {}, []

    def look(self):
        """Reads the hierarchy and the file in force."""
        self.progress.show("reading the hierarchy")
        dump = os.path.join(self.folder, "hierarchy.json")
        self.startup = self.jobs.picture(dump)
        picture = read_json(dump)
        self.levels = hierarchy.levels_of(picture)
        self.shape = rules.Shape(picture["ranks"], hierarchy.shape_text(picture),
                                 tuple((level.kind, level.participants) for level in self.levels))
        self.order = "ranks in block order" if hierarchy.is_block(picture) else "ranks in another than block order"
        self.defaults = {one["level"]: one for one in picture.get("links", ())}  # no rules were in force
        self.planner = self._planner(dump)
        self.others = {}  # planners of the same job with its ranks in other orders
        for order in ("block", "cyclic"):
            if (other := hierarchy.dealt(picture, order == "cyclic")) != picture:
                path = os.path.join(self.folder, f"hierarchy-{order}.json")
                write_json(path, other)
                self.others[order] = self._planner(path)
        self.file = rules.read(self.in_force, self.shape)

    def _planner(self, dump):
        return plans.Planner(self.topo, dump, f"{self.options.candidates:.0%}")

    def measure_links(self):
        wanted = self.levels if self.options.measure_links else links.unknown(self.levels, self.file.links)
        if known := self.store.load("links"):
            self.links = [links.Link.from_json(one) for one in known["links"]]
        elif wanted:
            self.progress.show("measuring the links", self.budget.left, self.budget.spent / self.budget.seconds)
            self.links = links.measure(wanted, self.jobs.run, self.probe, self.folder,
                                       _LINKS_SHARE * self.options.budget)
            self.store.save("links", {"links": [one.to_json() for one in self.links]})
            self._save_spent()
            self.progress.step(f"links measured: {', '.join(one.level for one in self.links)}")
        self.links_before = self.file.links
        self.file.links = links.merged(self.file.links, self.links)

    def plan(self):
        """Writes a file with the measured links and the rules that were in force."""
        current = self.in_force
        if self.links:
            current = os.path.join(self.folder, "measured-rules.json")
            self.file.write(current, self.shape, "what bench/tune measures with")
        self.jobs.use_rules(current)
        found = self._plans(current)
        if self.links:
            before = {one.name: one for one in self._plans(self.in_force)}
            found = [plans.with_before(one, before[one.name]) for one in found]
        self.cells = [Cell(one) for one in found]
        for cell in self.cells:
            cell.restore(self.store.load(cell.name))
        if not self.options.check:
            self._bar_what_hangs_on_the_order(current)

    def _bar_what_hangs_on_the_order(self, path):
        """Bars "forward" from rules where it depends on the order of ranks. A rule holds for any order;
        Open MPI's algorithms ignore where ranks are, and may be many times slower in another order than in
        the measured one."""
        for order, planner in self.others.items():
            found = {one.name: one for one in self._plans(path, planner)}
            for cell in self.cells:
                if why := plans.hangs_on_order(cell.plans, found[cell.name], order):
                    cell.barred[plans.forward_of(cell.plans).name] = why

    def _plans(self, path, planner=None):
        return (planner or self.planner).plans(self.options.op, self.options.sizes, path)

    def race(self):
        def launch(operation, work, repetitions):
            return self.jobs.launch(operation, work, repetitions, self.budget.left)

        Race(self.cells, launch, self.budget, self.progress, self._save, self.startup).run()

    def _save(self, cell):
        self.store.save(cell.name, cell.to_json())
        self._save_spent()

    def _save_spent(self):
        self.store.save("spent", {"seconds": self.budget.spent})

    def check_rules(self, decisions):
        """Writes the rules file beside the one in force. Returns its deviations from the decisions: none if
        all is well."""
        if any(cell.keeps_before for cell in self.cells):
            self.file.links = links.with_shares(self.links_before, self.links)
        limits = {operation: rules.bounds([one.cell.size for one in decisions if one.cell.operation == operation])
                  for operation in self.options.op}
        for one in decisions:
            if one.changes:
                what = rules.choice(one.cell.operation, one.cell.asked(one.name).parameters)
                self.file.paint(one.cell.operation, limits[one.cell.operation][one.cell.size] if one.cell.size
                                else None, what)
        found = self._write_checked(decisions)
        # The shares may change the model's choice, too; then they go.
        if found and self.file.links != self.links_before and any(cell.keeps_before for cell in self.cells):
            self.file.links = self.links_before
            found = self._write_checked(decisions)
        return found

    def _write_checked(self, decisions):
        self.file.write(self.checked, self.shape,
                        "written by bench/tune; its rules are those with the comment 'tuned for ...'")
        return _differing(decisions, self._plans(self.checked))

    def put_in_force(self):
        """Writes the last of all files: with it in force, this run's measurements are those of another
        start. A run that is stopped right after it leaves a note that all was done."""
        write_json(os.path.join(self.cells_folder, _FINISHED), {"rules": _digest(self.checked)})
        os.replace(self.checked, self.written)

    def pause(self):
        """Keeps the state: the next run continues with the unmeasured cells and the whole budget."""
        self.store.save("spent", {"seconds": 0})

    def done(self):
        """Clears the state: the next run is a new one."""
        gone = self.cells_folder + ".old"
        shutil.rmtree(gone, ignore_errors=True)
        if os.path.exists(self.cells_folder):
            os.rename(self.cells_folder, gone)  # all at once: half a folder would not show what is missing
        shutil.rmtree(gone, ignore_errors=True)


def _is_finished(folder, in_force):
    """Returns whether a run had written all its files, the rules last, but was stopped before it could
    clear its state."""
    path = os.path.join(folder, _FINISHED)
    return os.path.exists(path) and read_json(path)["rules"] == _digest(in_force)


def _in_force(wanted, written):
    if wanted == "none":
        return None
    if wanted:
        if not os.path.exists(wanted):
            raise ClusterError(f"--rules {wanted}: no such file")
        return os.path.abspath(wanted)
    return written if os.path.exists(written) else None


def _digest(path):
    if path is None:
        return None
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def _differing(decisions, found):
    """Checks that the model chooses with the file what was decided without it."""
    chosen = {one.name: one.chosen for one in found}
    texts = []
    for one in decisions:
        wanted, found_here = one.cell.asked(one.name), chosen[one.cell.name]
        if found_here.parameters != wanted.parameters:
            texts.append(f"{one.cell.name}: the rules would choose {found_here.name}, decided was {wanted.name}")
    return texts
