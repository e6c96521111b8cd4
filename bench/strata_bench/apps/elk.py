from .application import NUMBER, Application, found, numbered, read, write


class Elk(Application):
    """All electrons in linearised plane waves. The ranks share the k-points; every rank repeats most other
    work, so that communication takes little of the time."""

    name = "elk"
    title = "Elk: all electrons of four aluminium atoms, 16 k-points, 3 loops"
    traffic = "little: Bcast of eigenvalues from every rank, Allreduce of densities of 128 KiB"
    program = "elk-lapw"
    files = ("/usr/share/elk-lapw/species/Al.in",)
    environment = (("OMP_NUM_THREADS", "1"),)
    tolerance = 1e-8  # it prints ten digits, also of eigenvalues near 0
    seconds = 5
    _input = """\
tasks
  0

maxscl
  3

ngridk
  4 4 2

vkloff
  0.25 0.5 0.625

rgkmax
  5.0

sppath
  '/usr/share/elk-lapw/species/'

avec
  1.0 0.0 0.0
  0.0 1.0 0.0
  0.0 0.0 1.0

scale
  7.65

atoms
  1
  'Al.in'
  4
  0.0 0.0 0.00  0.0 0.0 0.0
  0.5 0.5 0.01  0.0 0.0 0.0
  0.5 0.0 0.50  0.0 0.0 0.0
  0.0 0.5 0.50  0.0 0.0 0.0

"""

    def write_input(self, folder):
        write(folder, "elk.in", self._input)

    def command(self, _ranks):
        return [self.program]

    def read_output(self, _text, folder):
        """Returns energies, charges and all eigenvalues."""
        text = read(folder, "INFO.OUT")
        found(r"^\| Elk version \S+ (stopped) \|", text, "end")
        numbers = {}
        for name in ("Fermi", "sum of eigenvalues", "Coulomb", "Hartree", "exchange", "total energy",
                     "interstitial"):
            numbers |= numbered(rf"^ {name} +: +({NUMBER}) *$", text, name, 3)
        numbers |= numbered(rf"^ +\d+ +({NUMBER}) +{NUMBER} *$", read(folder, "EIGVAL.OUT"), "eigenvalue", 100)
        spent = found(rf"^ potential calculation +: +({NUMBER})", text, "time")
        return numbers, {"potential, as it reports": float(spent[1])}
