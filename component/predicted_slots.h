#pragma once
#include "module.h"

namespace strata::component {

/// What the component found in the slots, with `tuned` in the place of `han` where `han` is there because
/// nobody said otherwise (Open MPI 5.0 between nodes): what `tuned` costs is predicted, and a call that is
/// left to the previous component because of that prediction goes to it. For communicators that have agreed
/// only: others must do what Open MPI would. Throws std::bad_alloc.
SavedSlots& predicted_slots(Module& module);

}  // namespace strata::component
