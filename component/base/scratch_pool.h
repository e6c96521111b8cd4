#pragma once
#include "algorithms/base/arena_pool.h"

namespace strata::component {

/// The scratch memory of calls that engines serve.
algorithms::ArenaPool& scratch_pool();

}  // namespace strata::component
