#pragma once
// What follows from the one list of collectives.
#include <array>
#include <string_view>

namespace strata::component {

enum class Collective : int {
#define STRATA_COLLECTIVE(op) op,
#include "collectives.def"
#undef STRATA_COLLECTIVE
    count
};

inline constexpr int collective_count = static_cast<int>(Collective::count);

inline constexpr std::array<std::string_view, collective_count> collective_names = {
#define STRATA_COLLECTIVE(op) #op,
#include "collectives.def"
#undef STRATA_COLLECTIVE
};

}  // namespace strata::component
