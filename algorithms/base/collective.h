#pragma once
// Types and tables made from the list of collectives (collectives.def).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algorithms/base/level_task.h"

namespace strata::algorithms {

enum class Collective : std::uint8_t {
#define STRATA_COLLECTIVE(op, ...) op,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    count
};

inline constexpr int collective_count = static_cast<int>(Collective::count);

inline constexpr std::array<std::string_view, collective_count> collective_names = {
#define STRATA_COLLECTIVE(op, ...) #op,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

constexpr std::string_view name_of(Collective collective) {
    return collective_names[static_cast<std::size_t>(collective)];
}

/// The properties of a collective. "Up" is towards the root of the tree.
struct CollectiveTraits {
    bool rooted = false;     ///< the caller names a root
    bool up = false;         ///< data moves up the tree
    bool down = false;       ///< data moves down the tree
    bool vectors = false;    ///< every edge carries a whole vector
    bool combines = false;   ///< an operator combines the vectors on their way up
    bool blocks = false;     ///< every rank has a block of its own
    bool unequal = false;    ///< blocks have sizes of their own
    bool sized = true;       ///< every rank knows the total number of bytes
    bool exchanges = false;  ///< the topmost level may exchange pairwise instead (exchanges_by())
    bool by_ring = false;    ///< the ring engine can carry it
    bool by_rails = false;   ///< so can rails over several NICs
    bool inside = false;     ///< its trees were measured inside nodes, even without link parameters
    CollectiveTasks tasks{};

    constexpr bool has_data() const { return vectors || blocks; }
    /// Returns true if the node engine can carry it.
    constexpr bool by_node() const { return sized; }
    constexpr bool from_root() const { return rooted && down; }
};

inline constexpr std::array<CollectiveTraits, collective_count> collective_traits = {
#define STRATA_COLLECTIVE(op, tag, ...) CollectiveTraits{__VA_ARGS__},
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

constexpr const CollectiveTraits& traits_of(Collective collective) {
    return collective_traits[static_cast<std::size_t>(collective)];
}

/// Returns true if the traits of a collective fit together.
constexpr bool fit_together(const CollectiveTraits& traits) {
    const bool one_way = traits.up != traits.down;
    return (traits.up || traits.down) && traits.rooted == one_way && !(traits.vectors && traits.blocks) &&
           (!traits.combines || (traits.vectors && traits.up)) && (!traits.unequal || traits.blocks) &&
           (traits.sized || (traits.unequal && traits.rooted)) && (!traits.exchanges || !traits.rooted) &&
           !(traits.tasks.topmost == LevelTasks{}) && !(traits.tasks.below == LevelTasks{});
}
static_assert(std::all_of(collective_traits.begin(), collective_traits.end(), fit_together));

}  // namespace strata::algorithms
