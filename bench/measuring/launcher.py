"""The user's own way to start a job, in place of the emulated cluster: mpirun or srun with its options."""

import os
import shlex
import shutil

from .cluster import ClusterError, run_logged
from .competitors import clean_environment


class Launcher:
    """Looks like a Cluster to whoever runs programs. Parameters of Open MPI travel in the environment, which both
    mpirun and srun pass on."""

    def __init__(self, text):
        self._text = text
        try:
            self._call = shlex.split(text)
        except ValueError as error:
            raise ClusterError(f"--launcher '{text}': {error}") from error
        if not self._call or not shutil.which(self._call[0]):
            raise ClusterError(f"--launcher '{text}': there is no program '{(self._call or [''])[0]}'")

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
        environment = clean_environment()
        environment.update(competitor.environment)
        environment.update(as_environment(competitor.options))
        if os.geteuid() == 0:
            environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return run_logged([*self._call, *command], environment, log, timeout, directory, whole_session=True)


def as_environment(options):
    """--mca NAME VALUE ... as variables; of a parameter given twice the last one holds."""
    if len(options) % 3 or set(options[::3]) - {"--mca"}:
        raise ValueError(f"not parameters of Open MPI: {' '.join(options)}")
    return {f"OMPI_MCA_{name}": value for name, value in zip(options[1::3], options[2::3])}
