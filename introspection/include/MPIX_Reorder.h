/* Ranks dealt out anew, so that those that talk much are near each other, for applications: link
 * libstrata-introspection. Works with any MPI; the traffic may come from a monitoring session (MPI_Monitoring.h) or from
 * anywhere else.
 *
 * Source: figure 1 of the paper on introspection monitoring: process i of the old communicator gets rank k[i] in the new
 * one, and from then on does what rank k[i] did.
 *
 * Functions return MPI error codes and call the communicator's error handler, as those of MPI do; MPI_COMM_WORLD's where
 * comm is MPI_COMM_NULL. What only one process finds wrong with its arguments all return, and nobody waits for ever; of
 * several codes the greatest. Errors named below are classes; MPI's own come besides. */
#ifndef MPIX_REORDER_H
#define MPIX_REORDER_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new order for the traffic that each process tells of itself. Collective over comm; the rows travel to rank 0
 * without their zeros.
 *
 * sizes: bytes that the caller sent to each rank of comm, as MPI_M_get_data() gives them; counts: messages, or a null
 * pointer where only bytes are known.
 * info: "strata_margin" is the part of the communication time, 0 to 1, that must be saved, as estimated (0.05);
 * "strata_costs" what links cost, as strata-reorder --costs takes it; "strata_message_bytes" as how many bytes a message
 * counts beside its own (4096). Those of rank 0 count, and of root below.
 * k: array of as many numbers as comm has ranks, the same on all; a null pointer if not wanted.
 * reordered: a new communicator of all members; where the estimate does not promise the margin, in the old order, and
 * k[i] is i. To be freed. MPI_COMM_NULL after errors.
 *
 * Errors of MPIX_Comm_reorder: MPI_ERR_ARG (a null pointer; all numbers together do not fit 64 bits), MPI_ERR_COMM
 * (MPI_COMM_NULL or an intercommunicator), MPI_ERR_INFO (none that MPI knows), MPI_ERR_INFO_VALUE. */
int MPIX_Comm_reorder(MPI_Comm comm, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                      MPI_Comm *reordered, int k[]);

/* The same with the whole matrix on the process root, row-major by sender, as MPI_M_rootgather_data() gives it; others
 * pass null pointers.
 *
 * Errors of MPIX_Comm_reorder_matrix: MPI_ERR_ARG, MPI_ERR_COMM, MPI_ERR_INFO, MPI_ERR_INFO_VALUE as above;
 * MPI_ERR_ROOT (outside comm, or not the same on all). */
int MPIX_Comm_reorder_matrix(MPI_Comm comm, int root, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                             MPI_Comm *reordered, int k[]);

/* Moves what belongs to a rank to the process that has that rank now: process i of comm, the old communicator, receives
 * what process k[i] sends. Collective over comm. Counts and types may differ from process to process as long as each
 * pair's match. k must be the same on all. sendbuf MPI_IN_PLACE: recvbuf, recvcount and recvtype are both, and sendcount
 * and sendtype are not looked at.
 *
 * Errors of MPIX_Redistribute: MPI_ERR_ARG (k is null or no permutation), MPI_ERR_COMM (as above), MPI_ERR_COUNT (below 0),
 * MPI_ERR_TYPE (MPI_DATATYPE_NULL, or not committed), MPI_ERR_BUFFER (recvbuf is MPI_IN_PLACE, or a null pointer for
 * data). At the process alone that MPI tells of it: MPI_ERR_TRUNCATE (more came than recvcount). */
int MPIX_Redistribute(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, const int k[], MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
