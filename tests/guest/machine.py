"""A machine of four NUMA nodes with NICs, under QEMU."""
import os
import shutil
import signal
import subprocess
import time

from debian import Unavailable

NODES = 4
CORES_PER_NODE = 2
MEMORY_MIB = 1024
_QEMU = "qemu-system-x86_64"


def accelerator(files):
    """Returns "kvm" if that boots a kernel (up to its panic without a root), else "tcg". On some machines /dev/kvm
    exists but runs nothing. The result is cached beside the kernel."""
    memory = os.path.join(files.folder, "accelerator")
    if not os.path.exists(memory):
        trial = [_QEMU, "-machine", "q35", "-accel", "kvm", "-m", "256M", "-kernel", files.kernel, "-append",
                 "quiet panic=-1", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        works = os.access("/dev/kvm", os.R_OK | os.W_OK) and run(trial, os.devnull, 10, lambda: None) == 0
        with open(memory, "w", encoding="utf-8") as file:
            file.write("kvm" if works else "tcg")
    with open(memory, encoding="utf-8") as file:
        return file.read()


def require():
    """Raises Unavailable when such a machine cannot run here."""
    if os.uname().machine != "x86_64":
        raise Unavailable(f"the guest runs this machine's programs under x86_64, not {os.uname().machine}")
    if shutil.which(_QEMU) is None:
        raise Unavailable(f"no {_QEMU} (Debian: qemu-system-x86)")
    with open("/proc/meminfo", encoding="utf-8") as file:
        available = next(int(line.split()[1]) // 1024 for line in file if line.startswith("MemAvailable:"))
    if available < MEMORY_MIB + 512:
        raise Unavailable(f"{available} MiB of memory are free, the guest needs {MEMORY_MIB + 512}")


def command(files, initramfs, nics, words, accelerate, console, report):
    """Returns QEMU's command line. `nics`: pairs (MAC address, NUMA node, or None if firmware does not report the
    place). `words`: for the kernel's command line. `console`, `report`: files for the two serial lines."""
    cores = NODES * CORES_PER_NODE
    line = ["-machine", "q35", "-cpu", "qemu64,+l3-cache", "-m", f"{MEMORY_MIB}M",
            "-smp", f"{cores},sockets={NODES},cores={CORES_PER_NODE},threads=1"]
    line += ["-accel", "tcg,thread=multi" if accelerate == "tcg" else accelerate]
    for node in range(NODES):
        first = CORES_PER_NODE * node
        line += ["-object", f"memory-backend-ram,id=memory{node},size={MEMORY_MIB // NODES}M", "-numa",
                 f"node,nodeid={node},cpus={first}-{first + CORES_PER_NODE - 1},memdev=memory{node}"]
    for number, (mac, node) in enumerate(nics, 1):
        bus = "pcie.0"
        if node is not None:
            bus, bridge = f"port{number}", f"bridge{number}"
            line += ["-device", f"pxb-pcie,id={bridge},bus=pcie.0,bus_nr={64 * number},numa_node={node}",
                     "-device", f"pcie-root-port,id={bus},bus={bridge},chassis={number},slot=1"]
        line += ["-netdev", f"user,id=net{number},restrict=on",
                 "-device", f"e1000e,netdev=net{number},mac={mac},bus={bus},romfile="]
    line += ["-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
             "-device", "virtio-9p-pci,fsdev=host,mount_tag=host,bus=pcie.0"]
    line += ["-kernel", files.kernel, "-initrd", initramfs,
             "-append", " ".join(["console=ttyS0", "quiet", "panic=-1", *words])]
    return [_QEMU, *line, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{console}", "-serial", f"file:{report}"]


def run(line, log, limit, watch):
    """Runs QEMU until it ends, at most `limit` seconds; calls `watch()` regularly. Returns its exit status, None if
    it did not end. QEMU never survives this process."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *line], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT)
        try:
            end = time.monotonic() + limit
            while process.poll() is None and time.monotonic() < end:
                time.sleep(0.2)
                watch()
            return process.poll()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def end_on_signals():
    """Turns SIGTERM and SIGHUP into an exception, so that QEMU is ended."""
    def leave(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
