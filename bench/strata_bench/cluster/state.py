"""The state directory: what is up, the process that holds it, and the files that a cluster needs.

Removes only the names in OWN_NAMES, and only from a directory that holds MARKER.
"""

import contextlib
import json
import os
import shutil
import stat

from . import kernel
from .plan import Plan, UserError

MARKER = "cluster.json"
OWN_NAMES = ("nodes", "hosts", "hostfile", "rsh-agent", "relay", "relay.log", "runs.lock", MARKER)


def default_directory():
    base = os.environ.get("XDG_RUNTIME_DIR")
    if not base or not os.path.isdir(base) or not os.access(base, os.W_OK):
        base = "/tmp"
    return os.path.join(base, f"strata-cluster-{os.getuid()}")


class State:
    """A state directory and, once loaded, its record."""

    def __init__(self, directory):
        self.directory = os.path.abspath(directory)
        if any(character.isspace() for character in self.directory):
            raise UserError(f"state directory '{self.directory}': mpirun needs a path without spaces")
        self.record = None
        with contextlib.suppress(FileNotFoundError):
            with open(self.path(MARKER), encoding="utf-8") as file:
                self.record = json.load(file)
        if self.record is not None and os.stat(self.path(MARKER)).st_uid not in (os.getuid(), 0):
            raise UserError(f"{self.directory} belongs to another user")

    def path(self, *names):
        return os.path.join(self.directory, *names)

    @property
    def plan(self):
        try:
            return Plan.from_json(self.record["plan"])
        except (KeyError, TypeError) as error:
            raise UserError(f"the cluster in {self.directory} was made by another version; "
                            "run `bench/cluster down`") from error

    @property
    def holder(self):
        """Process id of the process that keeps the namespaces, as seen outside them."""
        return self.record["holder"]

    def alive(self):
        """Returns whether the recorded holder still runs; a reused process id does not count."""
        return bool(self.record) and kernel.start_time(self.holder) == self.record["holder_start"]

    def require_up(self):
        if self.alive() and self.record["ready"]:
            return
        found = "what ran there has ended" if self.record else "nothing is up there"
        raise UserError(f"no cluster in {self.directory}: {found}; start one with `cluster up`")

    def claim(self):
        """Makes the directory for a new cluster. It must be new, empty, or hold only a dead cluster."""
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        status = os.lstat(self.directory)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise UserError(f"state directory {self.directory}: is a link or belongs to another user")
        if self.alive():
            raise UserError(f"a cluster is already up in {self.directory}; `cluster down` removes it, "
                            "--state DIR makes another one")
        self.remove()
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        foreign = os.listdir(self.directory)
        if foreign:
            raise UserError(f"state directory {self.directory}: holds other files ({foreign[0]})")

    def save(self, **fields):
        """Updates the record. Replaces the file as a whole, so that readers never see half of it."""
        self.record = {**(self.record or {}), **fields}
        temporary = self.path(MARKER + ".new")
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(self.record, file, indent=1)
        os.replace(temporary, self.path(MARKER))

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def remove(self):
        """Deletes the files of a dead cluster, and the directory if nothing else is in it."""
        if self.record is None:
            return
        for name in OWN_NAMES:
            path = self.path(name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
        with contextlib.suppress(OSError):
            os.rmdir(self.directory)
        self.record = None
