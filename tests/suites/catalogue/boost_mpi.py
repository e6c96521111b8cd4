"""Boost.MPI's tests: C++ objects through all collectives."""
import os
import re

from obtain import Unavailable, installed_version, require

from .test import Test, ended_badly

TITLE = "Boost.MPI's tests (Debian source boost1.74, package libboost-mpi-dev)"
_LIBRARIES = ["-lboost_mpi", "-lboost_serialization", "-lpthread"]
# Numbers of ranks if the list gives none (Boost.Build's mpi.jam).
_RANKS = (1, 2, 3, 4, 7, 8, 13, 17)


def prepare(workshop):
    require("libboost-mpi-dev")
    release = re.match(r"\d+\.\d+", installed_version("libboost-mpi-dev"))
    if not release:
        raise Unavailable("libboost-mpi-dev has an unknown version")
    package = f"boost{release[0]}"
    workshop.source(package, None, "libs/mpi/test/", "libs/mpi/example/")
    folder = "libs/mpi/test"
    with open(workshop.path(folder, "Jamfile.v2"), encoding="utf-8") as file:
        listed = read_list(file.read())

    def command(program):
        source = os.path.join(folder, listed[program][0])
        return ["mpicxx.openmpi", "-O0", "-w", source, "-o", program, *_LIBRARIES]

    failed = workshop.compile_all(list(listed), command)
    tests = [Test("boost-mpi", f"{name} {ranks}", ranks, (workshop.path(name),), judge, limit=120)
             for name, (_, numbers) in listed.items() if name not in failed for ranks in numbers]
    notes = [f"not compiled: {' '.join(failed)}"] if failed else []
    return tests, notes


def read_list(text):
    """name -> (source file, numbers of ranks) out of a Jamfile."""
    text = re.sub(r"#.*", "", text)
    found = {}
    for line in re.findall(r"\[ mpi-test ([^\]]*)\]", text):
        name, source, _, ranks = ([part.strip() for part in line.split(":")] + ["", "", ""])[:4]
        found[name] = (source or f"{name}.cpp", tuple(map(int, ranks.split())) or _RANKS)
    return found


def judge(ended):
    return ended_badly(ended) or "pass"
