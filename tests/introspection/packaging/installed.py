#!/usr/bin/env python3
"""installed.py MPIRUN PATHS CASE: tests that the files of `cmake --install` serve programs built outside this tree."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import outside
from outside import Failure

from job import conclude  # noqa: E402  (its folder is on the path of `outside`)

COMPONENTS = ("library", "dev", "tools")
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES {languages})
find_package(strata-introspection 0.1 REQUIRED {components})
add_executable(gather_combine gather_combine.c levels.c)
target_link_libraries(gather_combine PRIVATE strata::introspection)
add_executable(iterative_reordering iterative_reordering.c)
target_link_libraries(iterative_reordering PRIVATE strata::introspection)
add_executable(in_cxx in_cxx.cc)
target_link_libraries(in_cxx PRIVATE strata::introspection)
"""
# Debian's mpi.h of Open MPI 4.1 needs another library in C++ programs.
IN_CXX = """#include <MPIX_Hardware.h>
#include <MPIX_Reorder.h>
#include <MPI_Monitoring.h>
int main(int argc, char** argv) { return MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS; }
"""
FORTRAN = """add_executable(barrier_messages barrier_messages.f90)
target_link_libraries(barrier_messages PRIVATE strata::introspection-fortran)
"""


def install(paths, prefix, components=COMPONENTS):
    for component in components:
        outside.run(paths["cmake"], "--install", paths["build"], "--prefix", prefix, "--component", component)
    for file in glob.glob(f"{prefix}/**/*.pc", recursive=True) + glob.glob(f"{prefix}/**/*.cmake", recursive=True):
        with open(file, encoding="utf-8") as opened:
            told = opened.read()
        for folder in (paths["source"], prefix):
            if folder in told:
                raise Failure(f"{file} has {folder} in it: it cannot be moved")


def library_folder(prefix):
    """The folder of the compilers' files; the library is in the same one."""
    return os.path.dirname(os.path.dirname(glob.glob(f"{prefix}/**/strata-introspection.pc", recursive=True)[0]))


def with_fortran(prefix):
    return bool(glob.glob(f"{prefix}/**/mpi_monitoring.mod", recursive=True))


def use_by_make(paths, mpirun, scratch, components=COMPONENTS):
    """By pkg-config; the library is found by LD_LIBRARY_PATH."""
    prefix, programs = os.path.join(scratch, "prefix"), os.path.join(scratch, "programs")
    install(paths, prefix, components)
    libraries = library_folder(prefix)
    outside.make(f"{prefix}/share/doc/libstrata-introspection-dev/examples", programs, paths["mpicxx"], with_fortran(prefix),
                 {"PKG_CONFIG_PATH": f"{libraries}/pkgconfig"})
    os.environ["LD_LIBRARY_PATH"] = libraries
    outside.judge(mpirun, f"{prefix}/bin/strata-monitor", programs, with_fortran(prefix))


def use_by_cmake(paths, mpirun, scratch):
    """By find_package; the library is found where it was when the program was linked."""
    first, prefix, programs = (os.path.join(scratch, name) for name in ("first", "prefix", "programs"))
    install(paths, first)
    os.rename(first, prefix)
    fortran = with_fortran(prefix)
    shutil.copytree(f"{prefix}/share/doc/libstrata-introspection-dev/examples", programs)
    with open(f"{programs}/CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write(PROJECT.format(languages="C CXX Fortran" if fortran else "C CXX", components="COMPONENTS fortran" if fortran else "")
                   + (FORTRAN if fortran else ""))
    with open(f"{programs}/in_cxx.cc", "w", encoding="utf-8") as file:
        file.write(IN_CXX)
    mpicc, mpifort = outside.compilers(paths["mpicxx"])
    outside.run(paths["cmake"], "-G", paths["generator"], "-S", programs, "-B", programs, f"-DCMAKE_PREFIX_PATH={prefix}",
                f"-DMPI_C_COMPILER={mpicc}", f"-DMPI_CXX_COMPILER={paths['mpicxx']}", f"-DMPI_Fortran_COMPILER={mpifort}")
    outside.run(paths["cmake"], "--build", programs)
    os.environ.pop("LD_LIBRARY_PATH", None)
    outside.judge(mpirun, f"{prefix}/bin/strata-monitor", programs, fortran)


def check_pages(paths, scratch, spoil):
    """Tests that every command and every function has a manual page without groff warnings."""
    install(paths, scratch)
    pages = f"{scratch}/share/man"
    if spoil:
        os.remove(f"{pages}/man1/strata-monitor.1")
    wrong = [f"{command} has no manual page" for command in sorted(os.listdir(f"{scratch}/bin"))
             if not os.path.exists(f"{pages}/man1/{command}.1")]
    for header in glob.glob(f"{scratch}/include/*.h"):
        name = os.path.splitext(os.path.basename(header))[0]
        with open(header, encoding="utf-8") as file:
            functions = re.findall(r"^int (MPI\w+)\(", file.read(), re.MULTILINE)
        with open(f"{pages}/man3/{name}.3", encoding="utf-8") as file:
            page = file.read()
        for function in functions:
            with open(f"{pages}/man3/{function}.3", encoding="utf-8") as file:
                linked = file.read() == f".so man3/{name}.3\n"
            if not linked or f"int {function}(" not in page or len(re.findall(rf"\b{function}\b", page)) < 2:
                wrong.append(f"{function} is not explained in {name}.3")
        if not functions:
            wrong.append(f"{header} has no functions")
    own = [page for page in glob.glob(f"{pages}/man?/*") if os.path.getsize(page) > 100]
    own += glob.glob(os.path.join(paths["source"], "component", "packaging", "man", "*"))
    for page in own if shutil.which("groff") else ():
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], text=True, capture_output=True, check=False)
        wrong += [f"{os.path.basename(page)}: {line}" for line in done.stderr.splitlines()]
    if wrong:
        raise Failure("\n".join(wrong))


def test(mpirun, file, case):
    with open(file, encoding="utf-8") as opened:
        paths = json.load(opened)
    with tempfile.TemporaryDirectory() as scratch:
        if case == "cmake":
            use_by_cmake(paths, mpirun, scratch)
        elif case.startswith("pages"):
            check_pages(paths, scratch, case == "pages_spoilt")
        else:
            use_by_make(paths, mpirun, scratch, ("dev", "tools") if case == "no_library" else COMPONENTS)


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:4]))
