#pragma once
#include <exception>

#include "job_options.h"

namespace strata::tool {

/// Runs `read` and turns its exceptions into errors of `option`.
template <typename Read>
auto reading(const char* option, Read&& read) {
    try {
        return read();
    } catch (const UsageError&) {
        throw;
    } catch (const std::exception& error) {
        throw UsageError(option, error.what());
    }
}

}  // namespace strata::tool
