"""Gets the suites' sources: source archives from Debian's archive, unpacked and compiled in a work folder.

They are not part of the project, and /etc stays untouched: apt-get uses a separate list of sources and a separate
state folder. Debian's patches are not applied."""
import concurrent.futures
import glob
import os
import re
import subprocess
import tarfile

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Unavailable(Exception):
    """A suite cannot be had here, and why."""


def installed_version(package):
    """The version of an installed Debian package; Unavailable if it is not installed."""
    text = _output(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package])
    status, version = text.split()
    if status != "installed":
        raise Unavailable(f"the Debian package {package} is not installed")
    return version


def require(*packages):
    for package in packages:
        installed_version(package)


class Workshop:
    """The folder in which one suite is built: `folder`. `archives`: a folder with source archives of Debian packages
    that the machine's mirror lacks, or None."""

    def __init__(self, work, suite, announce, archives=None, jobs=1):
        self.folder = os.path.join(os.path.abspath(work), suite)
        self.jobs = jobs
        self._state = os.path.join(os.path.abspath(work), "apt")
        self._archives = archives
        self._announce = announce
        os.makedirs(self.folder, exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def source(self, package, version, *members):
        """Unpacks those folders of the package's upstream archive, without their first part, into the work folder.
        `version`: version of the source package, or None for the newest."""
        done = self.path(".unpacked")
        if os.path.exists(done):
            return
        archive = self._archive(package, version)
        self._announce(f"unpacking {os.path.basename(archive)}")
        with tarfile.open(archive) as opened:
            for member in opened:
                name = member.name.removeprefix("./").partition("/")[2]
                if (member.isfile() or member.isdir()) and name.startswith(members):
                    member.name = name
                    opened.extract(member, self.folder)
        open(done, "w", encoding="utf-8").close()

    def _archive(self, package, version):
        for folder in filter(None, (self._archives, self._state)):
            found = sorted(glob.glob(os.path.join(folder, f"{package}_*.orig.tar.*")))
            if found:
                return found[-1]
        self._announce(f"downloading the source of {package}")
        options = self._apt_options()
        wanted = f"{package}={version}" if version else package
        _output(["apt-get", *options, "source", "--download-only", wanted], self._state)
        found = sorted(glob.glob(os.path.join(self._state, f"{package}_*.orig.tar.*")))
        if not found:
            raise Unavailable(f"apt-get source {wanted} brought no archive")
        return found[-1]

    def _apt_options(self):
        """Returns options that restrict apt-get to Debian's sources."""
        parts = os.path.join(self._state, "sources.list.d")
        lists = os.path.join(self._state, "lists")
        options = ["-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={parts}",
                   "-o", f"Dir::State::Lists={lists}", "-o", "APT::Sandbox::User=root"]
        read = os.path.join(self._state, ".lists-read")
        if not os.path.exists(read):
            os.makedirs(parts, exist_ok=True)
            os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
            with open(os.path.join(parts, "debian.list"), "w", encoding="utf-8") as file:
                for uri, suite in _debian_archives():
                    file.write(f"deb-src [signed-by={_KEYRING}] {uri} {suite} main\n")
            self._announce("reading Debian's list of sources")
            _output(["apt-get", *options, "update"], self._state)
            open(read, "w", encoding="utf-8").close()
        return options

    def call(self, command, folder=".", log="build.log", check=True, **environment):
        """Runs a command in a folder of the suite; its output goes to a log."""
        with open(self.path(log), "a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n")
            file.flush()
            status = subprocess.run(command, cwd=self.path(folder), env=os.environ | environment,
                                    stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                    check=False).returncode
        if status and check:
            raise Unavailable(f"{command[0]} failed; see {self.path(log)}")
        return status

    def compile_all(self, programs, command_of):
        """Compiles the missing programs: `command_of(program)` creates the file `program`. Returns the programs that
        do not compile."""
        missing = [program for program in programs if not os.path.exists(self.path(program))]
        failed = []
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            results = pool.map(lambda program: self.call(command_of(program), log=f"{program}.log",
                                                         check=False), missing)
            for number, (program, status) in enumerate(zip(missing, results), 1):
                self._announce(f"compiling {number} of {len(missing)}", passing=True)
                if status:
                    failed.append(program)
        return failed


def _debian_archives():
    """(URI, release) of the Debian archives that this machine installs from."""
    text = _output(["apt-get", "indextargets", "--format",
                    "$(CREATED_BY)|$(ORIGIN)|$(COMPONENT)|$(REPO_URI)|$(CODENAME)"])
    found = [line.split("|")[3:] for line in text.splitlines() if line.startswith("Packages|Debian|main|")]
    if not found:
        raise Unavailable("apt knows no Debian archive (has apt-get update been run?)")
    return list(dict.fromkeys(map(tuple, found)))


def _output(command, folder=None):
    try:
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, env=os.environ | {"LC_ALL": "C"})
    except FileNotFoundError:
        raise Unavailable(f"there is no {command[0]}: not Debian?") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if re.match("E:|dpkg-query:", line)]
        short = " ".join(word for word in command if not word.startswith(("-", "Dir::", "APT::")))
        raise Unavailable(f"{short}: {(lines or ['no reason given'])[0]}")
    return done.stdout
