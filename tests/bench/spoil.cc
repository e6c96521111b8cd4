// Collective operations with errors, linked into collective_latency in place of MPI's own, which prove that
// its checks can fail. Once, at the third call, the highest rank with a result
//   STRATA_SPOIL=flip  gets one wrong bit in its middle;
//   STRATA_SPOIL=drop  gets nothing: its buffer keeps the old contents.
// With STRATA_SPOIL=every all ranks get a wrong byte from every call: this covers every part of a mock-up.
// MPI_Barrier lets no rank wait, or with drop not the highest rank.

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

bool told(std::string_view kind) {
    const char* const told = std::getenv("STRATA_SPOIL");
    return told != nullptr && told == kind;
}

bool dropping() { return told("drop"); }

int rank_of(MPI_Comm comm) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int ranks_of(MPI_Comm comm) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    return ranks;
}

bool third_call() {
    static int calls = 0;
    return ++calls == 3;
}

int highest(MPI_Comm comm) { return ranks_of(comm) - 1; }

// Spoils one call with a result of `bytes` bytes, on rank `victim` or on all ranks.
class Spoiler {
public:
    Spoiler(void* result, int bytes, MPI_Comm comm, int victim, bool all_get_it = true)
        : result_(static_cast<char*>(result)),
          bytes_(result == MPI_IN_PLACE ? 0 : bytes),
          every_(told("every")),
          spoiling_(every_ ? all_get_it || rank_of(comm) == victim
                           : third_call() && rank_of(comm) == victim) {
        if (spoiling_ && dropping()) before_.assign(result_, result_ + bytes_);
    }
    ~Spoiler() {
        if (!spoiling_ || bytes_ == 0) return;
        if (dropping()) {
            std::copy(before_.begin(), before_.end(), result_);
        } else if (every_) {
            ++result_[bytes_ / 2];  // several wrong bytes do not cancel each other
        } else {
            result_[bytes_ / 2] ^= 1;
        }
    }
    Spoiler(const Spoiler&) = delete;
    Spoiler& operator=(const Spoiler&) = delete;

private:
    char* result_;
    int bytes_;
    bool every_, spoiling_;
    std::vector<char> before_;
};

int bytes_of(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return count * size;
}

int sum_of(const int* counts, MPI_Comm comm) {
    int sum = 0;
    for (int rank = 0; rank < ranks_of(comm); ++rank) sum += counts[rank];
    return sum;
}

}  // namespace

extern "C" {

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const Spoiler spoiler(buffer, bytes_of(count, type), comm, highest(comm));
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Reduce(const void* own, void* result, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(count, type), comm, root, false);
    return PMPI_Reduce(own, result, count, type, op, root, comm);
}

int MPI_Allreduce(const void* own, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(count, type), comm, highest(comm));
    return PMPI_Allreduce(own, result, count, type, op, comm);
}

int MPI_Allgather(const void* own, int count, MPI_Datatype type, void* result, int each,
                  MPI_Datatype its_type, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(each, its_type) * ranks_of(comm), comm, highest(comm));
    return PMPI_Allgather(own, count, type, result, each, its_type, comm);
}

int MPI_Allgatherv(const void* own, int count, MPI_Datatype type, void* result, const int counts[],
                   const int places[], MPI_Datatype its_type, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(sum_of(counts, comm), its_type), comm, highest(comm));
    return PMPI_Allgatherv(own, count, type, result, counts, places, its_type, comm);
}

int MPI_Gather(const void* own, int count, MPI_Datatype type, void* result, int each, MPI_Datatype its_type,
               int root, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(each, its_type) * ranks_of(comm), comm, root, false);
    return PMPI_Gather(own, count, type, result, each, its_type, root, comm);
}

int MPI_Gatherv(const void* own, int count, MPI_Datatype type, void* result, const int counts[],
                const int places[], MPI_Datatype its_type, int root, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(sum_of(counts, comm), its_type), comm, root, false);
    return PMPI_Gatherv(own, count, type, result, counts, places, its_type, root, comm);
}

int MPI_Scatter(const void* all, int each, MPI_Datatype its_type, void* result, int count, MPI_Datatype type,
                int root, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(count, type), comm, highest(comm));
    return PMPI_Scatter(all, each, its_type, result, count, type, root, comm);
}

int MPI_Scatterv(const void* all, const int counts[], const int places[], MPI_Datatype its_type, void* result,
                 int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const Spoiler spoiler(result, bytes_of(count, type), comm, highest(comm));
    return PMPI_Scatterv(all, counts, places, its_type, result, count, type, root, comm);
}

int MPI_Barrier(MPI_Comm comm) {
    if (!dropping()) return MPI_SUCCESS;
    constexpr int tag = 1;
    const int rank = rank_of(comm);
    if (rank != 0) {
        PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag, comm);
        if (rank != highest(comm)) PMPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, comm, MPI_STATUS_IGNORE);
        return MPI_SUCCESS;
    }
    for (int other = 1; other <= highest(comm); ++other) {
        PMPI_Recv(nullptr, 0, MPI_BYTE, other, tag, comm, MPI_STATUS_IGNORE);
    }
    for (int other = 1; other < highest(comm); ++other) {
        PMPI_Send(nullptr, 0, MPI_BYTE, other, tag, comm);
    }
    return MPI_SUCCESS;
}

}  // extern "C"
