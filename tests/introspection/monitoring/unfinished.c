/* Programs that end without MPI_M_finalize, with sessions of each kind.
 *
 *   unfinished finalize      after MPI_Finalize all functions return MISSING_INIT
 *   unfinished exit          exit(0) in place of MPI_Finalize
 */
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *function, int code, int expected) {
    if (code != expected) {
        printf("FAILED: %s returned %d, expected %d\n", function, code, expected);
        exit(1);
    }
}

int main(int argc, char **argv) {
    MPI_M_msid ids[3];
    MPI_Comm copy;
    MPI_Comm gone;
    unsigned long data[64];
    const int missing = MPI_M_MISSING_INIT;
    const int flags = MPI_M_COLL_ONLY;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_dup(MPI_COMM_WORLD, &gone);
    expect("init", MPI_M_init(), MPI_SUCCESS);
    expect("start", MPI_M_start(MPI_COMM_WORLD, &ids[0]), MPI_SUCCESS);
    expect("start", MPI_M_start(copy, &ids[1]), MPI_SUCCESS);
    expect("start", MPI_M_start(gone, &ids[2]), MPI_SUCCESS);
    expect("suspend", MPI_M_suspend(ids[2]), MPI_SUCCESS);
    MPI_Comm_free(&gone);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) {
        printf("unfinished: ends\n");
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD); /* mpirun ends the others when the first one ends */
        exit(0);
    }
    MPI_Finalize();
    for (int i = 0; i < 3; ++i) {
        expect("suspend", MPI_M_suspend(ids[i]), missing);
        expect("continue", MPI_M_continue(ids[i]), missing);
        expect("reset", MPI_M_reset(ids[i]), missing);
        expect("free", MPI_M_free(ids[i]), missing);
        expect("get_info", MPI_M_get_info(ids[i], MPI_M_INT_IGNORE, MPI_M_INT_IGNORE), missing);
        expect("get_data", MPI_M_get_data(ids[i], data, data, flags), missing);
        expect("allgather_data", MPI_M_allgather_data(ids[i], data, data, flags), missing);
        expect("rootgather_data", MPI_M_rootgather_data(ids[i], 0, data, data, flags), missing);
        expect("flush", MPI_M_flush(ids[i], "never", flags), missing);
        expect("rootflush", MPI_M_rootflush(ids[i], 0, "never", flags), missing);
    }
    expect("suspend of all", MPI_M_suspend(MPI_M_ALL_MSID), missing);
    expect("start", MPI_M_start(MPI_COMM_WORLD, &ids[0]), missing);
    expect("finalize", MPI_M_finalize(), missing);
    expect("init", MPI_M_init(), MPI_M_MPIT_FAIL);
    printf("unfinished: ends\n");
    return 0;
}
