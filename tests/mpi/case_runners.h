#pragma once
// The parts of run_case().
#include "collective_cases.h"

namespace strata::testing {

/// A case on one rank of its communicator.
struct Call {
    Call(Session& of_session, MPI_Comm on, const CollectiveCase& of_case)
        : session(of_session), comm(on), what(of_case) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        root = what.root % size;
    }
    bool is_root() const { return rank == root; }

    Session& session;
    MPI_Comm comm;
    const CollectiveCase& what;
    int rank = 0;
    int size = 1;
    int root = 0;
};

/// What a call gets for arguments that MPI says are not significant on this rank.
struct Ignored {
    explicit Ignored(const Call& call)
        : count(call.what.absurd ? -7 : 0), type(call.what.absurd ? MPI_DATATYPE_NULL : MPI_BYTE) {}
    int count;
    MPI_Datatype type;
};

std::uint64_t run_bcast(const Call& call);
std::uint64_t run_gather(const Call& call);   ///< Gather, Gatherv, Allgather, Allgatherv
std::uint64_t run_scatter(const Call& call);  ///< Scatter, Scatterv
std::uint64_t run_reduction(const Call& call, const Operators& operators);

}  // namespace strata::testing
