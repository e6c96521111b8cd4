#pragma once
#include <cstddef>
#include <string>

namespace strata::topology {

/// More take hwloc (2.9) minutes and gigabytes: it compares each object with its siblings, and every object
/// has sets as long as its number.
inline constexpr std::size_t most_synthetic_objects = std::size_t{1} << 14;

/// Objects that hwloc would build for a synthetic description, as far as it would read it; counted without
/// hwloc, whose parser makes tables of that many numbers. Any number above the limit for more than that.
std::size_t synthetic_objects(const std::string& description);

}  // namespace strata::topology
