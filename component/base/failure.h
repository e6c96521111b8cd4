#pragma once
#include <cstdint>

namespace strata::component {

/// What keeps a process from serving a communicator.
enum class Failure : std::uint8_t {
    none,
    memory,
    topology,  ///< it cannot find out where it runs
    other
};

}  // namespace strata::component
