"""The competitors: the same program, the same mpirun, other collective components."""

import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Competitor:
    name: str
    description: str
    options: tuple = ()  # options of mpirun
    environment: tuple = ()  # (name, value), set in every rank
    is_plugin: bool = False
    program: tuple = ()  # options of collective_latency for a mock-up
    # Where competitors share a run (see `shared`):
    info: tuple = ()  # info (key, value) of its communicator
    component: str = ""  # component that has to serve its communicator
    engine: str = ""  # engine that the plugin has to choose; "": any
    levels: int = 0  # most levels that a plan may have; 0: any number


# An installed plugin and the caller's settings must not change stock.
STOCK = ("--mca", "coll", "^strata")


# Open MPI 4.1's own; 5.0 has it above coll/tuned.
_HAN_BELOW = {"coll_han_priority": "0"}


def tuned():
    return with_parameters(Competitor("tuned", "Open MPI with its flat component (coll/tuned)", STOCK), _HAN_BELOW)


def han():
    return Competitor("han", "Open MPI with its two-level component (coll/han)",
                      STOCK + ("--mca", "coll_han_priority", "100"))


def basic():
    return Competitor("basic", "Open MPI with its simplest component (coll/basic)",
                      ("--mca", "coll", "^strata,tuned,han,adapt,sm"))


def mockup(name, description, base=None):
    """Returns a mock-up of collective_latency over `base` (tuned)."""
    return dataclasses.replace(base or tuned(), name=name, description=description, program=("--with", name))


def strata(plugin_directory, parameters, name="strata", description="Open MPI with the plugin (coll/strata)"):
    """Returns the plugin from a folder. `parameters` are by name, without coll_strata_."""
    path = f"{plugin_directory}:SYSTEM_DEFAULT:USER_DEFAULT"
    plain = Competitor(name, description, (), (("OMPI_MCA_opal_mca_base_component_path", path),), True)
    return with_parameters(plain, {f"coll_strata_{key}": value for key, value in parameters.items()})


_PREFERENCE = "ompi_comm_coll_preference"
_BELOW_ALL = "5"  # a priority


def together(plugin_directory, parameters, lazy_setup=False):
    """Returns function(name, description, component, preference, algorithm, **more) -> Competitor for stock
    competitors and the plugin in one run. There the plugin's priority is below Open MPI's components (so
    that it declines) except on communicators that prefer it: stock communicators, and those that han and
    mock-ups make, are as without the plugin. `parameters` are the plugin's, for all, by name without
    coll_strata_. `lazy_setup`: the plugin passes the first short calls on a communicator through, as for
    users; otherwise it is measured from the first call."""
    path = f"{plugin_directory}:SYSTEM_DEFAULT:USER_DEFAULT"
    plain = Competitor("", "", (), (("OMPI_MCA_opal_mca_base_component_path", path),))
    settled = {} if lazy_setup else {"setup_after": "0"}
    own_ones = {f"coll_strata_{key}": text for key, text in {**settled, **parameters, "priority": _BELOW_ALL}.items()}
    base = with_parameters(plain, {**own_ones, **_HAN_BELOW})

    def make(name, description, component, preference="", algorithm="mpi", **more):
        info = ((_PREFERENCE, preference),) if preference else ()
        return dataclasses.replace(base, name=name, description=description, info=info, component=component,
                                   is_plugin=component == "strata", program=("--with", algorithm), **more)

    return make


def own(competitor, parameters):
    """Returns the same with parameters of the plugin for its communicator alone, without coll_strata_."""
    keys = tuple((f"strata_{name}", value) for name, value in parameters.items())
    return dataclasses.replace(competitor, info=competitor.info + keys)


def with_parameters(competitor, parameters):
    """Returns the same with further parameters of Open MPI, by name."""
    options = tuple(word for name, value in parameters.items() for word in ("--mca", name, value))
    return dataclasses.replace(competitor, options=competitor.options + options)


def explaining(competitor, picture=None):
    """Returns the same, but rank 0 reports every plan on standard error and, if requested, draws the
    hierarchy."""
    parameters = {"coll_strata_verbose": "2"}
    if picture:
        parameters["coll_strata_dump"] = picture
    return with_parameters(competitor, parameters)


def clean_environment():
    """Returns the caller's environment without settings that would change the component."""
    return {name: value for name, value in os.environ.items() if not changes_component(name)}


def changes_component(variable):
    return variable.startswith("OMPI_MCA_coll") or variable == "OMPI_MCA_opal_mca_base_component_path"
