"""What is compared: the same program, the same mpirun, other collective components."""

import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Competitor:
    name: str
    description: str
    options: tuple = ()  # of mpirun
    environment: tuple = ()  # (name, value), set in every rank


# An installed plugin, and settings of the caller, must not change what is called stock.
STOCK = ("--mca", "coll", "^strata")


def tuned():
    return Competitor("tuned", "Open MPI as it is (coll/tuned)", STOCK)


def han():
    return Competitor("han", "Open MPI with its two-level component (coll/han)",
                      STOCK + ("--mca", "coll_han_priority", "100"))


def strata(plugin_directory, network_file):
    """The plugin from a folder, told about the switches by a file in the syntax of Slurm's topology.conf."""
    path = f"{plugin_directory}:SYSTEM_DEFAULT:USER_DEFAULT"
    return Competitor("strata", "Open MPI with the plugin (coll/strata)",
                      ("--mca", "coll_strata_network", f"file:{network_file}"),
                      (("OMPI_MCA_opal_mca_base_component_path", path),))


def explaining(competitor, picture=None):
    """The same, but rank 0 reports every plan on standard error and, if asked, draws the hierarchy."""
    options = competitor.options + ("--mca", "coll_strata_verbose", "1")
    if picture:
        options += ("--mca", "coll_strata_dump", picture)
    return dataclasses.replace(competitor, options=options)


def clean_environment():
    """The caller's environment without settings that would change which component is used."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("OMPI_MCA_coll") and name != "OMPI_MCA_opal_mca_base_component_path"}
