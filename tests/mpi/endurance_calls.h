#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "check.h"

namespace strata::testing {

/// Operations of all kinds on one communicator, checked; most are short, some have up to 256 KiB.
class Calls {
public:
    /// `comm`: the largest communicator of the run. `different`: the number of distinct calls, which repeat
    /// as a program's calls do. Each kind gets a plan early; a plan made much later for a rare kind looks
    /// like a leak.
    Calls(Session& session, MPI_Comm comm, std::uint64_t different);
    void use(MPI_Comm comm);

    /// `number`: equal on all ranks; determines the operation, its length and root.
    void one(std::uint64_t number);
    int size() const { return size_; }

private:
    void broadcast(int length, int root);
    void allreduce(int length);
    void reduce(int length, int root);
    void allgather(int length);
    void gather(int length, int root);
    void scatter(int length, int root);

    /// First and last element of the vector that this rank contributes.
    void give(int length);
    /// The contribution of `rank`, different from that in the last calls.
    double of(int rank) const { return told_ + rank; }
    double sum() const { return size_ * told_ + size_ * (size_ - 1) / 2.0; }
    /// First and last element of the last rank's block.
    bool has_last_block(int length) const;
    void expect(bool right) { session_.expect(right, "a wrong result"); }

    Session& session_;
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
    std::uint64_t different_;
    double told_ = 0;
    std::vector<double> own_;
    std::vector<double> all_;
    std::vector<double> blocks_;
};

}  // namespace strata::testing
