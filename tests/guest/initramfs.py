"""An initramfs: a cpio archive in the format "newc", and the order in which drivers have to be loaded."""
import os
import re
import stat


class Archive:
    """Files for the root of an initramfs. All belong to root and have no date."""

    def __init__(self):
        self._parts = []
        self._inode = 0

    def add_folder(self, name):
        self._add(name, stat.S_IFDIR | 0o755, b"")

    def add(self, name, data, mode=0o755):
        self._add(name, stat.S_IFREG | mode, data.encode() if isinstance(data, str) else data)

    def add_file(self, name, path):
        with open(path, "rb") as file:
            self.add(name, file.read())

    def _add(self, name, mode, data):
        self._inode += 1
        path = name.encode() + b"\0"
        # inode, mode, uid, gid, links, time, size, device (2), special device (2), length of name, checksum
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self._parts += [_padded(header + path), _padded(data)]

    def bytes(self):
        self._add("TRAILER!!!", 0, b"")
        return b"".join(self._parts)


def _padded(data):
    return data + b"\0" * (-len(data) % 4)


def load_order(wanted, drivers):
    """Returns the paths of the wanted modules and their dependencies, each after its own dependencies, from the
    modules' metadata. A module missing in `drivers` is assumed to be built into the kernel, which complains if it is
    not."""
    order = []

    def visit(name):
        path = drivers.get(name)
        if path is None or path in order:
            return
        with open(path, "rb") as file:
            needs = re.search(rb"\0depends=([^\0]*)\0", file.read())
        for need in needs[1].decode().split(",") if needs else ():
            visit(need.replace("-", "_"))
        order.append(path)

    for name in wanted:
        visit(name)
    return order


def build(files, folder, settings):
    """The guest's initramfs, from the files of debian.Files and from `folder` with init and job. `settings`:
    variables for the job."""
    archive = Archive()
    for name in ("bin", "dev", "host", "modules", "proc", "sys"):
        archive.add_folder(name)
    archive.add_file("bin/busybox", files.busybox)
    archive.add_file("init", os.path.join(folder, "init"))
    archive.add_file("job", os.path.join(folder, "job"))
    archive.add("settings", "".join(f"export {name}={_quoted(value)}\n" for name, value in settings.items()))
    order = load_order(("virtio_pci", "9pnet_virtio", "9p", "e1000e"), files.drivers)
    for path in order:
        archive.add_file(f"modules/{os.path.basename(path)}", path)
    archive.add("modules/order", "".join(os.path.basename(path) + "\n" for path in order))
    return archive.bytes()


def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"
