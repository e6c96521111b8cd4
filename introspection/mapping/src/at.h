#pragma once
#include <cstddef>

namespace strata::mapping {

/// A rank, or another number from 0 on, as an index.
inline std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace strata::mapping
