/* Ranks dealt out anew, so that those that talk much are near each other, for applications: link
 * libstrata-introspection. Works with any MPI; the traffic may come from a monitoring session (MPI_Monitoring.h) or from
 * anywhere else.
 *
 * Source: figure 1 of the paper on introspection monitoring: process i of the old communicator gets rank k[i] in the new
 * one, and from then on does what rank k[i] did. Functions return MPI error codes and call the communicator's error
 * handler, as those of MPI do. */
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
 * pointer where only bytes are known (on all processes, or on none).
 * info: "strata_margin" is the part of the communication time that must be saved, as estimated (0.05); "strata_costs"
 * what links cost, as strata-reorder --costs takes it. The same on all.
 * k: array of as many numbers as comm has ranks, the same on all; a null pointer if not wanted.
 * reordered: a new communicator of all members; where the estimate does not promise the margin, in the old order, and
 * k[i] is i. To be freed. */
int MPIX_Comm_reorder(MPI_Comm comm, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                      MPI_Comm *reordered, int k[]);

/* The same with the whole matrix on the process root, row-major by sender, as MPI_M_rootgather_data() gives it; others
 * pass null pointers. MPI_ERR_ROOT for a root outside comm. */
int MPIX_Comm_reorder_matrix(MPI_Comm comm, int root, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                             MPI_Comm *reordered, int k[]);

/* Moves what belongs to a rank to the process that has that rank now: process i of comm, the old communicator, receives
 * what process k[i] sends. Collective over comm. Counts and types may differ from process to process as long as each
 * pair's match. sendbuf MPI_IN_PLACE: recvbuf, recvcount and recvtype are both, and the same on all. MPI_ERR_ARG where
 * k is no permutation. */
int MPIX_Redistribute(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, const int k[], MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
