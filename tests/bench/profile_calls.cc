// Makes known calls for test_mpi_profile.py: profile_calls [one-more|no-finalize]. Calls Fortran's
// functions as a Fortran compiler does.

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

extern "C" {
void mpi_bcast_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm,
                MPI_Fint* error);
void mpi_allreduce_(void* own, void* sum, MPI_Fint* count, MPI_Fint* type, MPI_Fint* operation,
                    MPI_Fint* comm, MPI_Fint* error);
}

namespace {

void collectives(int rank, int size) {
    std::vector<int> numbers(1000);
    std::vector<double> sums(5), parts(5);
    std::vector<char> gathered(static_cast<std::size_t>(size) * 10);
    for (int time = 0; time < 3; ++time) MPI_Bcast(numbers.data(), 1000, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(numbers.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(parts.data(), sums.data(), 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered.data(), 10, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else {
        MPI_Gather(gathered.data(), 10, MPI_BYTE, nullptr, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    }
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered.data(), 10, MPI_BYTE, MPI_COMM_WORLD);
}

void between_neighbours(int rank, int size) {
    int got = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void fortran() {
    int numbers[10] = {}, sum = 0;
    MPI_Fint count = 10, one = 1, root = 0, error = 0, type = MPI_Type_c2f(MPI_INT);
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD), operation = MPI_Op_c2f(MPI_SUM);
    mpi_bcast_(numbers, &count, &type, &root, &comm, &error);
    mpi_bcast_(numbers, &count, &type, &root, &comm, &error);
    mpi_allreduce_(numbers, &sum, &one, &type, &operation, &comm, &error);
    if (error != MPI_SUCCESS) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    collectives(rank, size);
    between_neighbours(rank, size);
    fortran();
    if (wanted == "one-more") fortran();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    MPI_Barrier(MPI_COMM_WORLD);  // the others wait for rank 0
    if (wanted == "no-finalize") std::_Exit(0);
    MPI_Finalize();
}
