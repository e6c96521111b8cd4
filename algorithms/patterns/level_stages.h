#pragma once
#include <cstdint>

#include "algorithms/base/collective.h"

namespace strata::algorithms {

enum class LevelRole : std::uint8_t {
    up,      ///< towards whoever stands for the group
    across,  ///< among all participants: the topmost level of collectives without a root
    down,    ///< from whoever stands for the group
};

/// One level's part in a collective, all of its groups at the same time.
struct LevelStage {
    int level = 0;  ///< 0 = topmost
    LevelRole role = LevelRole::down;
};

/// The stages of a collective over `levels` levels in the order in which data passes them: up from the
/// deepest level, across the topmost one, down again; for a rooted collective just one of the ways.
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
