#!/usr/bin/env python3
"""However mpirun binds processes, a job on this machine has the hierarchy that strata-topo shows for the processors
which the kernel lets them use."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "plugin"), os.path.join(HERE, "..", "..", "bench")]
from strata_bench.cluster import support  # noqa: E402

from job import SKIPPED, Failure, Paths, check, conclude, run  # noqa: E402

RANKS = 6
RANKFILE = "\n".join(f"rank {rank}={{host}} slot={rank % 2}" for rank in range(RANKS)) + "\n"
WAYS = {  # of mpirun
    "none": ["--bind-to", "none"],
    "core": ["--map-by", "slot", "--bind-to", "core:overload-allowed"],
    "socket": ["--bind-to", "socket:overload-allowed"],
    "ppr": ["--map-by", f"ppr:{RANKS}:node", "--bind-to", "hwthread:overload-allowed"],
    "cpus": ["--cpu-list", "0", "--bind-to", "core:overload-allowed"],  # of release 4
    "pes": ["--map-by", "pe-list=0:oversubscribe"],  # of release 5, which binds some of the processes
    "rankfile": ["--rankfile", "{rankfile}"],
}
SAY = 'echo "rank $OMPI_COMM_WORLD_RANK may use $(grep Cpus_allowed_list /proc/self/status)"; exec "$@"'


def cores_of_this_machine():
    """Processors by core, when every core has one: then strata-topo's cores are the kernel's processors."""
    count = os.cpu_count()
    for cpu in range(count):
        with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", encoding="ascii") as file:
            if file.read().strip() != str(cpu):
                print("skipped: cores have several hardware threads here")
                sys.exit(SKIPPED)
    if count < 2:
        print("skipped: one processor")
        sys.exit(SKIPPED)
    return count


def require(paths, way):
    release = {"cpus": 4, "pes": 5}.get(way)
    if release and support.release_of(paths["mpirun"]) != release:
        print(f"skipped: an option of Open MPI {release}")
        sys.exit(SKIPPED)


def test(paths, topo, way, given):
    require(paths, way)
    cores = cores_of_this_machine()
    with tempfile.TemporaryDirectory() as scratch:
        picture, rankfile = os.path.join(scratch, "job.json"), os.path.join(scratch, "ranks")
        with open(rankfile, "w", encoding="ascii") as file:
            file.write(RANKFILE.format(host=os.uname().nodename))
        options = [word.format(rankfile=rankfile) for word in WAYS[way]]
        outcome = run(paths, RANKS, "probe", [], {"coll_strata_reproducible": "1", "coll_strata_dump": picture,
                                                   "coll_strata_nic": "none"}, options=options,
                      wrapper=["sh", "-c", SAY, "say"])
        check(outcome, lambda job: (job.expect_success(), job.expect_messages()))
        with open(picture, encoding="utf-8") as file:
            live = json.load(file)["levels"]
    places = dict(re.findall(r"rank (\d+) may use Cpus_allowed_list:\s*([\d,-]+)", outcome.output))
    if len(places) != RANKS:
        raise Failure(f"only {len(places)} ranks report their places:\n{outcome.output}")
    everywhere = f"0-{cores - 1}"
    placement = ["all" if places[str(rank)] == everywhere else places[str(rank)] for rank in range(RANKS)]
    command = [topo, "--ppn", str(RANKS), "--placement", ";".join(given or placement), "--nic", "none",
               "--format", "json"]
    synthetic = json.loads(subprocess.run(command, check=True, text=True, capture_output=True).stdout)["levels"]
    groups = [[group["members"] for group in level["groups"]] for level in synthetic]
    if [[group["members"] for group in level["groups"]] for level in live] != groups:
        raise Failure(f"bound to {placement} the job has\n{json.dumps(live)}\nstrata-topo shows\n{json.dumps(synthetic)}")
    print(f"{way}: {';'.join(placement)}: {groups}")


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4].split("/") if sys.argv[4:] else None))
