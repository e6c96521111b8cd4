// Entry points of monitoring_calls.f90: convert handles to C's, and the addresses for "not wanted" to null.
#include <MPI_Monitoring.h>

// Fortran's module defines them; programs that include MPI_Monitoring.inc share them.
extern "C" int strata_monitoring_int_ignore;
extern "C" long strata_monitoring_data_ignore[1];

namespace {

int* wanted(int* output) { return output == &strata_monitoring_int_ignore ? MPI_M_INT_IGNORE : output; }
unsigned long* wanted(long* output) {
    return output == strata_monitoring_data_ignore ? MPI_M_DATA_IGNORE
                                                   : reinterpret_cast<unsigned long*>(output);
}

}  // namespace

extern "C" {

int strata_monitoring_init() { return MPI_M_init(); }
int strata_monitoring_finalize() { return MPI_M_finalize(); }
int strata_monitoring_start(int comm, int* msid) { return MPI_M_start(MPI_Comm_f2c(comm), msid); }
int strata_monitoring_suspend(int msid) { return MPI_M_suspend(msid); }
int strata_monitoring_continue(int msid) { return MPI_M_continue(msid); }
int strata_monitoring_reset(int msid) { return MPI_M_reset(msid); }
int strata_monitoring_free(int msid) { return MPI_M_free(msid); }

int strata_monitoring_get_info(int msid, int* provided, int* array_size) {
    return MPI_M_get_info(msid, wanted(provided), wanted(array_size));
}
int strata_monitoring_get_data(int msid, long* counts, long* sizes, int flags) {
    return MPI_M_get_data(msid, wanted(counts), wanted(sizes), flags);
}
int strata_monitoring_allgather_data(int msid, long* counts, long* sizes, int flags) {
    return MPI_M_allgather_data(msid, wanted(counts), wanted(sizes), flags);
}
int strata_monitoring_rootgather_data(int msid, int root, long* counts, long* sizes, int flags) {
    return MPI_M_rootgather_data(msid, root, wanted(counts), wanted(sizes), flags);
}
int strata_monitoring_flush(int msid, const char* filename, int flags) {
    return MPI_M_flush(msid, filename, flags);
}
int strata_monitoring_rootflush(int msid, int root, const char* filename, int flags) {
    return MPI_M_rootflush(msid, root, filename, flags);
}
}
