#include "algorithms/patterns/level_stages.h"

namespace strata::algorithms {

LevelStage LevelStages::operator[](int index) const {
    if (!up_) return {index, LevelRole::down};
    if (!down_) return {levels_ - 1 - index, LevelRole::up};
    if (index < levels_ - 1) return {levels_ - 1 - index, LevelRole::up};
    if (index == levels_ - 1) return {0, LevelRole::across};
    return {index - levels_ + 1, LevelRole::down};
}

}  // namespace strata::algorithms
