// Measures the time of MPI_Init and the plugin's part of it.

#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "agreed_start.h"

namespace {

// Returns the value of an MPI_T performance variable, -1 if there is none.
long long read_variable(const char* wanted) {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_session_create(&session);
    int variables = 0;
    MPI_T_pvar_get_num(&variables);
    unsigned long long value = 0;
    bool found = false;
    for (int i = 0; i < variables && !found; ++i) {
        char name[256] = "";
        int name_bytes = sizeof name;
        int ignored[6] = {};
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum kinds = MPI_T_ENUM_NULL;
        int bind = 0;
        if (MPI_T_pvar_get_info(i, name, &name_bytes, &ignored[0], &ignored[1], &type, &kinds, nullptr,
                                &ignored[2], &bind, &ignored[3], &ignored[4], &ignored[5]) != MPI_SUCCESS ||
            std::strcmp(name, wanted) != 0 || type != MPI_UNSIGNED_LONG_LONG) {
            continue;
        }
        MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
        int count = 0;
        found = MPI_T_pvar_handle_alloc(session, i, nullptr, &handle, &count) == MPI_SUCCESS && count == 1 &&
                MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS;
        if (handle != MPI_T_PVAR_HANDLE_NULL) MPI_T_pvar_handle_free(session, &handle);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    return found ? static_cast<long long>(value) : -1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(
            stderr,
            "Usage: start_cost FILE\n"
            "Adds a line to FILE: {\"ranks\": N, \"init_ns\": time of MPI_Init on the slowest rank,\n"
            "\"plugin_ns\": the plugin's part, greatest of all ranks, \"plugin_mean_ns\": mean of all "
            "ranks,\n"
            "\"plugin_processor_ns\": its CPU time, greatest of all ranks; each -1 without the plugin}\n");
        return 2;
    }
    const auto begin = bench::now_ns();
    MPI_Init(&argc, &argv);
    const long long own[3] = {static_cast<long long>(bench::now_ns() - begin),
                              read_variable("coll_strata_init_ns"),
                              read_variable("coll_strata_init_processor_ns")};
    long long most[3] = {};
    long long sum = 0;
    MPI_Reduce(own, most, 3, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own[1], &sum, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int written = 1;
    if (rank == 0) {
        std::FILE* const file = std::fopen(argv[1], "a");
        written =
            file != nullptr && std::fprintf(file,
                                            "{\"ranks\": %d, \"init_ns\": %lld, \"plugin_ns\": %lld, "
                                            "\"plugin_mean_ns\": %lld, \"plugin_processor_ns\": %lld}\n",
                                            ranks, most[0], most[1], sum / ranks, most[2]) > 0
                ? 1
                : 0;
        if (file != nullptr && std::fclose(file) != 0) written = 0;
        if (written == 0) std::perror(argv[1]);
    }
    MPI_Finalize();
    return written == 1 ? 0 : 1;
}
