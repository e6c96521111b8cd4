"""The suites. Each module has TITLE (what it is and where it comes from), and
prepare(workshop) -> (tests, notes): makes the suite ready in its work folder, or raises Unavailable. Notes
say what of it cannot run at all with this MPI, whether with the plugin or without. EXPLAINED, if there is
one: name of a test -> some verdicts.Explanation."""
from . import blacs, boost_mpi, hpcc, mpi4py, mpich, pblas, scalapack

SUITES = {"mpich": mpich, "boost-mpi": boost_mpi, "mpi4py": mpi4py, "blacs": blacs, "pblas": pblas,
          "scalapack": scalapack, "hpcc": hpcc}
