"""The suites. Each module has TITLE (the suite and its origin), and prepare(workshop) -> (tests, notes): prepares
the suite in its work folder, or raises Unavailable. Notes name the parts that cannot run with this MPI, with or
without the plugin. EXPLAINED, if present: name of a test -> some verdicts.Explanation."""
from . import blacs, boost_mpi, hpcc, mpi4py, mpich, pblas, scalapack

SUITES = {"mpich": mpich, "boost-mpi": boost_mpi, "mpi4py": mpi4py, "blacs": blacs, "pblas": pblas,
          "scalapack": scalapack, "hpcc": hpcc}
