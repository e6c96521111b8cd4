#pragma once
// What follows from the one list of collectives.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strata::algorithms {

enum class Collective : std::uint8_t {
#define STRATA_COLLECTIVE(op) op,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    count
};

inline constexpr int collective_count = static_cast<int>(Collective::count);

inline constexpr std::array<std::string_view, collective_count> collective_names = {
#define STRATA_COLLECTIVE(op) #op,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

constexpr std::string_view name_of(Collective collective) {
    return collective_names[static_cast<std::size_t>(collective)];
}

/// What planning has to know of a collective. "Up" is towards the root of the tree.
struct CollectiveTraits {
    bool rooted = false;     ///< the caller names a root
    bool up = false;         ///< data moves up the tree
    bool down = false;       ///< data moves down the tree
    bool folds = false;      ///< an operator combines vectors on their way up
    bool blocks = false;     ///< every rank has a block of its own; else every edge carries the whole vector
    bool sized = true;       ///< every rank can tell the total number of bytes
    bool exchanges = false;  ///< the topmost level may exchange pairwise instead (exchanges_by())
    bool by_ring = false;    ///< the ring engine can carry it
    bool by_lanes = false;   ///< so can lanes over several network cards
};

constexpr CollectiveTraits traits_of(Collective collective) {
    switch (collective) {
        case Collective::bcast: return {.rooted = true, .down = true, .by_lanes = true};
        case Collective::reduce: return {.rooted = true, .up = true, .folds = true};
        case Collective::allreduce:
            return {.up = true,
                    .down = true,
                    .folds = true,
                    .exchanges = true,
                    .by_ring = true,
                    .by_lanes = true};
        case Collective::barrier: return {.up = true, .down = true, .exchanges = true};
        case Collective::allgather:
        case Collective::allgatherv:
            return {.up = true,
                    .down = true,
                    .blocks = true,
                    .exchanges = true,
                    .by_ring = true,
                    .by_lanes = true};
        case Collective::gather: return {.rooted = true, .up = true, .blocks = true};
        case Collective::gatherv: return {.rooted = true, .up = true, .blocks = true, .sized = false};
        case Collective::scatter: return {.rooted = true, .down = true, .blocks = true};
        case Collective::scatterv: return {.rooted = true, .down = true, .blocks = true, .sized = false};
        case Collective::count: break;
    }
    return {};
}

}  // namespace strata::algorithms
