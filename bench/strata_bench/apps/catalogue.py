"""All applications. To add one, write a class with the members of `Application` and put it into ALL."""

import os
import shutil

from .elk import Elk
from .lammps import Lammps
from .mpqc import Mpqc
from .quantum_espresso import QuantumEspresso

ALL = {application.name: application for application in (QuantumEspresso(), Lammps(), Mpqc(), Elk())}


def missing(application):
    """The first file that it needs and that is not here, or an empty text."""
    if not shutil.which(application.program):
        return application.program
    return next((path for path in application.files if not os.path.exists(path)), "")


def purpose(application):
    """That of its packages, in component/packaging/debian-packages."""
    return f"apps-{application.name}"
