#pragma once
#include <string>
#include <string_view>

namespace strata::topology {

/// Why hwloc must not be given an XML topology, though it may be well-formed: it lacks what hwloc always
/// writes and takes for granted, so that hwloc would crash or not come to an end. Empty: it may be tried.
std::string why_dangerous(std::string_view xml);

}  // namespace strata::topology
