#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "component/levels/level_call.h"

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
/// takes them: what a local root has collected below is its contribution above. Memory, from the arena:
/// one vector at local roots to which no result is due. Outcome: Open MPI's error
/// code.
algorithms::Task reduce_by_levels(LevelCall& call, Collective collective, const Operands& operands,
                                  std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
