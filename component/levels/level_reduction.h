#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// Arguments of Reduce and Allreduce. `result_due` is explicit: a null address may be MPI_BOTTOM.
struct Operands {
    const void* send;
    void* receive;
    bool result_due;
    compat::Count count;
    ompi_datatype_t* datatype;
    ompi_op_t* op;
};

/// Reduces level by level, in segments of about `segment_bytes` (0: one) whole elements. A local root
/// combines its group's vectors and contributes the result to the level above. Takes memory for one vector
/// from the arena on local roots that get no result. Returns Open MPI's error code.
///
///   level 1:  0 <- 1    2 <- 3      level 0:  0 <- 2, or 0 <-> 2 for Allreduce, then down again
algorithms::Task reduce_by_levels(LevelCall& call, Collective collective, const Operands& operands,
                                  std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
