from .application import NUMBER, Application, found, numbered, write


class QuantumEspresso(Application):
    """Plane waves; pools of one rank each share the points of the Brillouin zone."""

    name = "quantum-espresso"
    title = "Quantum ESPRESSO: electrons of aluminium, 28 k-points in one pool per rank"
    traffic = "Bcast of potentials, Allreduce of the density; its sums and broadcasts call Barrier as well"
    program = "pw.x"
    files = ("/usr/share/espresso/pseudo/Al.pz-vbc.UPF",)
    # The last digit of an energy may be rounded differently: 1e-8 Ry of 4, and 1e-4 eV of the bands' 0.2 to
    # 25.
    tolerance = 5e-9
    environment = (("OMP_NUM_THREADS", "1"),)
    seconds = 6
    _input = """\
&control
  calculation = 'scf'
  pseudo_dir = '/usr/share/espresso/pseudo'
  outdir = './out'
  disk_io = 'none'
/
&system
  ibrav = 2, celldm(1) = 7.65, nat = 1, ntyp = 1
  ecutwfc = 40, ecutrho = 240
  occupations = 'smearing', smearing = 'mp', degauss = 0.05
/
&electrons
  conv_thr = 1e-9
/
ATOMIC_SPECIES
  Al 26.98 Al.pz-vbc.UPF
ATOMIC_POSITIONS alat
  Al 0 0 0
K_POINTS automatic
  6 6 6 1 1 1
"""

    def write_input(self, folder):
        write(folder, "aluminium.in", self._input)

    def command(self, ranks):
        return [self.program, "-nk", str(ranks), "-in", "aluminium.in"]

    def read_output(self, text, _folder):
        """Returns energies and the Fermi level, but not the estimated accuracy, a difference of nearly
        equal numbers."""
        found(r"^ +JOB (DONE)\.", text, "end")
        numbers = numbered(rf"^!? +total energy += +({NUMBER}) Ry", text, "total energy", 3)
        for name in ("one-electron", "hartree", "xc", "ewald"):
            numbers[name] = found(rf"^ +{name} contribution += +({NUMBER}) Ry", text, name)[1]
        numbers["Fermi energy"] = found(rf"the Fermi energy is +({NUMBER}) ev", text, "Fermi energy")[1]
        wall = found(rf"^ +PWSCF +:.*CPU +(?:(\d+)m)? *({NUMBER})s WALL", text, "time")
        return numbers, {"as it reports": 60 * float(wall[1] or 0) + float(wall[2])}
