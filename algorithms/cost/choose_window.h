#pragma once
#include "algorithms/base/link.h"
#include "algorithms/patterns/window.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The user's, or where that is open the usual one with as many bytes between nodes as the longest link
/// holds, there and back; at least 256 KiB: 10 Gbit/s for a fifth of a millisecond, or 200 Mbit/s for ten.
Window choose_window(int wanted, const topology::Hierarchy& hierarchy, const LinkTable& links);

}  // namespace strata::algorithms
