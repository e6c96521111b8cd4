#pragma once
#include <bit>
#include <cstdint>

#include "topology/level.h"

namespace strata::topology {

constexpr std::uint16_t bit_of(LevelKind kind) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind));
}

/// The kinds that an hwloc object can have: package to pu.
inline constexpr std::uint16_t hardware_kinds = static_cast<std::uint16_t>(
    (1U << (static_cast<unsigned>(LevelKind::pu) + 1)) - (1U << static_cast<unsigned>(LevelKind::package)));

/// Returns the lowest kind of a non-empty set, but core rather than pu.
constexpr LevelKind lowest_kind(std::uint16_t kinds) {
    if ((kinds & bit_of(LevelKind::core)) != 0) return LevelKind::core;
    return static_cast<LevelKind>(std::bit_width(kinds) - 1);
}

}  // namespace strata::topology
