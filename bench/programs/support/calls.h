// Implementations of the collective operations that collective_latency measures: MPI's own, or mock-ups
// that compose them of other operations.

#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Parts of all ranks in a whole, in bytes, by rank.
struct Parts {
    std::vector<int> counts, displacements;
};

// MPI's own operations on one communicator. A mock-up overrides those that it composes. Data moves as
// MPI_BYTE; reductions sum doubles. Arguments that matter only at the root are ignored elsewhere. No
// call is in place.
class Calls {
public:
    explicit Calls(MPI_Comm comm);
    virtual ~Calls() = default;
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    MPI_Comm comm() const { return comm_; }

    // Prepares operations with this root, so that the preparation is not timed. Collective. Operations
    // without a root take any.
    virtual void prepare(int /*root*/) {}

    virtual void bcast(char* buffer, int bytes, int root);
    virtual void reduce(const double* own, double* sum, int count, int root);
    virtual void allreduce(const double* own, double* sum, int count);
    virtual void allgather(const char* own, int each, char* whole);
    virtual void gather(const char* own, int each, char* whole, int root);
    virtual void scatter(const char* whole, int each, char* own, int root);
    virtual void barrier();
    // Parts of different sizes; no mock-up composes these.
    void allgatherv(const char* own, const Parts& parts, char* whole);
    void gatherv(const char* own, const Parts& parts, char* whole, int root);
    void scatterv(const char* whole, const Parts& parts, char* own, int root);

private:
    MPI_Comm comm_;
    int rank_ = 0, size_ = 1;
};

// One implementation.
struct Algorithm {
    std::string_view name;                         // as --with takes it
    std::span<const std::string_view> operations;  // composed ones; empty: MPI's own
    // Collective. `node_of` holds the number of every rank's node. Throws std::invalid_argument with the
    // reason, on all ranks, where the implementation cannot work.
    std::unique_ptr<Calls> (*make)(MPI_Comm comm, std::span<const int> node_of);

    bool has(std::string_view operation) const;
};

std::span<const Algorithm> all_algorithms();
const Algorithm& algorithm_named(std::string_view name);  // throws std::out_of_range

}  // namespace bench
