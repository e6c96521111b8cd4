/* The messages of a collective operation: the example of RR-9292 (listing 2), with any of these.
 *
 *   flush_collective PREFIX barrier|bcast [BYTES] [WARM]
 *
 * Writes PREFIX_counts.0.prof and PREFIX_sizes.0.prof. WARM such calls are made before those that are monitored. Each
 * process prints what functions return, if that is not MPI_SUCCESS. Exit status 3: nothing is monitored here.
 */
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_M_msid id;
    int bytes = argc > 3 ? atoi(argv[3]) : 0;
    int warm = argc > 4 ? atoi(argv[4]) : 0;
    int rank;
    int code;
    char *buffer = calloc((size_t)bytes + 1, 1);
    if (argc < 3 || buffer == NULL) {
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    code = MPI_M_init();
    if (code == MPI_SUCCESS) {
        code = MPI_M_start(MPI_COMM_WORLD, &id);
        MPI_M_suspend(id);
        for (int i = -warm; i <= 0; ++i) {
            if (i == 0) {
                MPI_M_continue(id);
            }
            if (strcmp(argv[2], "bcast") == 0) {
                MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
            } else {
                MPI_Barrier(MPI_COMM_WORLD);
            }
        }
        MPI_M_suspend(id);
        code = MPI_M_rootflush(id, 0, argv[1], MPI_M_P2P_ONLY);
        MPI_M_free(id);
        MPI_M_finalize();
    }
    if (code != MPI_SUCCESS) {
        printf("rank %d: code %d%s\n", rank, code, code == MPI_M_MPIT_FAIL ? " MPIT_FAIL" : "");
    }
    free(buffer);
    MPI_Finalize();
    return code == MPI_SUCCESS ? 0 : 3;
}
