#pragma once
#include <mpi.h>

#include <string>
#include <vector>

#include "check.h"
#include "failing_memory.h"

namespace strata::testing {

/// One collective over all processes, its blocks with gaps so that they have to be packed, while whose calls
/// memory may fail.
class FailingCall {
public:
    /// `collective`: allgather, barrier, allreduce, anything else: bcast. `items`: ints of a block.
    FailingCall(Session& session, std::string collective, int items);
    ~FailingCall() { MPI_Type_free(&gapped_); }
    FailingCall(const FailingCall&) = delete;
    FailingCall& operator=(const FailingCall&) = delete;

    /// Returns MPI's error code.
    int run(MPI_Comm comm, int number);
    void expect_result(int number);

private:
    Session& session_;
    std::string collective_;
    int items_;
    MPI_Datatype gapped_ = MPI_DATATYPE_NULL;
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
