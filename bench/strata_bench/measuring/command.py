"""Common parts of the commands besides their options (cli): packages and build, results, their end."""

import os
import re
import shutil
import subprocess
import sys

from . import results, sessions, units
from .cluster import NOT_SUPPORTED, ClusterError, Interrupted, check_support, raise_on_signals
from .folders import BENCH, ROOT
from .progress import Progress

PREPARE = os.path.join(ROOT, "component", "packaging", "prepare")


def built_file(folder, name):
    """Returns the path of a built file. Raises ClusterError if it is missing."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise ClusterError(f"{path} is missing: it was not built; without --build this command builds it")
    return path


class Built:
    """Results of the build: the program, the cluster's relay, the plugin's folder, and further libraries."""

    def __init__(self, folder, libraries=()):
        self._folder = folder
        self.program = os.path.join(folder, "bench", "collective_latency")
        self.relay = os.path.join(folder, "bench", "relay")
        plugin = os.path.join(folder, "plugin", "mca_coll_strata.so")
        further = [os.path.join(folder, "bench", name) for name in libraries]
        for path in (self.program, self.relay, plugin, *further):
            built_file(folder, path)
        self.plugin_folder = os.path.dirname(plugin)
        self.libraries = further

    def tool(self, name):
        """Returns another program of the build."""
        return built_file(self._folder, name)


def build_folder(options, purposes, check=lambda: None):
    """Installs packages and builds; returns the build folder. `check` may refuse in between."""
    if options.build:
        check()
        return os.path.abspath(options.build)
    call = [PREPARE, "--preset", options.preset, "--for", purposes]
    install = ["--no-install"] if options.no_install else []
    # In the same session as this process, so that sudo can ask for a password.
    for part in (["--packages-only", *install], None, ["--no-install"]):
        if part is None:
            check()
        elif status := subprocess.run([*call, *part], check=False).returncode:
            raise ClusterError("", status)
    return os.path.join(ROOT, "build", options.preset)


def prepare(options, purposes, needs_cluster=True, libraries=()):
    """Does the same for real jobs; raises ClusterError where a cluster is needed and impossible.
    `libraries` of bench are built, too."""
    return Built(build_folder(options, purposes, check_support if needs_cluster else lambda: None), libraries)


def results_folder(path, own_names, keep_logs=False):
    """Opens a results folder (see results.py) with an empty `logs`. `own_names` is a regular expression of
    the files to be written; old ones are removed."""
    folder = results.claim(path)
    if not keep_logs:
        shutil.rmtree(os.path.join(folder, "logs"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
    for name in os.listdir(folder):
        if re.fullmatch(own_names, name):
            os.unlink(os.path.join(folder, name))
    return folder


def say_files(files, complaint, progress):
    progress.say(f"\nWritten after {units.clock(progress.elapsed)} minutes:")
    for path in files:
        progress.say("  " + units.path_text(path))
    if complaint:
        progress.say(complaint)


def say_kept(runner, progress):
    """Returns how to use a cluster that stays up."""
    if not runner.kept:
        return
    tool = units.path_text(os.path.join(BENCH, "cluster"))
    progress.say(f"The cluster is up:  {tool} run --state {runner.directory} -- PROGRAM\n"
                 f"Take it down with:  {tool} down --state {runner.directory}")


def run(name, body, options, failed=1):
    """Runs body(options, progress) -> exit status. Returns the status of the command `name`: `failed` after an
    error."""
    progress = Progress()
    raise_on_signals()
    try:
        results.check(options.results)  # before anything is installed, built or measured
        return body(options, progress)
    except ClusterError as error:
        progress.clear()
        if str(error):
            print(f"{name}: {error}", file=sys.stderr)
        return error.status if error.status == NOT_SUPPORTED else failed
    except OSError as error:  # a folder without write permission, a full disk
        progress.clear()
        where = f"{error.filename}: " if error.filename else ""
        print(f"{name}: {where}{error.strerror or error}", file=sys.stderr)
        return failed
    except Interrupted as stop:
        progress.clear()
        print(f"{name}: {stop}; {sessions.left()}", file=sys.stderr)
        return 128 + stop.number
