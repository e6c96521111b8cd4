#pragma once
#include <cstddef>
#include <string>

namespace strata::topology {

/// Limit on a synthetic topology. Larger ones take hwloc (2.9) minutes and gigabytes: it compares each
/// object with its siblings, and each object has sets as long as its number.
inline constexpr std::size_t most_synthetic_objects = std::size_t{1} << 14;

/// Returns the number of objects that hwloc would build for a synthetic description, up to the first
/// error; any value above most_synthetic_objects means "more". Counts without hwloc, whose parser
/// allocates tables of that size.
std::size_t synthetic_objects(const std::string& description);

}  // namespace strata::topology
