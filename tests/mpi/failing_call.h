#pragma once
#include <mpi.h>

#include <string>
#include <vector>

#include "check.h"
#include "failing_memory.h"

namespace strata::testing {

/// One collective over all processes, its blocks with gaps so that they have to be packed, while whose calls
/// memory may fail. Ranks have one block each, in vector operations by turns one and two; the root is another
/// in every call, but of a Bcast.
class FailingCall {
public:
    /// `collective`: as in MPI's names, in lower case; throws std::invalid_argument where there is none.
    /// `items`: ints of a block.
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

/// The code of `body`, in which allocations count.
template <class Body>
int with_failures(Body&& body) {
    failing_memory().arm(true);
    const int code = body();
    failing_memory().arm(false);
    return code;
}

/// Some of `all` allocations, `most` at most: the first, the last, and others evenly between.
std::vector<long> sample_of(long all, long most);

}  // namespace strata::testing
