// Tests MPI_Finalize in a handler registered before MPI_Init: exit() calls it after the destructors of all
// later objects, and the handler still uses MPI before MPI_Finalize.
//
//   late_finalize [--sabotage sum]
//
// Each rank's handler prints at its end whether results were right.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

int wanted = 0;

int sum_of(MPI_Comm comm, int items) {
    const std::vector<int> own(static_cast<std::size_t>(items), 1);
    std::vector<int> all(own.size());
    MPI_Allreduce(own.data(), all.data(), items, MPI_INT, MPI_SUM, comm);
    MPI_Bcast(all.data(), items, MPI_INT, 0, comm);
    return all.back();
}

void finish() {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    const bool right = sum_of(MPI_COMM_WORLD, 3000) == wanted && sum_of(fresh, 70000) == wanted;
    MPI_Comm_free(&fresh);
    MPI_Finalize();
    std::printf("late_finalize: %s\n", right ? "passed" : "failed");
    std::fflush(stdout);
    if (!right) std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
    std::atexit(finish);
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &wanted);
    wanted += argc > 1 && std::strcmp(argv[1], "--sabotage") == 0 ? 1 : 0;
    MPI_Comm kept = MPI_COMM_NULL;  // never freed
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    sum_of(MPI_COMM_WORLD, 20000);
    sum_of(kept, 20000);
    std::exit(0);
}
