#!/usr/bin/env python3
"""valgrind finds nothing wrong that has to do with the plugin: no bad access, nothing uninitialised, no
definite leak with one of its functions, or memory of its, in the report."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from job import SKIPPED, Failure, Paths, conclude, environment, pretended

RANKS = 3
PLUGIN = "mca_coll_strata.so"
SERIOUS = {"InvalidRead", "InvalidWrite", "InvalidFree", "InvalidJump", "MismatchedFree", "UninitCondition",
           "UninitValue", "SyscallParam", "Overlap", "Leak_DefinitelyLost"}

OURS = re.compile(r"strata::(component|algorithms|topology)::")  # and not the test program's own

SAMPLE = """<valgrindoutput>
<error><kind>InvalidRead</kind><stack><frame><obj>/x/libmpi.so</obj><fn>f</fn></frame></stack>
 <auxwhat>freed</auxwhat><stack><frame><obj>/x/mca_coll_strata.so</obj><fn>g</fn></frame></stack></error>
<error><kind>Leak_DefinitelyLost</kind><stack><frame><fn>strata::component::h()</fn></frame></stack></error>
<error><kind>InvalidWrite</kind><stack><frame><obj>/x/libother.so</obj><fn>k</fn></frame></stack></error>
<error><kind>Leak_StillReachable</kind><stack><frame><obj>/x/mca_coll_strata.so</obj></frame></stack></error>
</valgrindoutput>"""


def is_ours(frame):
    return os.path.basename(frame.findtext("obj", "")) == PLUGIN or OURS.match(frame.findtext("fn", ""))


def findings(text, kinds=frozenset(SERIOUS)):
    """The errors of these kinds of a valgrind report that have one of our frames in any of their stacks."""
    for error in ElementTree.fromstring(text).iter("error"):
        frames = list(error.iter("frame"))
        if error.findtext("kind") in kinds and any(is_ours(frame) for frame in frames):
            names = [frame.findtext("fn") or frame.findtext("obj") or "?" for frame in frames]
            yield f"{error.findtext('kind')}: {' < '.join(names[:12])}"


def test(paths, case):
    if case == "can_fail":
        found = list(findings(SAMPLE))
        if len(found) != 2:
            print(f"the sample has 2 findings, not {len(found)}")
            return
        raise Failure("\n".join(found))
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("skipped: valgrind is not installed")
        sys.exit(SKIPPED)
    for engine in ("tree", "levels"):
        with tempfile.TemporaryDirectory() as folder:
            check_engine(paths, case, engine, folder, valgrind)


def check_engine(paths, case, engine, folder, valgrind):
    command = [paths["mpirun"], "--oversubscribe", "-n", str(RANKS), valgrind, "--quiet", "--leak-check=full",
               "--keep-debuginfo=yes", "--xml=yes", f"--xml-file={folder}/%p.xml",
               "--child-silent-after-fork=yes",
               paths["probe"], "--cycles", "3", "--roots", "all", "--on", "both", "--watchdog", "200"]
    command += ["--tools-first"] if case == "tools_first" else []
    parameters = pretended(2, 2) | {"btl": "self,vader", "mpi_yield_when_idle": "1",
                                    "coll_strata_bcast_algorithm": engine}
    done = subprocess.run(command, env=environment(paths, parameters), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=250)
    if done.returncode != 0 or not re.search(rf"pvar coll_strata_bcast_{engine} ", done.stdout):
        print(done.stdout)
        raise Failure(f"the job ended with {done.returncode}, or did not use the engine {engine}")
    reports = [os.path.join(folder, name) for name in os.listdir(folder)]
    if len(reports) < RANKS:
        raise Failure(f"{len(reports)} reports of {RANKS} processes")
    # Without MPI_T_finalize (see probe.cc) Open MPI keeps the parameters' values: leaks do not count there.
    kinds = SERIOUS if case == "plain" else SERIOUS - {"Leak_DefinitelyLost"}
    found = set()
    for report in reports:
        with open(report, encoding="utf-8", errors="replace") as file:
            found |= set(findings(file.read(), kinds))
    if found:
        raise Failure("\n".join(sorted(found)))
    print(f"{case}, engine {engine}: nothing found in {len(reports)} processes")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2]))
