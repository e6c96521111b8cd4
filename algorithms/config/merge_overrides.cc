#include <utility>

#include "algorithms/base/collective.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"

namespace strata::algorithms {

Overrides merge(Overrides stronger, const Overrides& weaker, Collective collective) {
    const auto take = [&](Overrides with) {
        if (check(with, collective).empty()) stronger = std::move(with);
    };
    if (stronger.engine == Engine::automatic && weaker.engine != Engine::automatic) {
        Overrides with = stronger;
        with.engine = weaker.engine;
        with.engine_source = weaker.engine_source;
        take(std::move(with));
    }
    // After the stronger ones: the first rule that matches a level holds.
    for (const LevelMethodRule& rule : weaker.methods) {
        Overrides with = stronger;
        with.methods.push_back(rule);
        take(std::move(with));
    }
    stronger.segments.insert(stronger.segments.end(), weaker.segments.begin(), weaker.segments.end());
    return stronger;
}

}  // namespace strata::algorithms
