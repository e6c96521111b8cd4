#pragma once
#include <cstdint>

namespace strata::component {

/// Why a process cannot serve a communicator.
enum class Failure : std::uint8_t {
    none,
    memory,
    topology,  ///< its place in the hardware is unknown
    other
};

}  // namespace strata::component
