#!/usr/bin/env python3
"""The installed plugin works from where `cmake --install` puts it, from Open MPI's own folder, and as a package."""
import glob
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "introspection", "packaging"))

import outside  # noqa: E402
from job import SKIPPED, Failure, Paths, check, conclude, environment, pretended, run

RANKS = 4
VARIABLE = "OMPI_MCA_opal_mca_base_component_path"
FILES = ("mca_coll_strata.so", "help-mca-coll-strata.txt", "strata-presets")
POINTERS = ("strata.sh", "modulefiles", "share", "bin", "lib", "include")  # in a folder that Open MPI has to be told of
# What strata.sh and the module file put before what is there, below the folder.
SEARCHED = {"PATH": "bin", "MANPATH": "share/man", "LD_LIBRARY_PATH": "lib", "PKG_CONFIG_PATH": "lib/pkgconfig",
            "CMAKE_PREFIX_PATH": ""}
PRESETS = ("ethernet-cluster", "fat-numa-node", "infiniband-cluster", "wan-grid")
PARAMETERS = pretended(2, 2) | {"coll_strata_bcast_algorithm": "tree", "coll_strata_rules": "wan-grid",
                                "coll_strata_verbose": "1"}


def judge(outcome):
    outcome.expect_success()
    outcome.expect_messages(bad_parameters=1)  # the help texts were found, too
    outcome.expect("from 1 to 1024" in outcome.output, "the help text is incomplete")
    outcome.expect("/strata-presets/wan-grid.json:" in outcome.output, "the preset is not used")
    outcome.expect(outcome.with_plugin == RANKS,
                   f"{outcome.with_plugin} ranks have the plugin, expected {RANKS}")
    outcome.expect(outcome.pvar("bcast_tree") > 0, "the tree engine did nothing")


def probe(paths, folder):
    check(run(paths, RANKS, "probe", [], PARAMETERS | {"coll_strata_window": "0"}, folder=folder), judge)


def install_to(paths, scratch, target):
    """A fresh configuration with STRATA_PLUGIN_DIR installs what this build made: nothing is compiled twice."""
    build = os.path.join(scratch, "build")
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "env": environment(paths, {})}
    subprocess.run([paths["cmake"], "-G", paths["generator"], "-S", paths["source"], "-B", build,
                    f"-DSTRATA_PLUGIN_DIR={target}", "-DSTRATA_TESTS=OFF", "-DSTRATA_BENCH=OFF", "-DSTRATA_EXAMPLES=OFF",
                    "-DCMAKE_SKIP_RPATH=ON"], **quiet)  # paths in what was built elsewhere are none that it knows
    os.makedirs(os.path.join(build, "plugin"), exist_ok=True)
    shutil.copy(paths["plugin"], os.path.join(build, "plugin"))
    # What the configuration wants besides: strata-topo, and the introspection library.
    os.makedirs(os.path.join(build, "bin"), exist_ok=True)
    for program in glob.glob(os.path.join(paths["build"], "bin", "strata-topo")):
        shutil.copy(program, os.path.join(build, "bin"))
    for pattern in ("*.so*", "fortran/*.so*", "fortran/modules/*.mod"):
        for file in glob.glob(os.path.join(paths["build"], "introspection", pattern)):
            copy = os.path.join(build, os.path.relpath(file, paths["build"]))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(file, copy, follow_symlinks=False)
    subprocess.run([paths["cmake"], "--install", build], **quiet)
    shutil.rmtree(build)


def installed_to_a_folder(paths):
    with tempfile.TemporaryDirectory() as scratch:
        target = os.path.join(scratch, "of the user", "plugins")
        install_to(paths, scratch, target)
        found = sorted(os.listdir(target))
        expected = sorted((*FILES, *POINTERS))
        if found != expected:
            raise Failure(f"installed {found}, expected {expected}")
        presets = sorted(os.listdir(os.path.join(target, "strata-presets")))
        if presets != sorted(name + end for name in PRESETS for end in (".conf", ".json")):
            raise Failure(f"installed the presets {presets}")
        probe(paths, target)
        before = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/other"}
        twice = '. "$1"; . "$1"; '
        start = ("env", "-i", *(f"{name}={value}" for name, value in before.items()), "sh", "-euc")
        script = ("sh", os.path.join(target, "strata.sh"))
        found = variables(run_or_fail(*start, f"{twice}env", *script))
        expected = searched(target, before) | {VARIABLE: f"{target}:SYSTEM_DEFAULT:USER_DEFAULT"}
        if {name: found.get(name) for name in expected} != expected:
            raise Failure(f"strata.sh, twice, sets {found}, expected {expected}")
        run_or_fail(*start, f"{twice}strata-monitor true; pkg-config --exists strata-introspection", *script)


def variables(text):
    """What `env` prints."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def searched(target, before):
    """The variables of SEARCHED, from those `before`. An empty entry of MANPATH stands for the system's pages."""
    result = {}
    for name, folder in SEARCHED.items():
        rest = before.get(name, "")
        result[name] = os.path.join(target, folder).rstrip("/") + (f":{rest}" if rest or name == "MANPATH" else "")
    return result


def loaded_as_a_module(paths):
    """The module file: loaded it sets the path, over a path that is there, too; unloaded it leaves what was there."""
    lmod = "/usr/share/lmod/lmod/init/bash"
    if not os.path.exists(lmod):
        print("skipped: no Lmod here; Debian package: lmod")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as scratch:
        target = os.path.join(scratch, "plugins")
        install_to(paths, scratch, target)
        for before in ("", "/other:SYSTEM_DEFAULT"):
            script = (f'. {lmod}; {f"export {VARIABLE}={before};" if before else ""} module use {target}/modulefiles; '
                      "env >$0/before; module load coll-strata; env >$0/loaded; module -t list 2>&1; "
                      "module unload coll-strata; env >$0/after")
            said = run_or_fail("env", "-i", "PATH=/usr/bin:/bin", "LD_LIBRARY_PATH=/other", "bash", "-c", script, scratch)
            state = {}
            for name in ("before", "loaded", "after"):
                with open(os.path.join(scratch, name), encoding="utf-8") as file:
                    state[name] = variables(file.read())
            wanted = searched(target, state["before"]) | {VARIABLE: f"{target}:{before or 'SYSTEM_DEFAULT:USER_DEFAULT'}"}
            wanted["MANPATH"] += ":"  # as Lmod writes an empty entry
            for name, value in wanted.items():
                if state["loaded"].get(name) != value or state["after"].get(name, "") != state["before"].get(name, ""):
                    raise Failure(f"{name}: {state['before'].get(name)}, loaded {state['loaded'].get(name)} instead of {value}, "
                                  f"unloaded {state['after'].get(name)}\n{said}")
            if "coll-strata/0." not in said:
                raise Failure(f"Lmod does not list the module:\n{said}")


def described_to_spack(paths):
    """Spack is not here: the recipe's own sentences are carried out by stand-ins for Spack's, and what it asks CMake for
    exists."""
    said = {"depends_on": [], "version": []}

    class CMakePackage:
        @staticmethod
        def define(name, value):
            return f"-D{name}={value}"

    known = {name: lambda *_, **__: None for name in ("license", "variant")}
    known |= {name: (lambda what, *_, name=name, **__: said[name].append(what)) for name in said}
    known |= {"CMakePackage": CMakePackage, "join_path": os.path.join}
    stand_in = types.ModuleType("spack.package")
    stand_in.__dict__.update(known)
    sys.modules |= {"spack": types.ModuleType("spack"), "spack.package": stand_in}
    recipe = runpy.run_path(os.path.join(paths["source"], "component", "packaging", "spack", "package.py"))["CollStrata"]()
    recipe.prefix, recipe.spec = types.SimpleNamespace(lib="/prefix/lib"), "coll-strata+tools"
    with open(os.path.join(paths["build"], "CMakeCache.txt"), encoding="utf-8") as file:
        cache = file.read()
    with open(os.path.join(paths["source"], "CMakeLists.txt"), encoding="utf-8") as file:
        project = file.read()
    for argument in recipe.cmake_args():
        name = argument[2:].split("=")[0]
        if not name.startswith("CMAKE_") and f"\n{name}:" not in cache:
            raise Failure(f"CMake knows no {name}")
    environment_of_user = []
    recipe.setup_run_environment(types.SimpleNamespace(
        prepend_path=lambda name, folder: environment_of_user.insert(0, (name, folder))))
    if environment_of_user != [("LD_LIBRARY_PATH", "/prefix/lib"), *((VARIABLE, folder) for folder in (
            "/prefix/lib/openmpi", "SYSTEM_DEFAULT", "USER_DEFAULT"))]:
        raise Failure(f"the recipe sets {environment_of_user}")
    if f" VERSION {said['version'][-1]} " not in project:
        raise Failure(f"the recipe has the versions {said['version']}, the project has another")
    missing = {"openmpi", "hwloc", "nlohmann-json", "cmake", "cli11", "scotch", "fortran"} - {re.split("[@ ]", what)[0] for what in said["depends_on"]}
    if missing:
        raise Failure(f"the recipe does not depend on {missing}")


def plugin_folder(paths):
    """Open MPI's own; ends the test where nothing can be put there."""
    line = subprocess.run([paths["ompi_info"], "--path", "pkglibdir", "--parsable"], check=True, text=True,
                          capture_output=True, env=environment(paths, {})).stdout
    folder = line.strip().split(":", 2)[2]
    reason = None
    if not os.access(folder, os.W_OK):
        reason = f"{folder} is not writable: run this test as root"
    elif glob.glob(os.path.join(folder, "*strata*")):
        reason = f"a plugin is installed in {folder} already"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # so that `finally` is reached
    return folder


def installed_to_the_system(paths):
    folder = plugin_folder(paths)
    targets = [os.path.join(folder, name) for name in FILES]
    try:
        for target in targets:
            # Under another name first: other jobs of this machine must never see half a file.
            source = os.path.join(paths.folder(), os.path.basename(target))
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target + ".part")
            os.rename(target + ".part", target)
        probe(paths, "SYSTEM_DEFAULT")
    finally:
        for target in targets:
            for name in (target, target + ".part"):
                if os.path.isdir(name):
                    shutil.rmtree(name)
                elif os.path.exists(name):
                    os.remove(name)


def run_or_fail(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def installed_as_packages(paths):
    """The packages that cpack makes of this build: installed, listed, used, removed, and nothing left."""
    config = os.path.join(paths["build"], "CPackConfig.cmake")
    if not os.path.exists(config) or not (shutil.which("dpkg-shlibdeps") and shutil.which("file")):
        print("skipped: no Debian packages can be made here (Open MPI of another origin, or no dpkg-dev and file)")
        sys.exit(SKIPPED)
    folder = plugin_folder(paths)
    known = subprocess.run(["dpkg-query", "-W", "openmpi-coll-strata", "coll-strata-tools", "libstrata-introspection*"],
                           text=True, capture_output=True, check=False).stdout
    if known or glob.glob("/usr/bin/strata-*"):
        print("skipped: packages of this project, or its commands, are installed already")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as scratch:
        run_or_fail(os.path.join(os.path.dirname(paths["cmake"]), "cpack"), "--config", config, "-B", scratch)
        debs = glob.glob(os.path.join(scratch, "*.deb"))
        names = sorted(os.path.basename(deb).split("_")[0] for deb in debs)
        if [re.sub("[0-9]+$", "N", name) for name in names] != ["coll-strata-tools", "libstrata-introspection-dev",
                                                                "libstrata-introspectionN", "openmpi-coll-strata"]:
            raise Failure(f"the packages are {names}")
        for deb in debs:
            depends = run_or_fail("dpkg-deb", "-f", deb, "Depends")
            if "tools" not in deb and not re.search(r"libopenmpi\S+ \(<< [45]\.[0-9]+~\)", depends):
                raise Failure(f"{deb} goes with any Open MPI: {depends}")
        try:
            run_or_fail("dpkg", "-i", *debs)
            if "MCA coll: strata" not in run_or_fail(paths["ompi_info"]):
                raise Failure("ompi_info does not list the plugin")
            probe(paths, "SYSTEM_DEFAULT")
            files = run_or_fail("dpkg", "-L", *names)  # not all systems keep manual pages
            for page in ("man1/strata-topo.1", "man1/strata-explain.1", "man1/strata-report.1", "man1/strata-monitor.1", "man3/MPI_Monitoring.3",
                         "man3/MPIX_Comm_hsplit.3", "man7/coll-strata.7"):
                if page not in files:
                    raise Failure(f"the manual page {page} is missing")
            run_or_fail("/usr/bin/strata-topo", "--version")
            run_or_fail("/usr/bin/strata-explain", "--version")
            run_or_fail("/usr/bin/strata-report", "--output", os.path.join(scratch, "report.txt"))
            use_the_library(paths, files, os.path.join(scratch, "programs"))
        finally:
            left = subprocess.run(["dpkg", "-P", *names], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
    rest = [name for name in files.splitlines() if "strata" in name and os.path.lexists(name)]
    if left.returncode or rest or glob.glob(os.path.join(folder, "*strata*")):
        raise Failure(f"{rest} is left of the packages:\n{left.stdout}")


def use_the_library(paths, files, folder):
    """Builds and runs the examples, with nothing that tells where the library is."""
    installed = [os.path.dirname(name) for name in files.splitlines() if name.endswith("/examples/Makefile")][0]
    examples = installed if os.path.exists(installed) else os.path.join(paths["source"], "introspection", "examples")
    fortran = "/mpi_monitoring.mod\n" in files
    os.environ.pop("LD_LIBRARY_PATH", None)
    outside.make(examples, folder, paths["mpicxx"], fortran)
    outside.judge(paths["mpirun"], "/usr/bin/strata-monitor", folder, fortran)


TESTS = {"folder": installed_to_a_folder, "module": loaded_as_a_module, "spack": described_to_spack,
         "system": installed_to_the_system, "packages": installed_as_packages}
conclude(lambda: TESTS[sys.argv[2]](Paths(sys.argv[1])))
