// Who does the collective operations that collective_latency measures: MPI itself or a mock-up, which
// composes them of other ones.

#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// The parts of all ranks in a whole, in bytes and by rank.
struct Parts {
    std::vector<int> counts, displacements;
};

// MPI's own operations on one communicator. A mock-up overrides those it composes. Bytes move as MPI_BYTE;
// reductions sum doubles. What only the root has or gets is ignored elsewhere; nothing is in place.
class Calls {
public:
    explicit Calls(MPI_Comm comm);
    virtual ~Calls() = default;
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    MPI_Comm comm() const { return comm_; }

    // Makes what operations with this root need, so that it is not timed. Collective. Of operations without a
    // root any will do.
    virtual void prepare(int /*root*/) {}

    virtual void bcast(char* buffer, int bytes, int root);
    virtual void reduce(const double* own, double* sum, int count, int root);
    virtual void allreduce(const double* own, double* sum, int count);
    virtual void allgather(const char* own, int each, char* whole);
    virtual void gather(const char* own, int each, char* whole, int root);
    virtual void scatter(const char* whole, int each, char* own, int root);
    virtual void barrier();
    // With parts of different sizes; no mock-up composes these.
    void allgatherv(const char* own, const Parts& parts, char* whole);
    void gatherv(const char* own, const Parts& parts, char* whole, int root);
    void scatterv(const char* whole, const Parts& parts, char* own, int root);

private:
    MPI_Comm comm_;
    int rank_ = 0, size_ = 1;
};

// One way of doing them.
struct Algorithm {
    std::string_view name;                         // as --with takes it
    std::span<const std::string_view> operations;  // which ones it composes; empty: it is MPI's own
    // Collective. `node_of`: a number for every rank's node. Throws std::invalid_argument on all ranks, with
    // the reason, where it cannot be done.
    std::unique_ptr<Calls> (*make)(MPI_Comm comm, std::span<const int> node_of);

    bool has(std::string_view operation) const;
};

std::span<const Algorithm> all_algorithms();
const Algorithm& algorithm_named(std::string_view name);  // throws std::out_of_range

}  // namespace bench
