#include "algorithms/base/plan_hash.h"

#include "topology/fact_hash.h"

namespace strata::algorithms {

std::uint64_t hash_of(const Plan& plan) {
    topology::FactHash hash;
    hash.add(static_cast<unsigned>(plan.engine)).add(plan.levels.size());
    for (const LevelPlan& level : plan.levels) {
        hash.add(level.level).add(static_cast<unsigned>(level.method.algorithm)).add(level.method.radix);
        hash.add(level.method.component).add(level.segment_bytes);
    }
    hash.add(plan.skipped.size());
    for (const topology::LevelKey level : plan.skipped) hash.add(level);
    hash.add(plan.window).add(plan.network_window_bytes).add(plan.nic_local);
    return hash.add(plan.rails).value();
}

}  // namespace strata::algorithms
