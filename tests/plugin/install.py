#!/usr/bin/env python3
"""Tests the installed plugin in the folder of `cmake --install`, in Open MPI's own folder, and as a package."""
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
from job import SKIPPED, Failure, Paths, check, conclude, environment, synthetic, run
from unprivileged import User

RANKS, PLAIN_RANKS = 4, 2
SAYS = "coll/strata: to use it: "  # printed by the installation before the command for the user
REMEDY = "pmix-mca-params-override.conf"
VARIABLE = "OMPI_MCA_opal_mca_base_component_path"
FILES = ("mca_coll_strata.so", "help-mca-coll-strata.txt", "strata-presets")
POINTERS = ("strata.sh", "modulefiles", "share", "bin", "lib", "include")  # in a folder outside Open MPI's search path
# Entries below the folder that strata.sh and the module file put in front of existing ones.
SEARCHED = {"PATH": "bin", "MANPATH": "share/man", "LD_LIBRARY_PATH": "lib", "PKG_CONFIG_PATH": "lib/pkgconfig",
            "CMAKE_PREFIX_PATH": ""}
PRESETS = ("ethernet-cluster", "fat-numa-node", "infiniband-cluster", "wan-grid")
PARAMETERS = synthetic(2, 2) | {"coll_strata_bcast_algorithm": "tree", "coll_strata_rules": "wan-grid",
                                "coll_strata_verbose": "2"}


def judge(outcome):
    outcome.expect_success()
    outcome.expect_messages(bad_parameters=1)  # proves that the help texts were found
    outcome.expect("from 1 to 1024" in outcome.output, "the help text is incomplete")
    outcome.expect("/strata-presets/wan-grid.json:" in outcome.output, "the preset is not used")
    outcome.expect(outcome.with_plugin == RANKS,
                   f"{outcome.with_plugin} ranks have the plugin, expected {RANKS}")
    outcome.expect(outcome.pvar("bcast_tree") > 0, "the tree engine did nothing")


def probe(paths, folder):
    check(run(paths, RANKS, "probe", [], PARAMETERS | {"coll_strata_window": "0"}, folder=folder), judge)


def serves(paths, line="", ranks=PLAIN_RANKS):
    """Runs a plain job of an unprivileged user with an empty environment after `line`: its variables must show that
    `ranks` processes have the plugin and that it has set up the communicator."""
    with User(paths) as user:
        outcome = user.plain(PLAIN_RANKS, line)

    def judge_plain(outcome):
        outcome.expect_success()
        outcome.expect(outcome.with_plugin == ranks, f"a plain job: {outcome.with_plugin} ranks have the plugin, expected {ranks}")
        outcome.expect((outcome.pvar("setup_us") > 0) == (ranks > 0), "a plain job: the plugin has not set up MPI_COMM_WORLD")
        for noise in ("mca:base", "Sorry!"):
            outcome.expect(noise not in outcome.output, f"a plain job: Open MPI or PMIx print '{noise}'")

    check(outcome, judge_plain)


def configured(paths, scratch, *options):
    """Returns the build folder of a fresh configuration that installs this build's products: nothing is compiled
    twice."""
    build = os.path.join(scratch, "build")
    configure(paths, build, "-G", paths["generator"], "-DSTRATA_TESTS=OFF", "-DSTRATA_BENCH=OFF",
              "-DSTRATA_EXAMPLES=OFF", "-DCMAKE_SKIP_RPATH=ON",  # products built elsewhere contain paths unknown to it
              *options)
    os.makedirs(os.path.join(build, "plugin"), exist_ok=True)
    shutil.copy(paths["plugin"], os.path.join(build, "plugin"))
    # Other products that the configuration installs: commands, and the introspection library.
    os.makedirs(os.path.join(build, "bin"), exist_ok=True)
    for program in glob.glob(os.path.join(paths["build"], "bin", "strata-*")):
        shutil.copy(program, os.path.join(build, "bin"))
    for pattern in ("*.so*", "fortran/*.so*", "fortran/modules/*.mod"):
        for file in glob.glob(os.path.join(paths["build"], "introspection", pattern)):
            copy = os.path.join(build, os.path.relpath(file, paths["build"]))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(file, copy, follow_symlinks=False)
    return build


def configure(paths, build, *options):
    subprocess.run([paths["cmake"], "-S", paths["source"], "-B", build, *options], check=True, stdout=subprocess.DEVNULL,
                   env=environment(paths, {}))


def install(paths, build, prefix, *options):
    """Installs, all below `prefix`; returns the printed commands for the user, if any."""
    said = run_or_fail(paths["cmake"], "--install", build, *options)
    with open(os.path.join(build, "install_manifest.txt"), encoding="utf-8") as file:
        outside_of_it = [name for name in file.read().splitlines() if not os.path.normpath(name).startswith(prefix + "/")]
    if outside_of_it:
        raise Failure(f"installed outside of {prefix}: {outside_of_it}")
    lines = [line for line in said.splitlines() if line.startswith("coll/strata: ")]
    if len(lines) != 1:
        raise Failure(f"the installation prints {lines} instead of one line")
    return lines[0].removeprefix(SAYS) if lines[0].startswith(SAYS) else ""


def readable_scratch():
    """A temporary folder that other users may read."""
    folder = tempfile.TemporaryDirectory()
    os.chmod(folder.name, 0o755)
    return folder


def installed_below_a_prefix(paths):
    """`cmake --install` without a prefix, below /usr/local, and with one: the printed line is the only command
    needed."""
    with readable_scratch() as scratch:
        build, prefix = configured(paths, scratch), os.path.join(scratch, "my prefix")
        line = install(paths, build, prefix, "--prefix", prefix)
        serves(paths, line)
        run_or_fail(paths["cmake"], "--build", build, "--target", "uninstall/fast" if "Make" in paths["generator"] else "uninstall")
        left = [os.path.join(top, name) for top, _, names in os.walk(prefix) for name in names]
        if left:
            raise Failure(f"uninstalling left {left}")
        target = os.path.join(scratch, "elsewhere")
        configure(paths, build, f"-DSTRATA_PLUGIN_DIR={target}")
        refused = subprocess.run([paths["cmake"], "--install", build, "--prefix", prefix], text=True, capture_output=True, check=False)
        if not refused.returncode or "is not below the prefix" not in refused.stderr or os.path.exists(target):
            raise Failure(f"STRATA_PLUGIN_DIR outside of the prefix is not refused: {refused.stdout}{refused.stderr}")
        configure(paths, build, "-DSTRATA_PLUGIN_DIR=")
        if os.geteuid() or glob.glob("/usr/local/**/*strata*", recursive=True):
            print("skipped in part: /usr/local cannot be written, or has the plugin already")
            return
        try:
            serves(paths, install(paths, build, "/usr/local"))
        finally:
            run_or_fail(paths["cmake"], "--build", build, "--target", "uninstall")


def installed_to_a_folder(paths):
    with readable_scratch() as scratch:
        target = os.path.join(scratch, "of the user", "plugins")
        build = configured(paths, scratch)
        configure(paths, build, f"-DSTRATA_PLUGIN_DIR={target}")  # everything goes there now
        line = install(paths, build, target)
        serves(paths, line)
        found = sorted(os.listdir(target))
        expected = sorted((*FILES, *POINTERS))
        if found != expected:
            raise Failure(f"installed {found}, expected {expected}")
        presets = sorted(os.listdir(os.path.join(target, "strata-presets")))
        if presets != sorted(name + end for name in PRESETS for end in (".conf", ".json")):
            raise Failure(f"installed the presets {presets}")
        run_or_fail(sys.executable, "-B", os.path.join(paths["source"], "tests", "documents", "check_documents.py"),
                    os.path.join(target, "share", "doc", "openmpi-coll-strata"))
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
    """Returns the output of `env`."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def searched(target, before):
    """Returns the expected variables of SEARCHED, given those `before`. An empty entry of MANPATH means the system's
    pages."""
    result = {}
    libraries = glob.glob(f"{target}/lib/**/libstrata-introspection.so", recursive=True)  # lib, or with Debian's folder in it
    library = os.path.relpath(os.path.dirname(libraries[0]), target)
    for name, folder in SEARCHED.items():
        folder = re.sub("^lib\\b", library, folder)
        rest = before.get(name, "")
        result[name] = os.path.join(target, folder).rstrip("/") + (f":{rest}" if rest or name == "MANPATH" else "")
    return result


def unseen(paths):
    """A plain job without the printed command."""
    with readable_scratch() as scratch:
        target = os.path.join(scratch, "plugins")
        install(paths, configured(paths, scratch, f"-DSTRATA_PLUGIN_DIR={target}"), target)
        serves(paths)


def loaded_as_a_module(paths):
    """Tests the module file: loading it extends the path, also an existing one; unloading restores the previous
    state."""
    lmod = "/usr/share/lmod/lmod/init/bash"
    if not os.path.exists(lmod):
        print("skipped: no Lmod here; Debian package: lmod")
        sys.exit(SKIPPED)
    with readable_scratch() as scratch:
        target = os.path.join(scratch, "plugins")
        install(paths, configured(paths, scratch, f"-DSTRATA_PLUGIN_DIR={target}"), target)
        serves(paths, f"set +u; . {lmod}; module use {target}/modulefiles; module load coll-strata")
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
            wanted["MANPATH"] += ":"  # Lmod's form of an empty entry
            for name, value in wanted.items():
                if state["loaded"].get(name) != value or state["after"].get(name, "") != state["before"].get(name, ""):
                    raise Failure(f"{name}: {state['before'].get(name)}, loaded {state['loaded'].get(name)} instead of {value}, "
                                  f"unloaded {state['after'].get(name)}\n{said}")
            if "coll-strata/0." not in said:
                raise Failure(f"Lmod does not list the module:\n{said}")


def listed_releases(paths):
    """Returns "4.1.0:4.1.8,5.0.0:5.0.10": the first and the last of each series in the layout guard's table, in
    Spack's form."""
    with open(os.path.join(paths["source"], "component", "base", "layout_epochs.h"), encoding="utf-8") as file:
        releases = re.findall(r"\{(\d+), (\d+), (\d+)\}", file.read())
    series = {}
    for release in releases:
        series.setdefault(release[:2], []).append(".".join(release))
    return ",".join(f"{all_of_it[0]}:{all_of_it[-1]}" for all_of_it in series.values())


def described_to_spack(paths, releases=None):
    """Spack is not available: stand-ins for Spack's functions run the recipe, and the CMake options it uses must
    exist. It must accept `releases` of Open MPI, by default those that the layout guard lists."""
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
    bounds = f"openmpi@{releases or listed_releases(paths)}"
    if bounds not in said["depends_on"]:
        raise Failure(f"the recipe does not depend on {bounds}")


def plugin_folder(paths):
    """Returns Open MPI's own folder; ends the test if it cannot be written."""
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
        signal.signal(number, lambda *_: sys.exit(1))  # so that `finally` runs
    return folder


def installed_to_the_system(paths):
    folder = plugin_folder(paths)
    targets = [os.path.join(folder, name) for name in FILES]
    try:
        for target in targets:
            # Installed under another name first: other jobs of this machine must never see a partial file.
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
    """Tests the packages that cpack makes of this build: installed, listed, used, removed, nothing left."""
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
        made = run_or_fail(os.path.join(os.path.dirname(paths["cmake"]), "cpack"), "--config", config, "-B", scratch)
        if "coll/strata: " in made:
            raise Failure(f"it prints a next step although nothing is installed:\n{made}")
        debs = glob.glob(os.path.join(scratch, "*.deb"))
        names = sorted(os.path.basename(deb).split("_")[0] for deb in debs)
        if [re.sub("[0-9]+$", "N", name) for name in names] != ["coll-strata-tools", "libstrata-introspection-dev",
                                                                "libstrata-introspectionN", "openmpi-coll-strata"]:
            raise Failure(f"the packages are {names}")
        for deb in debs:
            depends = run_or_fail("dpkg-deb", "-f", deb, "Depends")
            if "tools" not in deb and not re.search(r"libopenmpi\S+ \(<< [45]\.[0-9]+\.[0-9]+~\)", depends):
                raise Failure(f"{deb} goes with any Open MPI: {depends}")
        try:
            run_or_fail("dpkg", "-i", *debs)
            if "MCA coll: strata" not in run_or_fail(paths["ompi_info"]):
                raise Failure("ompi_info does not list the plugin")
            files = run_or_fail("dpkg", "-L", *names)  # not all systems keep manual pages
            serves(paths)
            for remedy in (name for name in files.splitlines() if name.endswith("/" + REMEDY)):
                os.rename(remedy, remedy + ".away")
                try:
                    serves(paths, ranks=0)  # otherwise this remedy and its test are useless
                finally:
                    os.rename(remedy + ".away", remedy)
            probe(paths, "SYSTEM_DEFAULT")
            for page in ("man1/strata-topo.1", "man1/strata-explain.1", "man1/strata-info.1", "man1/strata-report.1", "man1/strata-monitor.1", "man3/MPI_Monitoring.3",
                         "man3/MPIX_Comm_hsplit.3", "man7/coll-strata.7"):
                if page not in files:
                    raise Failure(f"the manual page {page} is missing")
            run_or_fail("/usr/bin/strata-topo", "--version")
            run_or_fail("/usr/bin/strata-explain", "--version")
            run_or_fail("/usr/bin/strata-info")
            run_or_fail("/usr/bin/strata-report", "--output", os.path.join(scratch, "report.txt"), "--html",
                        os.path.join(scratch, "report.html"))
            use_the_library(paths, files, os.path.join(scratch, "programs"))
        finally:
            left = subprocess.run(["dpkg", "-P", *names], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
    rest = [name for name in files.splitlines() if "strata" in name and os.path.lexists(name)]
    if left.returncode or rest or glob.glob(os.path.join(folder, "*strata*")):
        raise Failure(f"{rest} is left of the packages:\n{left.stdout}")


def use_the_library(paths, files, folder):
    """Builds and runs the examples without any setting for the library's location."""
    installed = [os.path.dirname(name) for name in files.splitlines() if name.endswith("/examples/Makefile")][0]
    examples = installed if os.path.exists(installed) else os.path.join(paths["source"], "introspection", "examples")
    fortran = "/mpi_monitoring.mod\n" in files
    os.environ.pop("LD_LIBRARY_PATH", None)
    outside.make(examples, folder, paths["mpicxx"], fortran)
    outside.judge(paths["mpirun"], "/usr/bin/strata-monitor", folder, fortran)


TESTS = {"folder": installed_to_a_folder, "prefix": installed_below_a_prefix, "unseen": unseen, "module": loaded_as_a_module, "spack": described_to_spack,
         "unlisted": lambda paths: described_to_spack(paths, "4.1.0:4.1.9"),
         "system": installed_to_the_system, "packages": installed_as_packages}
if __name__ == "__main__":
    conclude(lambda: TESTS[sys.argv[2]](Paths(sys.argv[1])))
