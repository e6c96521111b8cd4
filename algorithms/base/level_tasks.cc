#include "algorithms/base/level_tasks.h"

namespace strata::algorithms {

bool exchanges_by(Algorithm algorithm, const CollectiveTraits& traits) {
    if (algorithm == Algorithm::rabenseifner) return traits.exchanges && traits.combines;
    return algorithm == Algorithm::recursive_doubling && traits.exchanges;
}

}  // namespace strata::algorithms
