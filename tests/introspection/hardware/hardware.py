#!/usr/bin/env python3
"""hardware.py MPIRUN FOLDER CASE: tests hardware communicators of jobs on synthetic topologies against hand-written
tables; sections are those of the paper "A Hierarchical Model to Manage Hardware Topology in MPI Applications".

The same under any MPI: FOLDER has the programs, MPIRUN starts them."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "plugin"))

from job import SKIPPED, Failure, conclude  # noqa: E402

# Two NUMA nodes, each one package with one L3; two pairs of cores below each, which share an L2 and an L1 (figure 1).
PAPER = "synthetic:numa:2 package:1 l3:1 l2:2 l1:1 core:2 pu:1"
PLAIN = "synthetic:package:2 core:2"
SECONDS = 60


def start(mpirun, folder, ranks, arguments, machine, options=()):
    """Output and exit status of a program on `ranks` ranks; `machine`: STRATA_... without that prefix; `options`: of
    mpirun."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_MCA_", "STRATA_", "HWLOC_"))}
    own |= {f"STRATA_{name}": value for name, value in machine.items()}
    own |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader"}
    program, *rest = arguments
    command = [mpirun, *options, "-n", str(ranks), os.path.join(folder, program), *rest]
    try:
        done = subprocess.run(command, env=own, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                              check=False)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"no end after {SECONDS} s: {' '.join(command)}\n{error.output}") from None
    return done.stdout, done.returncode


def table(output):
    """(step, rank) -> (type, number, index, members, roots)."""
    found = {}
    for line in output.splitlines():
        words = line.split(" ")
        if words[0] != "step":
            raise Failure(f"unexpected: {line}\n{output}")
        at = {name: words.index(name) for name in ("rank", "type", "of", "index", "members", "roots")}
        kind = " ".join(words[at["type"] + 1:at["of"]])
        found[int(words[1]), int(words[3])] = (kind, *(words[at[name] + 1] for name in ("of", "index", "members", "roots")))
    return found


def compare(found, wanted):
    wrong = [f"step {key[0]}, rank {key[1]}: {found.get(key)} instead of {wanted.get(key)}"
             for key in sorted(set(found) | set(wanted)) if found.get(key) != wanted.get(key)]
    if wrong:
        raise Failure("\n".join(wrong))


def cores(nodes, per_node):
    return ";".join(f"{core}@p{node}" for node in range(nodes) for core in range(per_node))


def text(ranks):
    return ",".join(map(str, ranks))


NOTHING = ("-", "-", "-", "-", "-")


def group(kind, number, index, members, roots, rank):
    """A member's view: only roots see the roots."""
    return kind, str(number), str(index), text(members), text(roots) if rank in roots else "-"


def simple_case():
    """Section 5.1: 4 nodes, a process per core."""
    wanted = {}
    for rank in range(32):
        node, pair = rank - rank % 8, rank - rank % 2
        half = rank - rank % 4
        wanted[1, rank] = group("Machine", 4, rank // 8, range(node, node + 8), (0, 8, 16, 24), rank)
        wanted[2, rank] = group("L3Cache", 2, rank % 8 // 4, range(half, half + 4), (node, node + 4), rank)
        wanted[3, rank] = group("L1Cache", 2, rank % 4 // 2, (pair, pair + 1), (half, half + 2), rank)
        wanted[4, rank] = group("Core", 2, rank % 2, (rank,), (pair, pair + 1), rank)
        wanted[5, rank] = NOTHING
    return 32, {"TOPOLOGY": PAPER, "PLACEMENT": cores(4, 8)}, wanted


def mixed_case():
    """Section 5.2: one node, bindings of three widths."""
    wanted = {}
    for rank in range(8):
        half, pair = rank - rank % 4, rank - rank % 2
        wanted[1, rank] = group("L3Cache", 2, rank // 4, range(half, half + 4), (0, 4), rank)
        wanted[2, rank] = NOTHING if rank >= 4 else group("L1Cache", 2, rank // 2, (pair, pair + 1), (0, 2), rank)
        if rank < 4:
            wanted[3, rank] = NOTHING if rank >= 2 else group("Core", 2, rank, (rank,), (0, 1), rank)
        if rank < 2:
            wanted[4, rank] = NOTHING
    return 8, {"TOPOLOGY": PAPER, "PLACEMENT": "0;1;2-3;2-3;4-7;4-7;4-7;4-7"}, wanted


def stopping_root_case():
    """Rank 0 runs anywhere on its L3, the others descend: it stays the root of the roots."""
    wanted = {(1, 0): ("-", "-", "-", "-", "0,1,3")}
    for rank, (index, pair) in {1: (0, (1, 2)), 2: (0, (1, 2)), 3: (1, (3, 4)), 4: (1, (3, 4))}.items():
        wanted[1, rank] = group("L1Cache", 2, index, pair, (0, 1, 3), rank)
        wanted[2, rank] = group("Core", 2, pair.index(rank), (rank,), pair, rank)
        wanted[3, rank] = NOTHING
    return 5, {"TOPOLOGY": PAPER, "PLACEMENT": "0-3;0;1;2;3"}, wanted


def stopping_others_case():
    """The other ranks stop, the root descends: they see no more steps."""
    wanted = {(1, 0): group("L1Cache", 2, 0, (0, 1), (0, 3), 0), (1, 1): group("L1Cache", 2, 0, (0, 1), (0, 3), 1),
              (1, 2): NOTHING, (1, 3): group("Core", 2, 1, (3,), (0, 3), 3),
              (2, 0): group("Core", 2, 0, (0,), (0, 1), 0), (2, 1): group("Core", 2, 1, (1,), (0, 1), 1),
              (2, 3): NOTHING, (3, 0): NOTHING, (3, 1): NOTHING}
    return 4, {"TOPOLOGY": PAPER, "PLACEMENT": "0;1;0-3;2"}, wanted


def network_case():
    """Two leaf switches below a third one, nodes assigned cyclically, a process on each."""
    network = "hosts:p0=top.left;p1=top.right;p2=top.left;p3=top.right"
    wanted = {}
    for rank in range(4):
        members = (0, 2) if rank % 2 == 0 else (1, 3)
        wanted[1, rank] = group("Switch0", 2, rank % 2, members, (0, 1), rank)
        wanted[2, rank] = group("Core", 2, rank // 2, (rank,), members, rank)
        wanted[3, rank] = NOTHING
    return 4, {"TOPOLOGY": PLAIN, "PLACEMENT": "0@p0;0@p1;0@p2;0@p3", "NETWORK": network}, wanted


def absent_nic_case():
    """A NIC missing on a node is ignored, as in the plugin: nodes may differ."""
    ranks, machine, wanted = nic_local_case()
    return ranks, machine | {"NIC": "mlx5_7," + machine["NIC"]}, wanted


def unbound_case():
    """Processes that are not bound stop at their nodes, as for MPI_COMM_TYPE_SHARED (section 3.2.4)."""
    wanted = {}
    for rank in range(4):
        node = rank - rank % 2
        wanted[1, rank] = group("Machine", 2, rank // 2, (node, node + 1), (0, 2), rank)
        wanted[2, rank] = NOTHING
    return 4, {"TOPOLOGY": PLAIN, "PLACEMENT": "all@p0;all@p0;all@p1;all@p1"}, wanted


_SITES = {"TOPOLOGY": PLAIN, "PLACEMENT": cores(4, 2), "NETWORK": "hosts:p[0-1]=top.left;p[2-3]=top.right"}


def network_only_case():
    """Two switches of two nodes with two processes: nothing splits inside the nodes."""
    wanted = {}
    for rank in range(8):
        site, node = rank - rank % 4, rank - rank % 2
        wanted[1, rank] = group("Switch0", 2, rank // 4, range(site, site + 4), (0, 4), rank)
        wanted[2, rank] = group("Machine", 2, rank % 4 // 2, (node, node + 1), (site, site + 2), rank)
        wanted[3, rank] = NOTHING
    return 8, _SITES, wanted


def node_only_case():
    """The same job: the nodes first, regardless of the switches."""
    wanted = {}
    for rank in range(8):
        node = rank - rank % 2
        wanted[1, rank] = group("Package", 4, rank // 2, (node, node + 1), (0, 2, 4, 6), rank)
        wanted[2, rank] = group("Core", 2, rank % 2, (rank,), (node, node + 1), rank)
        wanted[3, rank] = NOTHING
    return 8, _SITES, wanted


def nic_local_case():
    """The NIC hangs below the second package: its first process is the root everywhere above."""
    wanted = {}
    for rank in range(8):
        node, pair = rank - rank % 4, rank - rank % 2
        wanted[1, rank] = group("Machine", 2, rank // 4, range(node, node + 4), (2, 6), rank)
        wanted[2, rank] = group("Package", 2, rank % 4 // 2, (pair, pair + 1), (node, node + 2), rank)
        wanted[3, rank] = group("Core", 2, rank % 2, (rank,), (pair, pair + 1), rank)
        wanted[4, rank] = NOTHING
    return 8, {"TOPOLOGY": PLAIN, "PLACEMENT": cores(2, 4), "NIC": "ib0@package:1"}, wanted


def uneven_switches_case():
    """A site with two levels of switches beside a site with one, packages below: a switch has the same height from
    any view."""
    network = "hosts:p0=top.site.left;p1=top.site.right;p2=top.flat"
    wanted = {}
    for rank in range(6):
        pair = (rank - rank % 2, rank - rank % 2 + 1)
        if rank < 4:
            wanted[1, rank] = group("Switch1", 2, 0, range(4), (0, 4), rank)
            wanted[2, rank] = group("Package", 2, rank // 2, pair, (0, 2), rank)
        else:
            wanted[1, rank] = group("Package", 2, 1, pair, (0, 4), rank)
        step = 3 if rank < 4 else 2
        wanted[step, rank] = group("Core", 2, rank % 2, (rank,), pair, rank)
        wanted[step + 1, rank] = NOTHING
    return 6, {"TOPOLOGY": PLAIN, "PLACEMENT": cores(3, 2), "NETWORK": network}, wanted


def nic_local_stopping_case():
    """Rank 0 stops at its machine, far from the NIC: the nearest rank leads the whole group too."""
    wanted = {}
    for rank in range(1, 4):
        pair = (1,) if rank == 1 else (2, 3)
        wanted[1, rank] = group("Package", 2, rank // 2, pair, (1, 2), rank) if rank > 1 else \
            group("Core", 2, 0, pair, (1, 2), rank)
        if rank > 1:
            wanted[2, rank] = group("Core", 2, rank % 2, (rank,), pair, rank)
            wanted[3, rank] = NOTHING
        else:
            wanted[2, rank] = NOTHING
    wanted[1, 0] = NOTHING
    return 4, {"TOPOLOGY": PLAIN, "PLACEMENT": "all;0;2;3", "NIC": "ib0@package:1"}, wanted


NIC_LOCAL = ["--strata-roots", "nic_local"]
TABLES = {"simple": (simple_case, []), "simple_at_once": (simple_case, ["--at-once"]), "mixed": (mixed_case, []),
          "mixed_at_once": (mixed_case, ["--at-once"]), "stopping_root": (stopping_root_case, []),
          "stopping_root_at_once": (stopping_root_case, ["--at-once"]), "stopping_others": (stopping_others_case, []),
          "network": (network_case, []), "unbound": (unbound_case, []), "nic_local": (nic_local_case, NIC_LOCAL),
          "near_card": (nic_local_case, ["--strata-roots", "near_card"]),  # its former name
          "network_only": (network_only_case, ["--strata-levels", "network"]),
          "network_only_at_once": (network_only_case, ["--strata-levels", "network", "--at-once"]),
          "node_only": (node_only_case, ["--strata-levels", "node"]),
          "absent_nic": (absent_nic_case, NIC_LOCAL), "nic_local_stopping": (nic_local_stopping_case, NIC_LOCAL)}

# Requested type -> returned name, and members in order (keys are negative ranks) by rank, on two nodes with a
# process per core, the last one unbound.
GUIDED = {
    "Machine": ("Machine", "3,2,1,0 3,2,1,0 3,2,1,0 3,2,1,0 7,6,5,4 7,6,5,4 7,6,5,4 7,6,5,4"),
    "mpi_shared_memory": ("Machine", "7,6,5,4,3,2,1,0 " * 8),  # they can, although the nodes are synthetic
    "Package": ("Package", "1,0 1,0 3,2 3,2 5,4 5,4 6 -"),
    "socket": ("Package", "1,0 1,0 3,2 3,2 5,4 5,4 6 -"),
    "Core": ("Core", "0 1 2 3 4 5 6 -"),
    "hwthread": ("PU", "0 1 2 3 4 5 6 -"),
    "L3Cache": (None, "- - - - - - - -"),
    "NUMANode": ("NUMANode", "3,2,1,0 3,2,1,0 3,2,1,0 3,2,1,0 7,6,5,4 7,6,5,4 7,6,5,4 7,6,5,4"),  # hwloc adds one
    "Switch0": ("Switch0", "3,2,1,0 3,2,1,0 3,2,1,0 3,2,1,0 7,6,5,4 7,6,5,4 7,6,5,4 7,6,5,4"),
    "Switch1": ("Switch1", "7,6,5,4,3,2,1,0 " * 8),
    "Switch2": (None, "- - - - - - - -"),
    "Torus": (None, "- - - - - - - -"),
}


def check_table(mpirun, folder, make, options, spoil=None):
    ranks, machine, wanted = make()
    if spoil:
        spoil(wanted)
    output, status = start(mpirun, folder, ranks, ["show_hierarchy", *options], machine)
    if status != 0:
        raise Failure(f"exit status {status}\n{output}")
    compare(table(output), wanted)


# The same on three nodes below switches of different heights.
UNEVEN = {
    "Switch1": ("Switch1", "3,2,1,0 3,2,1,0 3,2,1,0 3,2,1,0 - -"),
    "Switch2": ("Switch2", "5,4,3,2,1,0 " * 6),
}


def check_guided(mpirun, folder, ranks, machine, cases):
    for asked, (kind, members) in cases.items():
        output, status = start(mpirun, folder, ranks, ["show_hierarchy", "--split", asked], machine)
        if status != 0:
            raise Failure(f"{asked}: exit status {status}\n{output}")
        found = table(output)
        told = " ".join(found[1, rank][3] for rank in range(ranks))
        if told != members.strip():
            raise Failure(f"{asked}: {told} instead of {members}")
        kinds = {found[1, rank][0] for rank in range(ranks) if found[1, rank][3] != "-"}
        if kinds != ({kind} if kind else set()):
            raise Failure(f"{asked}: called {kinds}, not {kind}")


def check_even(mpirun, folder):
    machine = {"TOPOLOGY": PLAIN, "PLACEMENT": cores(2, 4).rsplit(";", 1)[0] + ";all@p1",
               "NETWORK": "hosts:p0=top.left;p1=top.right"}
    check_guided(mpirun, folder, 8, machine, GUIDED)


def check_uneven(mpirun, folder):
    check_table(mpirun, folder, uneven_switches_case, [])
    ranks, machine, _ = uneven_switches_case()
    check_guided(mpirun, folder, ranks, machine, UNEVEN)


def check_same_as_plugin(mpirun, folder):
    """Returns the groups that the plugin draws for the same job, given the plugin's parameters for it."""
    plugin = os.environ.get("STRATA_TEST_PLUGIN")
    if not plugin:
        print("skipped: this build has no plugin")
        sys.exit(SKIPPED)
    places = "0@p0;0@p1;1@p0;4-5@p1;4@p2;all@p2;2@p0;3@p1"
    with tempfile.TemporaryDirectory() as scratch:
        dump = os.path.join(scratch, "hierarchy.json")
        parameters = {"coll_strata_topology": PAPER, "coll_strata_placement": places, "coll_strata_dump": dump,
                      "coll_strata_network": "hosts:p0=top.left;p1=top.right;p2=top.left",
                      "opal_mca_base_component_path": f"{os.path.dirname(plugin)}:SYSTEM_DEFAULT:USER_DEFAULT"}
        options = [word for name, value in parameters.items() for word in ("--mca", name, value)]
        output, status = start(mpirun, folder, 8, ["show_hierarchy"], {}, options)
        if status != 0:
            raise Failure(f"exit status {status}\n{output}")
        with open(dump, encoding="utf-8") as file:
            drawn = json.load(file)
    wanted = {text(group["members"]) for level in drawn["levels"] for group in level["groups"]} - {text(range(8))}
    found = {row[3] for row in table(output).values()} - {"-"}
    if found != wanted or len(wanted) < 8:
        raise Failure(f"the library finds {sorted(found)}, the plugin {sorted(wanted)}")


def check_program(mpirun, folder, program, *options, ranks=8, machine=None):
    output, status = start(mpirun, folder, ranks, [program, *options], machine or {"TOPOLOGY": PLAIN, "PLACEMENT": cores(2, 4)})
    if status != 0 or f"{program}: 0 failures" not in output:
        raise Failure(f"exit status {status}\n{output}")


def check_switch_names(mpirun, folder):
    check_program(mpirun, folder, "hardware_together", "switches", ranks=3,
                  machine={"TOPOLOGY": PLAIN, "PLACEMENT": cores(3, 1), "NETWORK": "hosts:p0=top.site.left;p1=top.flat;p2=top.even"})


def check_fault(*arguments, ranks=4):
    def check(mpirun, folder):
        check_program(mpirun, folder, "hardware_faults", *arguments, ranks=ranks, machine={"TOPOLOGY": PLAIN, "PLACEMENT": "0;1;2;3"})
    return check


def check_bad_variable(mpirun, folder):
    """A process that cannot find its place reports why, with the variable's name; the job ends."""
    output, status = start(mpirun, folder, 4, ["show_hierarchy"], {"TOPOLOGY": PLAIN, "PLACEMENT": "0;1;2;17"})
    if status == 0 or "STRATA_PLACEMENT = '0;1;2;17': core 17 of '17' does not exist" not in output:
        raise Failure(f"exit status {status}\n{output}")
    # Each message that all processes have is printed once.
    for machine, told in (({"NETWORK": "hosts:a"}, "STRATA_NETWORK = 'hosts:a': "),
                          ({"TOPOLOGY": "/none.xml"}, "STRATA_TOPOLOGY = '/none.xml': "),
                          ({"TOPOLOGY": PLAIN, "PLACEMENT": "0;17;17;18"}, "core 17 of '17' does not exist")):
        output, status = start(mpirun, folder, 4, ["show_hierarchy"], machine)
        if "PLACEMENT" not in machine and f"(rank 0 on {os.uname().nodename}, and 3 more)" not in output:
            raise Failure(f"the failing process is not named:\n{output}")
        if status == 0 or output.count(told) != 1 or output.count("strata-introspection: ") != 1 + ("PLACEMENT" in machine):
            raise Failure(f"exit status {status}, with {machine} reported other than once: {told}\n{output}")


def spoil_one(wanted):
    wanted[2, 5] = NOTHING


CASES = {"guided": check_even, "uneven_switches": check_uneven,
         "rules": lambda mpirun, folder: check_program(mpirun, folder, "hardware_rules"),
         "together": lambda mpirun, folder: check_program(mpirun, folder, "hardware_together"),
         "switch_names": check_switch_names, "failing_split": check_fault("failing_split"),
         "without_world": check_fault("without_world", ranks=1),
         "long_names": check_fault("long_names"), "no_name": check_fault("no_name"),
         "freed": check_fault("freed", "300", ranks=2),
         "same_as_plugin": check_same_as_plugin, "bad_variable": check_bad_variable,
         "can_fail_table": lambda mpirun, folder: check_table(mpirun, folder, simple_case, [], spoil_one),
         "can_fail_rules": lambda mpirun, folder: check_program(mpirun, folder, "hardware_rules", "--sabotage")}


def test(mpirun, folder, name):
    if name in TABLES:
        check_table(mpirun, folder, *TABLES[name])
    elif name in CASES:
        CASES[name](mpirun, folder)
    else:
        raise Failure(f"unknown case; known: {' '.join([*TABLES, *CASES])}")


if __name__ == "__main__":
    conclude(lambda: test(*sys.argv[1:4]))
