"""Runs jobs of an unprivileged user: runs root's commands as user nobody, in a folder of that user with all needed
files."""
import os
import shutil
import subprocess
import tempfile

from job import Failure, Outcome, environment

NOBODY = 65534


class User:
    """`with User(paths) as user:` provides user.folder, and a readable copy of plugin and probe."""

    def __init__(self, paths):
        self.paths = paths
        self.is_root = os.geteuid() == 0
        self.prefix = []
        if self.is_root:
            self.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all",
                           "--bounding-set=-all", "--no-new-privs"]

    def __enter__(self):
        self.base = tempfile.mkdtemp(prefix="strata-user-")
        self.plugin = os.path.join(self.base, "plugin")
        shutil.copytree(self.paths.folder(), self.plugin)
        self.probe = shutil.copy(self.paths["probe"], self.base)
        os.chmod(self.base, 0o755)
        self.folder = os.path.join(self.base, "user")
        for folder in (self.folder, os.path.join(self.folder, "tmp")):
            os.mkdir(folder)
            self.give(folder)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def give(self, path):
        if self.is_root:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def run(self, ranks, arguments, parameters, before=(), program=None, timeout=60):
        """`before`: a command that starts mpirun; `program`: a command instead of probe."""
        settings = {"btl": "self,vader", "mpi_yield_when_idle": "1"} | parameters
        variables = environment(self.paths, settings, self.plugin)
        variables |= {"HOME": self.folder, "TMPDIR": os.path.join(self.folder, "tmp")}
        command = [*self.prefix, *before, self.paths["mpirun"], "--oversubscribe", "-n", str(ranks),
                   *(program or [self.probe]), *arguments]
        try:
            done = subprocess.run(command, env=variables, cwd=self.folder, timeout=timeout, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
        except subprocess.TimeoutExpired as error:
            raise Failure(f"no end after {timeout} s: {' '.join(command)}\n{error.output or ''}") from None
        return Outcome(done.returncode, done.stdout)

    def plain(self, ranks, line="", timeout=60):
        """Runs a newcomer's commands: mpirun and a program with an empty environment, after `line`, if any."""
        script = f"{line}\nexec {self.paths['mpirun']} -n {ranks} {self.probe} --calls 20"
        command = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", f"HOME={self.folder}", *self.prefix, "bash", "-euc", script]
        try:
            done = subprocess.run(command, cwd=self.folder, timeout=timeout, text=True, check=False, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
        except subprocess.TimeoutExpired as error:
            raise Failure(f"no end after {timeout} s: {script}\n{error.output or ''}") from None
        return Outcome(done.returncode, done.stdout)
