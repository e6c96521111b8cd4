/* Linked into a program: its data does not move with the ranks, and the first number of it is wrong. */
#include <MPIX_Reorder.h>

int MPIX_Redistribute(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, const int k[], MPI_Comm comm) {
    (void)sendbuf, (void)sendcount, (void)sendtype, (void)k, (void)comm;
    if (recvtype == MPI_DOUBLE && recvcount > 1) *(double*)recvbuf += 1e6;
    return MPI_SUCCESS;
}
