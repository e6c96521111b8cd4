"""Lists of installed files in the build folder, by which `uninstall` removes a user's installation."""
import contextlib
import glob
import os

KEPT = ".kept"


def manifests(build, ending=""):
    return glob.glob(os.path.join(build, "install_manifest_*.txt" + ending))


@contextlib.contextmanager
def set_aside(build):
    """Hides the lists of a user's installation while a test installs or packages, and removes those of the test."""
    for path in manifests(build):
        os.replace(path, path + KEPT)
    try:
        yield
    finally:
        for path in manifests(build):
            os.remove(path)
        for path in manifests(build, KEPT):
            os.replace(path, path[:-len(KEPT)])
