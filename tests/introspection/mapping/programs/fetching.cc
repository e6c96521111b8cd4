// fetching CALLS SIZE: every rank but the last gets SIZE bytes from the next one, CALLS times, by shared memory;
// MPI sends few messages for that.
#include <mpi.h>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int calls = argc > 1 ? std::atoi(argv[1]) : 1;
    const int size = argc > 2 ? std::atoi(argv[2]) : 1;
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<char> fetched(static_cast<std::size_t>(size));
    char* memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < calls && rank + 1 < ranks; ++i) {
        MPI_Get(fetched.data(), size, MPI_CHAR, rank + 1, 0, size, MPI_CHAR, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
