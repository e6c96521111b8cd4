#pragma once
#include <string>

#include "options.h"

namespace strata::tool {

/// What --plans prints. Throws UsageError.
std::string plans(const Options& options);

}  // namespace strata::tool
