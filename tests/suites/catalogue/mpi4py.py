"""mpi4py's tests of collectives, communicators and operators."""
import os
import re

from obtain import installed_version, require

from .test import Test, ended_badly

TITLE = "mpi4py's tests cco, comm, op and threads (Debian source mpi4py, package python3-mpi4py)"
_MODULES = re.compile(r"test_(cco_\w+|comm\w*|op|threads|util_pkl5)\.py")
_PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for


def prepare(workshop):
    require("python3-numpy")
    workshop.source("mpi4py", installed_version("python3-mpi4py").split("+b")[0], "test/")
    modules = sorted(name[:-3] for name in os.listdir(workshop.path("test")) if _MODULES.fullmatch(name))
    runner = workshop.path("test", "runtests.py")
    call = (_PYTHON, "-B", runner, "--no-builddir", "-v", "-i")
    return [Test("mpi4py", module, 4, (*call, f"^{module}$"), judge,
                 ranks_on_nodes=5, limit=240)
            for module in modules], []


def judge(ended):
    """Every rank prints a unittest report."""
    failed = sorted(set(re.findall(r"^(?:FAIL|ERROR): (\w+ \([\w.]+\))", ended.output, re.MULTILINE)))
    if failed:
        return f"fail ({', '.join(failed)})"
    return ended_badly(ended) or ("pass" if re.search(r"^OK", ended.output, re.MULTILINE) else
                                  "fail (says nothing)")
