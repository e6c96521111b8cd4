#pragma once
#include <string>

#include "options.h"

namespace strata::tool {

/// Returns the output of --plans. Throws UsageError.
std::string plans(const Options& options);

}  // namespace strata::tool
