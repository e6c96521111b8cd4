import random

from .application import Application, found, write


class Lammps(Application):
    """Molecular dynamics. Rank 0 reads atoms and potential and broadcasts them in pieces of some 64 KiB."""

    name = "lammps"
    title = "LAMMPS: aluminium crystal read from a file, 10 steps of molecular dynamics"
    traffic = "Bcast of atoms and potential in pieces of 64 KiB, short Allreduce; neighbours by Send"
    program = "lmp"
    files = ("/usr/share/lammps/potentials/AlFe_mm.eam.fs",)
    tolerance = 1e-11
    seconds = 5
    _cells = 24  # cells per edge, four atoms each
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
        """Writes the input files, the same every time."""
        edge, chance = 4.05, random.Random(1)  # angstrom
        corners = ((0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5))
        cells = range(self._cells)
        atoms = [[(cell + part) * edge + chance.uniform(-0.05, 0.05) for cell, part in zip((x, y, z), corner)]
                 for x in cells for y in cells for z in cells for corner in corners]
        size = self._cells * edge
        lines = ["face-centred cubic crystal", "", f"{len(atoms)} atoms", "1 atom types", "",
                 *(f"0 {size} {axis}lo {axis}hi" for axis in "xyz"), "", "Masses", "", "1 26.98", "",
                 "Atoms # atomic", ""]
        lines += [f"{number} 1 " + " ".join(f"{coordinate:.12f}" for coordinate in place)
                  for number, place in enumerate(atoms, 1)]
        write(folder, "crystal.data", "\n".join(lines) + "\n")
        write(folder, "crystal.in", self._input)

    def command(self, _ranks):
        return [self.program, "-in", "crystal.in", "-log", "none"]

    def read_output(self, text, _folder):
        table = found(r"^\s*(Step .*)\n((?:\s*[-0-9].*\n)+)Loop time of (\S+)", text, "table of steps")
        reading = found(r"read_data CPU = (\S+) seconds", text, "time for reading")
        numbers = {"neighbours": found(r"Total # of neighbors = (\d+)", text, "neighbours")[1]}
        names = table[1].split()
        for row in table[2].splitlines():
            values = row.split()
            for name, value in zip(names[1:], values[1:]):
                numbers[f"{name} at step {values[0]}"] = value
        return numbers, {"reading the atoms": float(reading[1]), "10 steps": float(table[3])}
