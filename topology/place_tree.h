#pragma once
#include <cstdint>
#include <vector>

#include "topology/kinds.h"
#include "topology/level.h"

namespace strata::topology {

/// A distinct switch, node or hardware object that contains a process, before any level is dropped; or a
/// piece of a custom level.
struct Place {
    int parent = -1;
    LevelKey level;
    std::uint16_t kinds = 0;  ///< bit_of() of every kind that the object has
    std::uint64_t object = 0;
    bool may_split = false;  ///< the specification lets this object form a group
    LevelKey around;         ///< for a piece: the level of the smallest object that contains its ranks
    int ranks = 0;           ///< processes in or below it
    int group = -1;

    bool matches(LevelPattern pattern) const {
        return (kinds & bit_of(pattern.kind)) != 0 && (!pattern.height || *pattern.height == level.height);
    }
};

/// Parents precede their children; places[0] contains all ranks.
struct PlaceTree {
    std::vector<Place> places;
    std::vector<int> of;  ///< rank -> its narrowest place

    Place& at(int place) { return places[static_cast<std::size_t>(place)]; }
    const Place& at(int place) const { return places[static_cast<std::size_t>(place)]; }
    int add(Place place) {
        places.push_back(place);
        return static_cast<int>(places.size()) - 1;
    }
};

}  // namespace strata::topology
