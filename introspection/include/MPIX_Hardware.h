/* Communicators that follow the hardware, for applications: link libstrata-introspection. Works with any MPI:
 * hwloc locates processes, and switches come from the sources of the coll/strata component.
 *
 * Errors: functions return MPI error codes and call the communicator's error handler once, as MPI's do;
 * without a communicator, that of MPI_COMM_WORLD if it exists. Outputs are then MPI_COMM_NULL, 0 or a null
 * pointer. Arguments of collective functions must be equal on all members unless stated otherwise. If some
 * members find an argument wrong or different, all members return an error (of several error classes the
 * greatest) and none waits for ever. Each collective call costs a small exchange.
 *
 * Binding: the first call with a communicator that no function here has made reads where each member may run.
 * That communicator, its duplicates and all communicators made of it keep this state. Machine, NICs and
 * network are read once per process.
 *
 * Type names are hwloc's ("Machine", "Package", "NUMANode", "L3Cache", "Core", "PU", ...); "Switch0" for leaf
 * switches, "Switch1" for those above them (counted along the longest branch below, in the communicator of
 * which all others were made); "System - Cluster" (with an en dash, UTF-8) if no known switch joins the
 * nodes. Returned strings belong to the library and stay valid until the program ends.
 *
 * Source: "A Hierarchical Model to Manage Hardware Topology in MPI Applications", sections 3 and 4. */
#ifndef MPIX_HARDWARE_H
#define MPIX_HARDWARE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Environment variables override the detected machine:
 *
 * STRATA_NETWORK: the switches above the nodes. auto (those that Slurm reports; the default), none, file:PATH
 *   (syntax of Slurm's topology.conf) or hosts:n[0-1]=top.site0;n[2-3]=top.site1.
 * STRATA_NIC: the NICs near which roots are chosen. auto (the default), none, or a list such as
 *   mlx5_0,ib0@numa:1.
 * STRATA_TOPOLOGY: replaces the real machine. An hwloc XML file, or synthetic:DESCRIPTION.
 * STRATA_PLACEMENT: the cores of that machine for each rank on the node, 0-3;4;5;all, optionally with a node
 *   name, 0@n0;0@n1. Unset: unbound. No effect without STRATA_TOPOLOGY.
 *
 * An unset variable defaults to the parameter of the same name (coll_strata_network, ...) if Open MPI's
 * launcher exports it to the environment; parameter files are not read. The component itself uses the
 * parameters only. */

/* Values of split_type for MPIX_Comm_split_type(), in addition to MPI's. The first two are equal and select
 * the next level down. The third takes the type name from the info key "mpi_hw_resource_type"; case is
 * ignored, and "node", "socket", "numa", "l3", "hwthread" and similar aliases are accepted.
 * "mpi_shared_memory" means MPI_COMM_TYPE_SHARED of the underlying MPI, also on synthetic nodes. */
#define MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY (-7001)
#define MPIX_COMM_TYPE_HW_UNGUIDED MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY
#define MPIX_COMM_TYPE_HW_GUIDED (-7002)

/* Types that MPIX_Comm_get_min_hlevel() returns for a caller outside the list, and across nodes. */
#define MPIX_HLEVEL_UNKNOWN "Unknown"
#define MPIX_HLEVEL_CLUSTER "System \xE2\x80\x93 Cluster"

/* Splits by the next hardware level below the one that all members share. Collective over oldcomm.
 *
 * newcomm: the members that share the caller's object of that level, in the order of oldcomm; a strict subset
 * of oldcomm. MPI_COMM_NULL for a process whose binding spans several such objects, and for all members if
 * nothing is left to split. Of levels that split alike only the lowest counts. Different branches may split
 * by different levels. info: "strata_levels" = "network" splits by switches and nodes only, "node" by nodes and
 * what is inside them only; "all" is the default. Must be equal on all members (MPI_ERR_INFO_VALUE). */
int MPIX_Comm_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm);

/* As MPIX_Comm_hsplit(), plus a communicator of the roots, one per oldcomm. Collective over oldcomm.
 *
 * rootscomm: rank 0 of every newcomm, in the order of oldcomm. If rank 0 of oldcomm gets no newcomm (it stops
 * at this level while others descend), it is still rank 0 of rootscomm, so that the root of oldcomm reaches
 * all parts. MPI_COMM_NULL for all other processes, and for all members without any newcomm. info:
 * "strata_roots" = "nic_local" makes the process nearest to its node's NIC the root of every newcomm and of
 * oldcomm (ties, and unknown distances: the lowest rank); "lowest" is the default. Ranks in newcomm are
 * unaffected. NICs are those with an active fabric port, else all with a network interface, addressed or not
 * (the plugin also asks Open MPI); STRATA_NIC overrides them. Must be equal on all members
 * (MPI_ERR_INFO_VALUE); and "strata_levels" as above. */
int MPIX_Comm_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm, MPI_Comm* rootscomm);

/* All levels at once: the results of repeated calls of MPIX_Comm_hsplit_with_roots() on the last newcomm.
 * Collective over comm; one exchange for all levels.
 *
 * info: as for MPIX_Comm_hsplit_with_roots(). nlevels: the number of levels in which the caller takes part; 0
 * if nothing can be split.
 * newcomms, rootscomms: arrays of that length, to be freed by MPIX_Comm_hierarchy_free(). The caller's last
 * newcomm is MPI_COMM_NULL if the caller is only a member of rootscomm there. Either pointer may be null, on
 * all processes or on some. */
int MPIX_Comm_hierarchy(MPI_Comm comm, MPI_Info info, int* nlevels, MPI_Comm** newcomms,
                        MPI_Comm** rootscomms);

/* Frees the communicators and the arrays; collective over each communicator. Ignores null pointers. */
int MPIX_Comm_hierarchy_free(int nlevels, MPI_Comm** newcomms, MPI_Comm** rootscomms);

/* Describes a communicator that a function of this header made, or a duplicate of one. Local.
 *
 * num_comms: number of communicators made of the same parent; index: position among them, from 0, by lowest
 * rank in the parent; type: the type that its members share. Null pointers are ignored. MPI_ERR_COMM for any
 * other communicator, including those of roots and those split by a type of MPI. */
int MPIX_Comm_get_hlevel_info(MPI_Comm comm, int* num_comms, int* index, char** type);

/* Returns the type of the lowest level that all listed ranks of comm share; "Unknown" if comm is
 * MPI_COMM_NULL or the caller is not in the list.
 *
 * The first call of any function here with a communicator that none of them has made is collective over it,
 * because it exchanges the members' locations before it checks other arguments. From then on this function
 * is local, and the listed ranks may call it alone. Communicators of roots, and all those of
 * MPIX_Comm_split_type(), count as made here. MPI_ERR_RANK for a rank outside comm, MPI_ERR_ARG for
 * nranks < 0. */
int MPIX_Comm_get_min_hlevel(MPI_Comm comm, int nranks, const int ranks[], char** type);

/* MPI_Comm_split_type() with the three types above; other types go to MPI. Collective over comm. A process
 * that passes MPI_UNDEFINED takes no part and gets MPI_COMM_NULL. MPI_ERR_ARG if the others pass different
 * types, MPI_ERR_INFO_VALUE if they name different resource types.
 *
 * HW_UNGUIDED: MPIX_Comm_hsplit() over the processes that take part. HW_GUIDED: processes inside the same
 * object of the named type, not necessarily a strict subset. MPI_COMM_NULL for a process whose binding spans
 * several such objects or whose machine (or network) has no such known object, and for all if the key is
 * missing or the type unknown. Ranks are ordered by key, then as in comm. Source: MPI 4.0, section 7.4.2. */
int MPIX_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm);

#ifdef __cplusplus
}
#endif

#endif
