#pragma once
#include "algorithms/base/link.h"
#include "algorithms/patterns/window.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns the user's window. If that is open: the default, with as many bytes between nodes as the longest
/// link holds in a round trip, at least 256 KiB (10 Gbit/s for 0.2 ms, or 200 Mbit/s for 10 ms).
Window choose_window(int wanted, const topology::Hierarchy& hierarchy, const LinkTable& links);

}  // namespace strata::algorithms
