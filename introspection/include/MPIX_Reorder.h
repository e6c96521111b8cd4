/* Reorders ranks so that those that communicate much are near each other, for applications: link
 * libstrata-introspection. Works with any MPI; the traffic may come from a monitoring session (MPI_Monitoring.h) or from
 * any other source.
 *
 * Source: figure 1 of the paper on introspection monitoring: process i of the old communicator gets rank k[i] in the new
 * one, and from then on does the work of rank k[i].
 *
 * Functions return MPI error codes and call the communicator's error handler, as MPI's do; MPI_COMM_WORLD's if comm is
 * MPI_COMM_NULL. If some processes find an argument wrong, all return an error (of several codes the greatest) and none
 * waits for ever. The errors named below are classes; MPI's own may occur, too. */
#ifndef MPIX_REORDER_H
#define MPIX_REORDER_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes a new order from the traffic that each process reports for itself. Collective over comm; the rows travel to
 * rank 0 without their zeros.
 *
 * sizes: bytes that the caller sent to each rank of comm, as from MPI_M_get_data(); counts: messages, or a null pointer
 * if only bytes are known.
 * info: "strata_margin": the least estimated saving, as a fraction of the communication time, 0 to 1 (0.05);
 * "strata_costs": link costs in the syntax of strata-reorder --costs; "strata_message_bytes": cost of a message in bytes,
 * in addition to its own (4096). The values of rank 0 count, and those of root below.
 * k: array with a number per rank of comm, equal on all processes; may be a null pointer.
 * reordered: a new communicator of all members, which the caller frees. If the estimated saving is below the margin, it
 * has the old order, and k[i] is i. MPI_COMM_NULL after errors.
 *
 * Errors of MPIX_Comm_reorder: MPI_ERR_ARG (a null pointer; the sum of all numbers exceeds 64 bits), MPI_ERR_COMM
 * (MPI_COMM_NULL or an intercommunicator), MPI_ERR_INFO (unknown to MPI), MPI_ERR_INFO_VALUE. */
int MPIX_Comm_reorder(MPI_Comm comm, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                      MPI_Comm *reordered, int k[]);

/* As MPIX_Comm_reorder(), with the whole matrix on the process root, row-major by sender, as from
 * MPI_M_rootgather_data(); the others pass null pointers.
 *
 * Errors of MPIX_Comm_reorder_matrix: MPI_ERR_ARG, MPI_ERR_COMM, MPI_ERR_INFO, MPI_ERR_INFO_VALUE as above;
 * MPI_ERR_ROOT (outside comm, or not equal on all processes). */
int MPIX_Comm_reorder_matrix(MPI_Comm comm, int root, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                             MPI_Comm *reordered, int k[]);

/* Moves the data of each rank to the process that now has that rank: process i of comm, the old communicator, receives
 * what process k[i] sends. Collective over comm. Counts and types may differ between processes if those of each pair
 * match. k must be equal on all processes. sendbuf MPI_IN_PLACE: recvbuf, recvcount and recvtype describe both buffers;
 * sendcount and sendtype are ignored.
 *
 * Errors of MPIX_Redistribute: MPI_ERR_ARG (k is null or no permutation), MPI_ERR_COMM (as above), MPI_ERR_COUNT (below 0),
 * MPI_ERR_TYPE (MPI_DATATYPE_NULL, or not committed), MPI_ERR_BUFFER (recvbuf is MPI_IN_PLACE, or a null pointer for
 * data). Only on the process to which MPI reports it: MPI_ERR_TRUNCATE (more data than recvcount). */
int MPIX_Redistribute(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, const int k[], MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
