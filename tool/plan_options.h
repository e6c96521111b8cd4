#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/base/collective.h"

namespace strata::tool {

/// "all, bcast, reduce, ...": the words of --op.
std::string known_operations();

/// Parses "bcast,allreduce", of --op; an empty text and "all" are all collectives. Throws UsageError.
std::vector<algorithms::Collective> collectives(const std::string& text);

/// Parses "8,64k,4M", of `option`. Throws UsageError.
std::vector<std::size_t> sizes(const std::string& text, const char* option);

}  // namespace strata::tool
