#pragma once
#include "algorithms/base/arena_pool.h"

namespace strata::component {

/// Returns the process's pool of scratch memory for calls that engines serve.
algorithms::ArenaPool& scratch_pool();

}  // namespace strata::component
