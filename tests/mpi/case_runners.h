#pragma once
// Helpers of run_case().
#include <optional>

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

/// The value passed for arguments that MPI does not consider significant on this rank.
struct Ignored {
    explicit Ignored(const Call& call)
        : count(call.what.absurd ? -7 : 0), type(call.what.absurd ? MPI_DATATYPE_NULL : MPI_BYTE) {}
    int count;
    MPI_Datatype type;
};

/// How a call passes a buffer: by its address, or as MPI_BOTTOM with a datatype of absolute addresses.
class Passed {
public:
    Passed(const Call& call, TypedBuffer& buffer, const TypedLayout& layout)
        : layout_(layout), address_(buffer.address()) {
        if (call.what.at_bottom) {
            MPI_Get_address(address_, &bottom_to_buffer_);
            absolute_ = TypedLayout::hindexed({1}, {bottom_to_buffer_}, layout);
            address_ = MPI_BOTTOM;
        }
    }
    void* address() const { return address_; }
    const TypedLayout& layout() const { return absolute_ ? *absolute_ : layout_; }
    MPI_Datatype type() const { return layout().type(); }
    /// Another buffer, for a call with one datatype for both.
    void* other(TypedBuffer& buffer) const {
        MPI_Aint address = 0;
        MPI_Get_address(buffer.address(), &address);
        return reinterpret_cast<void*>(address - bottom_to_buffer_);
    }

private:
    const TypedLayout& layout_;
    void* address_;
    MPI_Aint bottom_to_buffer_ = 0;
    std::optional<TypedLayout> absolute_;
};

std::uint64_t run_bcast(const Call& call);
std::uint64_t run_gather(const Call& call);   ///< Gather, Gatherv, Allgather, Allgatherv
std::uint64_t run_scatter(const Call& call);  ///< Scatter, Scatterv
std::uint64_t run_reduction(const Call& call, const Operators& operators);

}  // namespace strata::testing
