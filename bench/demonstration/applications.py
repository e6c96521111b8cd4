"""Real programs from Debian packages, run with and without the plugin; their numbers must agree.

To add one, write a class with the members of `Lammps` and put it into ALL.
"""

import collections
import dataclasses
import os
import random
import re
import statistics

from measuring.competitors import explaining

_PLAN = re.compile(r"coll:strata: .+? ([a-z]+) of \d+ bytes from rank \d+: ([a-z]+)")


class Lammps:
    """Molecular dynamics. Rank 0 reads atoms and potential and broadcasts them, in pieces of some 64 KiB."""

    name = "lammps"
    title = "LAMMPS: aluminium crystal read from a file, 10 steps of molecular dynamics"
    program = "lmp"
    tolerance = 1e-11  # relative; sums over ranks may be taken in another order
    _cells = 24  # per edge, four atoms each
    _input = """\
units metal
boundary p p p
atom_style atomic
read_data crystal.data
pair_style eam/fs
pair_coeff * * /usr/share/lammps/potentials/AlFe_mm.eam.fs Al
velocity all create 600.0 4928459 loop all
fix motion all nve
thermo 5
thermo_style custom step temp pe ke etotal press
thermo_modify format float %.15g
run 10
"""

    def write_input(self, folder):
        """The input files, the same every time."""
        edge, chance = 4.05, random.Random(1)  # angstrom
        corners = ((0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5))
        cells = range(self._cells)
        atoms = [[(cell + part) * edge + chance.uniform(-0.05, 0.05) for cell, part in zip((x, y, z), corner)]
                 for x in cells for y in cells for z in cells for corner in corners]
        with open(os.path.join(folder, "crystal.data"), "w", encoding="utf-8") as file:
            file.write(f"face-centred cubic crystal\n\n{len(atoms)} atoms\n1 atom types\n\n")
            for axis in "xyz":
                file.write(f"0 {self._cells * edge} {axis}lo {axis}hi\n")
            file.write("\nMasses\n\n1 26.98\n\nAtoms # atomic\n\n")
            for number, place in enumerate(atoms, 1):
                file.write(f"{number} 1 " + " ".join(f"{coordinate:.12f}" for coordinate in place) + "\n")
        with open(os.path.join(folder, "crystal.in"), "w", encoding="utf-8") as file:
            file.write(self._input)

    def command(self):
        return [self.program, "-in", "crystal.in", "-log", "none"]

    def read_output(self, text):
        """(numbers by name as printed, seconds by name). Raises ValueError if the run is not complete."""
        table = re.search(r"^\s*(Step .*)\n((?:\s*[-0-9].*\n)+)Loop time of (\S+)", text, re.MULTILINE)
        reading = re.search(r"read_data CPU = (\S+) seconds", text)
        neighbours = re.search(r"Total # of neighbors = (\d+)", text)
        if not (table and reading and neighbours):
            raise ValueError("its output is not complete")
        names = table[1].split()
        numbers = {"neighbours": neighbours[1]}
        for row in table[2].splitlines():
            values = row.split()
            for name, value in zip(names[1:], values[1:]):
                numbers[f"{name} at step {values[0]}"] = value
        return numbers, {"reading the atoms": float(reading[1]), "10 steps": float(table[3])}


ALL = (Lammps(),)


@dataclasses.dataclass
class Comparison:
    """One application, stock and strata."""

    title: str
    tolerance: float
    times: dict = dataclasses.field(default_factory=dict)  # seconds by label: (list of stock, list of strata)
    numbers: dict = dataclasses.field(default_factory=dict)  # of the first stock run
    identical: int = 0  # numbers equal as printed in all runs
    worst: float = 0.0  # greatest relative difference
    where: str = ""  # the number that differs most
    plans: str = ""
    failure: str = ""

    def speed_up(self, label):
        stock, strata = self.times[label]
        return statistics.median(stock) / statistics.median(strata)

    def succeeded(self):
        return not self.failure and self.worst <= self.tolerance

    def verdict(self):
        count = len(self.numbers)
        if self.identical == count:
            return f"All {count} results are the same with and without the plugin, to the last printed digit."
        text = (f"{self.identical} of {count} results are the same to the last digit, the others to "
                f"{self.worst:.1e} ({self.where})")
        return text + ("." if self.succeeded() else f": MORE THAN {self.tolerance:.0e}.")

    def compare(self, numbers):
        """Takes in the numbers of another run."""
        if not self.numbers:
            self.numbers, self.identical = numbers, len(numbers)
            return
        if numbers.keys() != self.numbers.keys():
            raise ValueError("it printed other results than before")
        same = 0
        for name, text in numbers.items():
            if text == self.numbers[name]:
                same += 1
                continue
            one, other = float(text), float(self.numbers[name])
            # `not <=` so that a NaN counts as different.
            difference = abs(one - other) / max(abs(one), abs(other), 1e-300)
            if not difference <= self.worst:
                self.worst, self.where = (difference if difference == difference else float("inf")), name
        self.identical = min(self.identical, same)

    def to_json(self):
        return dataclasses.asdict(self)


def describe_plans(errors):
    """From rank 0's explanations: "bcast 3 sizes tree, allreduce 1 size forward"."""
    counts = collections.Counter(_PLAN.findall(errors))
    return ", ".join(f"{operation} {count} size{'s' * (count > 1)} {engine}"
                     for (operation, engine), count in counts.items())


def compare(application, cluster, stock, strata, repetitions, folder, announce):
    """Runs an application in turn with both. `announce(text)` is called before each run."""
    title = f"{application.title} ({cluster.ranks} ranks, block order)"
    comparison = Comparison(title, application.tolerance)
    work = os.path.join(folder, application.name)
    os.makedirs(work, exist_ok=True)
    application.write_input(work)
    for repetition in range(1, repetitions + 1):
        for place, competitor in enumerate((stock, strata)):
            who = ("stock", "strata")[place]
            announce(f"{application.name}, {who}, run {repetition} of {repetitions}")
            chosen = explaining(competitor) if place and repetition == 1 else competitor
            log = os.path.join(folder, "logs", f"{application.name}-{who}-{repetition}")
            run = cluster.run(("--order", "block"), chosen, application.command(), log, 120, work)
            try:
                if run.status:
                    raise ValueError(f"exit status {run.status}, see {log}.err\n{run.complaint()}")
                numbers, seconds = application.read_output(run.output)
                comparison.compare(numbers)
            except ValueError as error:
                comparison.failure = f"{who}: {error}"
                return comparison
            for label, value in {**seconds, "everything, mpirun included": run.seconds}.items():
                comparison.times.setdefault(label, ([], []))[place].append(value)
            if chosen is not competitor:
                comparison.plans = describe_plans(run.errors)
                if not comparison.plans:
                    comparison.failure = "the plugin made no plan: it was not used"
                    return comparison
    return comparison
