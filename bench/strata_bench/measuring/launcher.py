"""The user's own job starter in place of the emulated cluster: mpirun or srun with its options."""

import os
import re
import shlex
import shutil

from ..cluster.support import reported_release

from .cluster import ClusterError, run_logged
from .competitors import changes_component, clean_environment

# Recognised by name, which distributions extend: mpirun.openmpi, mpirun-5.0.7. A user's script must not run
# once more only for its version.
_MPIRUN = re.compile(r"(mpirun|mpiexec|orterun|prterun)(\.openmpi)?(-[0-9][0-9.]*)?")
_LIST = "OMPI_MCA_mca_base_env_list"


class Launcher:
    """Has the interface of Cluster for running programs. Parameters of Open MPI travel in the environment.
    srun and Open MPI 4's mpirun pass it on; later releases of mpirun pass only listed names to other nodes.
    A script has to pass them itself."""

    def __init__(self, text):
        self._text = text
        try:
            self._call = shlex.split(text)
        except ValueError as error:
            raise ClusterError(f"--launcher '{text}': {error}") from error
        if not self._call or not shutil.which(self._call[0]):
            raise ClusterError(f"--launcher '{text}': there is no program '{(self._call or [''])[0]}'")
        self._needs_list = _needs_list(self._call[0])

    kept = False  # unlike a cluster

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def plan(self):
        return self

    def to_json(self):
        return {"launcher": self._text}

    def run(self, _places, competitor, command, log, timeout, directory=None):
        own = dict(competitor.environment) | as_environment(competitor.options)
        environment = clean_environment() | own
        if self._needs_list:
            environment[_LIST] = ";".join([*_listed(environment.get(_LIST, "")), *own])
        if os.geteuid() == 0:
            environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return run_logged([*self._call, *command], environment, log, timeout, directory, whole_session=True)


def _needs_list(program):
    """Returns the list as for a mpirun of unknown release: MPI implementations other than Open MPI ignore
    it."""
    if not _MPIRUN.fullmatch(os.path.basename(program)):
        return False
    release, _ = reported_release(program)
    return release is None or release >= 5


def _listed(text):
    """Returns the user's own list, without names that the benchmark controls (clean_environment)."""
    return [entry for entry in text.split(";") if entry and not changes_component(entry.partition("=")[0])]


def as_environment(options):
    """Converts --mca NAME VALUE ... to variables; the last value of a repeated parameter holds."""
    if len(options) % 3 or set(options[::3]) - {"--mca"}:
        raise ValueError(f"not parameters of Open MPI: {' '.join(options)}")
    return {f"OMPI_MCA_{name}": value for name, value in zip(options[1::3], options[2::3])}
