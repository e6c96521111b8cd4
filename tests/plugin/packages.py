#!/usr/bin/env python3
"""Tests the Debian packages that cpack makes of this build with lintian: it finds no error, and no package overrides a
check. cpack leaves no list of installed files, which `uninstall` would take for an installation's.

can_fail: the same for one package whose files are not made ready for Debian.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from job import SKIPPED, Failure, Paths, conclude
from manifests import manifests, set_aside


def run(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def made(paths, folder, settings=""):
    """Makes the packages in `folder`, with more `settings` of CPack; returns their paths."""
    config = os.path.join(folder, "config.cmake")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f'include("{paths["build"]}/CPackConfig.cmake")\n{settings}')
    done = run(os.path.join(os.path.dirname(paths["cmake"]), "cpack"), "--config", config, "-B", folder)
    if done.returncode:
        raise Failure(f"cpack ended with {done.returncode}:\n{done.stdout}")
    return glob.glob(os.path.join(folder, "*.deb"))


def judge(paths, packages):
    checked = run("lintian", "--fail-on", "error", "--tag-display-limit", "0", *packages)
    wrong = [checked.stdout] if checked.returncode else []
    wrong += [f"overrides hide results of lintian in {package}" for package in packages
              if "lintian/overrides/" in run("dpkg-deb", "-c", package).stdout]
    wrong += [f"uninstalling would remove the installed packages' files of {left}"
              for left in manifests(paths["build"])]
    if wrong:
        raise Failure("\n".join(wrong))
    print(checked.stdout)


def test(paths, can_fail):
    if not os.path.exists(os.path.join(paths["build"], "CPackConfig.cmake")):
        print("skipped: no Debian packages can be made here (Open MPI of another origin)")
        sys.exit(SKIPPED)
    for program in ("lintian", "dpkg-shlibdeps", "file"):
        if not shutil.which(program):
            print(f"skipped: {program} is missing (Debian: lintian, dpkg-dev, file)")
            sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as scratch, set_aside(paths["build"]):
        if can_fail:
            judge(paths, made(paths, scratch, "set(CPACK_COMPONENTS_ALL dev)\nset(CPACK_PRE_BUILD_SCRIPTS)\n"))
            return
        packages = made(paths, scratch)
        if len(packages) != 4:
            raise Failure(f"cpack made {packages}")
        judge(paths, packages)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2:] == ["can_fail"]))
