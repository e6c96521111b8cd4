#pragma once
// The names of algorithms/base/collectives.def in this namespace.
#include "algorithms/base/collective.h"

namespace strata::component {

using algorithms::Collective;
using algorithms::collective_count;
using algorithms::collective_names;

}  // namespace strata::component
