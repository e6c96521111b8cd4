#pragma once
#include "algorithms/base/arena.h"
#include "component/levels/level_communicators.h"

namespace strata::component {

/// What Reduce and Allreduce have in common. An address says nothing: MPI_BOTTOM is null.
struct Operands {
    const void* send;
    void* receive;
    bool result_due;
    compat::Count count;
    ompi_datatype_t* datatype;
    ompi_op_t* op;
};

/// Reduce or Allreduce level by level, in segments of about `segment_bytes` (0: one) whole elements, as MPI
/// takes them: what a group's stand-in has collected below is its contribution above. Memory, from the arena:
/// one vector at stand-ins to which no result is due. Returns Open MPI's error code.
int reduce_by_levels(LevelCommunicators& communicators, Collective collective, const Operands& operands,
                     std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
