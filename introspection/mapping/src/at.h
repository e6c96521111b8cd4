#pragma once
#include <cstddef>

namespace strata::mapping {

/// Converts a rank, or another non-negative number, to an index.
inline std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace strata::mapping
