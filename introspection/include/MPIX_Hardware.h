/* Communicators that follow the hardware, for applications: link libstrata-introspection. Works with any MPI;
 * where processes are is found by hwloc, and switches as the coll/strata component finds them.
 *
 * Functions return MPI error codes and call the communicator's error handler once, as those of MPI do; that
 * of MPI_COMM_WORLD, if there is one, where they have no communicator. What a collective function gives is
 * then MPI_COMM_NULL, 0 or a null pointer. Its arguments must be the same on all members unless said
 * otherwise; what some find wrong, or different, all return (of several error classes the greatest), and
 * nobody waits for ever: each collective call costs a small exchange.
 *
 * Where a process may run is read when a function of this header is first called with a communicator that
 * none of them has made, and stays as it was with that communicator, its duplicates, and all that is made of
 * it. The machine itself, its NICs and its network are read once per process.
 *
 * Names of types are hwloc's ("Machine", "Package", "NUMANode", "L3Cache", "Core", "PU", ...), "Switch0" for
 * leaf switches, "Switch1" for those above them (counted along the longest branch below, in the communicator
 * that all others were made of), and "System - Cluster" (with an en dash, UTF-8) where no known switch joins
 * the nodes. Strings that are handed out belong to the library and stay valid until the program ends.
 *
 * Source: "A Hierarchical Model to Manage Hardware Topology in MPI Applications", sections 3 and 4. */
#ifndef MPIX_HARDWARE_H
#define MPIX_HARDWARE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The environment says more, or something else, of the machine:
 *
 *   STRATA_NETWORK    the switches above the nodes: auto (what Slurm says; the default), none, file:PATH in
 * the syntax of Slurm's topology.conf, or hosts:n[0-1]=top.site0;n[2-3]=top.site1 STRATA_NIC        the NICs
 * near which roots are chosen: auto (the default), none, or a list such as mlx5_0,ib0@numa:1 STRATA_TOPOLOGY
 * an XML file of hwloc, or synthetic:DESCRIPTION: a machine to stand for the real one STRATA_PLACEMENT  the
 * cores of that machine where processes run, by their rank on the node: 0-3;4;5;all, each perhaps with the
 * name of a node, 0@n0;0@n1; not bound where it is missing. Without STRATA_TOPOLOGY it has no effect
 *
 * Where one of them is not set, the parameter of the same name (coll_strata_network, ...) counts if Open
 * MPI's launcher passes it on in the environment, not where it stands in a parameter file; the component
 * itself heeds the parameters only. */

/* Values of split_type for MPIX_Comm_split_type() beside those of MPI. The first two are the same: the next
 * level down. The third is guided by the info key "mpi_hw_resource_type", whose value is the name of a type
 * (case does not count; "node", "socket", "numa", "l3", "hwthread" and the like are understood, too;
 * "mpi_shared_memory" is what MPI says of MPI_COMM_TYPE_SHARED, also on synthetic nodes). */
#define MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY (-7001)
#define MPIX_COMM_TYPE_HW_UNGUIDED MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY
#define MPIX_COMM_TYPE_HW_GUIDED (-7002)

/* What MPIX_Comm_get_min_hlevel() says of who is not concerned, and of processes on several nodes. */
#define MPIX_HLEVEL_UNKNOWN "Unknown"
#define MPIX_HLEVEL_CLUSTER "System \xE2\x80\x93 Cluster"

/* Splits by the next level of the hardware below what all members share. Collective over oldcomm.
 *
 * newcomm: a strict subset of oldcomm, its ranks in the order of oldcomm's: those that share one object of
 * that level with the caller. MPI_COMM_NULL for a process that runs on more than one such object (is not
 * bound that deep), and for all when there is nothing left to split. Of levels that split alike only the
 * lowest counts. Different branches may split by different levels. info: none of its keys counts here, and it
 * may differ. */
int MPIX_Comm_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm);

/* The same, with a communicator of the roots, one per oldcomm. Collective over oldcomm.
 *
 * rootscomm: rank 0 of every newcomm, in the order of oldcomm. Where rank 0 of oldcomm itself gets no newcomm
 * (it stops at this level while others descend) it is in rootscomm all the same, as its rank 0: so the root
 * of oldcomm always reaches all parts. MPI_COMM_NULL for every other process, and for all where there is no
 * newcomm. info: "strata_roots" = "nic_local" makes the process nearest to its node's NIC the root of every
 * newcomm (ties: the lowest rank), where that is known, and that of oldcomm comes from the same election;
 * "lowest" is the default. The ranks in newcomm stay as they are. NICs are those with an active fabric port,
 * or else all that have a network interface, with an address or without (the plugin asks Open MPI, too);
 * STRATA_NIC names others. The same on all: MPI_ERR_INFO_VALUE otherwise. */
int MPIX_Comm_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm, MPI_Comm* rootscomm);

/* All levels at once: what repeated calls of MPIX_Comm_hsplit_with_roots() give, each with the last newcomm.
 * Collective over comm; one exchange for all levels.
 *
 * nlevels: the number of entries, by how far down the caller takes part; 0 where nothing can be split.
 * newcomms, rootscomms: arrays of that length, to be given to MPIX_Comm_hierarchy_free(). The caller's last
 * newcomm is MPI_COMM_NULL where it only stands in rootscomm there. Either may be a null pointer if not
 * wanted, on all processes or on some. */
int MPIX_Comm_hierarchy(MPI_Comm comm, MPI_Info info, int* nlevels, MPI_Comm** newcomms,
                        MPI_Comm** rootscomms);

/* Frees the communicators, and the arrays; collective over each communicator. Null pointers are passed over.
 */
int MPIX_Comm_hierarchy_free(int nlevels, MPI_Comm** newcomms, MPI_Comm** rootscomms);

/* What a communicator made by a function of this header stands for; also of duplicates of it. Local.
 *
 * num_comms: how many communicators were made of the same parent; index: which of them this is, from 0, by
 * lowest rank in the parent; type: the name of what its members share. Null pointers are passed over.
 * MPI_ERR_COMM for any other communicator, also of roots, and by a type of MPI's own. */
int MPIX_Comm_get_hlevel_info(MPI_Comm comm, int* num_comms, int* index, char** type);

/* The type of the lowest level that all listed ranks of comm share. "Unknown" when comm is MPI_COMM_NULL or
 * the caller is not in the list.
 *
 * The first function of this header that is called with a communicator which none of them has made is
 * collective over it, as it finds out where all members are: before it looks at other arguments. From then on
 * this one is local, and may be called by the listed ranks alone. Communicators of roots, and all of
 * MPIX_Comm_split_type(), are made by them, too. MPI_ERR_RANK for a rank outside comm, MPI_ERR_ARG for nranks
 * < 0. */
int MPIX_Comm_get_min_hlevel(MPI_Comm comm, int nranks, const int ranks[], char** type);

/* MPI_Comm_split_type() with the three types above, and all others passed on to it. Collective over comm. A
 * process that gives MPI_UNDEFINED takes no part and gets MPI_COMM_NULL; MPI_ERR_ARG where others do not give
 * the same type, MPI_ERR_INFO_VALUE where they do not name the same.
 *
 * HW_UNGUIDED: as MPIX_Comm_hsplit() for those that take part. HW_GUIDED: processes that run inside the same
 * object of the type named by the info; MPI_COMM_NULL for a process that is not bound so deep, or of whose
 * machine (or network) no such object is known, and for all if the type or the key is missing or unknown; not
 * necessarily a strict subset. Ranks are by key, then as in comm. Source: MPI 4.0, section 7.4.2. */
int MPIX_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm);

#ifdef __cplusplus
}
#endif

#endif
