"""A kernel and a static shell for the guest, out of Debian's packages. They are unpacked into a folder of the
build; nothing is installed."""
import os
import re
import subprocess
import tarfile
import tempfile

# Folders below kernel/ that have the guest's drivers.
_DRIVERS = re.compile(r"/kernel/(fs/(9p|netfs|fscache)|net/9p|drivers/(virtio|net/ethernet/intel/e1000e))/")


class Unavailable(Exception):
    """Something that the guest needs cannot be had here."""


class Files:
    """`kernel`, `busybox`: paths; `drivers`: module name -> path; `release`: the kernel's."""

    def __init__(self, folder):
        self.folder = folder
        self.kernel = os.path.join(folder, "vmlinuz")
        self.busybox = os.path.join(folder, "busybox")
        self._release = os.path.join(folder, "release")

    @property
    def release(self):
        with open(self._release, encoding="utf-8") as file:
            return file.read().strip()

    @property
    def drivers(self):
        names = os.listdir(self.folder)
        return {name[:-3].replace("-", "_"): os.path.join(self.folder, name) for name in names
                if name.endswith(".ko")}

    def fetch(self, announce):
        """Downloads the missing packages."""
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(self.busybox):
            self._unpack("busybox-static", announce, self._take_busybox)
        if not os.path.exists(self._release):  # written last
            package = _kernel_package()
            self._unpack(package, announce, self._take_kernel)
            with open(self._release, "w", encoding="utf-8") as file:
                file.write(package.removeprefix("linux-image-"))

    def _take_busybox(self, name):
        return self.busybox if name.endswith("/bin/busybox") else None

    def _take_kernel(self, name):
        if "/boot/vmlinuz-" in name:
            return self.kernel
        if name.endswith(".ko") and _DRIVERS.search(name):
            return os.path.join(self.folder, os.path.basename(name))
        return None

    def _unpack(self, package, announce, target_of):
        """Writes each file of the package to the path that `target_of` returns."""
        announce(f"downloading {package} (not installed)")
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            _output(["apt-get", "download", package], folder)
            archive = next(name for name in os.listdir(folder) if name.endswith(".deb"))
            with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", os.path.join(folder, archive)],
                                  stdout=subprocess.PIPE) as reader, \
                    tarfile.open(fileobj=reader.stdout, mode="r|") as files:
                for member in files:
                    target = target_of(member.name) if member.isfile() else None
                    if target:
                        _write(target, files.extractfile(member).read())


def _write(path, data):
    with open(path + ".part", "wb") as file:
        file.write(data)
    os.replace(path + ".part", path)


def _kernel_package():
    """Returns the package that linux-image-amd64 depends on."""
    depends = _output(["apt-cache", "depends", "linux-image-amd64"])
    found = re.search(r"Depends: (linux-image-\d\S+)", depends)
    if not found:
        raise Unavailable("apt knows no linux-image-amd64 (has apt-get update been run?)")
    return found[1]


def _output(command, folder=None):
    try:
        done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, env=os.environ | {"LC_ALL": "C"})
    except FileNotFoundError:
        raise Unavailable(f"there is no {command[0]}: not Debian?") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Unavailable(f"{' '.join(command)}: {last}")
    return done.stdout
