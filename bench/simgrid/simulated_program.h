/* Included before the text of conjugate_gradient.c, so that it runs as the ranks of a simulated job: the
 * simulation calls MPI_Init and MPI_Finalize, counts messages in place of Open MPI, and lets simulated time
 * pass for local work. */
#ifndef STRATA_SIMULATED_PROGRAM_H
#define STRATA_SIMULATED_PROGRAM_H

#include <MPIX_Reorder.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
int conjugate_gradient(int argc, char** argv);
void simulated_work(double elements);
int simulated_reorder(MPI_Comm comm, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                      MPI_Comm* reordered, int k[]);
int simulated_sendrecv(const void* sent, int count, MPI_Datatype type, int to, int tag, void* received,
                       int capacity, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                       MPI_Status* status);
#ifdef __cplusplus
}
#else
#define main conjugate_gradient
#define LOCAL_WORK(elements) simulated_work(elements)
#define MPIX_Comm_reorder simulated_reorder
#define MPI_Init(count, arguments) ((void)0)
#define MPI_Finalize() ((void)0)
#define MPI_Sendrecv simulated_sendrecv
#define MPI_Wtime PMPI_Wtime /* without a look at this machine's clock */
#endif

#endif
