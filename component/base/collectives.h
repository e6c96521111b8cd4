#pragma once
// The one list of collectives (algorithms/collectives.def), under this room's names.
#include "algorithms/base/collective.h"

namespace strata::component {

using algorithms::Collective;
using algorithms::collective_count;
using algorithms::collective_names;

}  // namespace strata::component
