#pragma once
#include <mpi.h>

#include <string>
#include <vector>

#include "check.h"
#include "failing_memory.h"

namespace strata::testing {

/// One collective over all processes during which allocations may fail. Its blocks have gaps, so that they
/// are packed. Each rank has one block; in vector operations, ranks have one and two by turns. The root
/// changes with every call, except in a Bcast.
class FailingCall {
public:
    /// `collective`: MPI's name in lower case; throws std::invalid_argument for an unknown one. `items`:
    /// ints per block.
    FailingCall(Session& session, std::string collective, int items);
    ~FailingCall();
    FailingCall(const FailingCall&) = delete;
    FailingCall& operator=(const FailingCall&) = delete;

    /// Returns MPI's error code.
    int run(MPI_Comm comm, int number);
    void expect_result(int number);

private:
    int root(int number) const { return collective_ == "bcast" ? 0 : number % session_.size(); }
    int call(MPI_Comm comm, int root);
    void expect_blocks(int first, int number, int rank) const;

    Session& session_;
    std::string collective_;
    int items_;
    MPI_Datatype block_ = MPI_DATATYPE_NULL;
    std::vector<int> counts_;  // blocks by rank
    std::vector<int> begins_;  // their places
    std::vector<int> in_;
    std::vector<int> out_;
};

/// Runs `body` with counted allocations and returns its code.
template <class Body>
int with_failures(Body&& body) {
    failing_memory().arm(true);
    const int code = body();
    failing_memory().arm(false);
    return code;
}

/// Returns at most `most` of `all` allocations: the first, the last, and others evenly between.
std::vector<long> sample_of(long all, long most);

}  // namespace strata::testing
