#pragma once
#include <cstdint>

#include "algorithms/base/collective.h"

namespace strata::algorithms {

enum class LevelRole : std::uint8_t {
    up,      ///< towards the local root of each group
    across,  ///< among all participants: the topmost level of collectives without a root
    down,    ///< from the local root of each group
};

/// One level's step of a collective; all groups of the level take it at the same time.
struct LevelStage {
    int level = 0;  ///< 0 = topmost
    LevelRole role = LevelRole::down;
};

/// The stages of a collective over `levels` levels in the order of the data: up from the deepest level,
/// across the topmost one, down again. A rooted collective has one direction only.
class LevelStages {
public:
    LevelStages(const CollectiveTraits& traits, int levels)
        : up_(traits.up), down_(traits.down), levels_(levels) {}
    int count() const { return up_ && down_ ? 2 * levels_ - 1 : levels_; }
    LevelStage operator[](int index) const;

private:
    bool up_;
    bool down_;
    int levels_;
};

}  // namespace strata::algorithms
