#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/base/collective.h"

namespace strata::tool {

/// "bcast,allreduce", of --op; all of them where the text is empty or "all". Throws UsageError.
std::vector<algorithms::Collective> collectives(const std::string& text);

/// "8,64k,4M", of `option`. Throws UsageError.
std::vector<std::size_t> sizes(const std::string& text, const char* option);

}  // namespace strata::tool
