import math

from .application import NUMBER, Application, found, numbered, write


class Mpqc(Application):
    """Quantum chemistry. Every rank has a copy of all matrices; sums and broadcasts keep the copies equal."""

    name = "mpqc"
    title = "MPQC: Hartree-Fock energy of three water molecules, basis 6-31G*"
    traffic = "thousands of Bcast and Allreduce of 64 B to 32 KiB"
    program = "mpqc"
    files = ("/usr/share/mpqc/atominfo.kv", "/usr/share/mpqc/basis/6-31gS.kv")
    tolerance = 1e-11
    seconds = 4
    _molecules = 3

    def write_input(self, folder):
        half, bond, distance = math.radians(104.5 / 2), 0.96, 3.0  # angstrom
        lines = ["method: HF", "basis: 6-31G*", "molecule:"]
        for number in range(self._molecules):
            x, y, z = distance * number, 0.3 * number ** 2, 0.4 * (number % 2)  # no symmetry
            lines.append(f"  O {x:.6f} {y:.6f} {z:.6f}")
            lines += [f"  H {x:.6f} {y + side * bond * math.sin(half):.6f} {z - bond * math.cos(half):.6f}"
                      for side in (1, -1)]
        write(folder, "water.in", "\n".join(lines) + "\n")

    def command(self, _ranks):
        return [self.program, "water.in"]

    def read_output(self, text, _folder):
        found(r"^ +End Time: (.*)", text, "end")
        numbers = numbered(rf"^ *iter +\d+ energy = +({NUMBER}) delta", text, "energy", 5)
        numbers |= numbered(rf"^ *total scf energy = +({NUMBER})", text, "total energy", 2)
        numbers |= numbered(rf"^ *(HOMO|LUMO) is .* = +({NUMBER})", text, "", 4)
        wall = found(rf"^mpqc: +(?:{NUMBER} +){{5}}({NUMBER})", text, "time")
        return numbers, {"as it reports": float(wall[1])}
