"""All applications. A new one is a class with the members of `Application` and an entry in ALL."""

import os
import shutil

from .elk import Elk
from .lammps import Lammps
from .mpqc import Mpqc
from .quantum_espresso import QuantumEspresso

ALL = {application.name: application for application in (QuantumEspresso(), Lammps(), Mpqc(), Elk())}


def missing(application):
    """Returns the first missing file that the application needs, or an empty text."""
    if not shutil.which(application.program):
        return application.program
    return next((path for path in application.files if not os.path.exists(path)), "")


def purpose(application):
    """Returns the purpose of its packages in component/packaging/debian-packages."""
    return f"apps-{application.name}"
