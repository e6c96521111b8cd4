#include "component/communicator/plan_tables.h"

#include <mutex>
#include <utility>

#include "algorithms/planning/plan_cache.h"
#include "algorithms/planning/structural_plans.h"
#include "component/base/process_wide.h"
#include "topology/fact_hash.h"

namespace strata::component {
namespace {

struct ProcessPlans {
    algorithms::PlanCache tables{kept_bytes};
    std::mutex mutex;
    std::shared_ptr<algorithms::StructuralPlans> by_structure;  // made when it is needed

    /// Returns null without memory: then plans are not shared.
    std::shared_ptr<algorithms::StructuralPlans> proposals() noexcept {
        const std::lock_guard lock(mutex);
        try {
            if (by_structure == nullptr)
                by_structure = std::make_shared<algorithms::StructuralPlans>(kept_structure_bytes);
        } catch (...) {
        }
        return by_structure;
    }
};

ProcessPlans& process_plans() {
    static ProcessWide<ProcessPlans> all;
    return all.get();
}

/// Not std::make_shared: a weak reference to a released plan table must not keep its memory.
std::shared_ptr<algorithms::PlanTable> new_table(topology::Hierarchy hierarchy,
                                                 const CommunicatorSettings& settings, int rails,
                                                 std::shared_ptr<algorithms::StructuralPlans> shared) {
    return std::shared_ptr<algorithms::PlanTable>(new algorithms::PlanTable(
        std::move(hierarchy), settings, settings.hierarchy.has_value(), rails, std::move(shared)));
}

}  // namespace

std::shared_ptr<algorithms::PlanTable> make_plans(topology::Hierarchy hierarchy,
                                                  const CommunicatorSettings& settings, int rails) {
    return new_table(std::move(hierarchy), settings, rails, nullptr);
}

std::shared_ptr<algorithms::PlanTable> shared_plans(topology::Hierarchy hierarchy, const Settings& job,
                                                    int rails) {
    const std::uint64_t hash = topology::hash_of(hierarchy);
    auto plan_table = process_plans().tables.find(hash, hierarchy, rails);
    if (plan_table == nullptr) {
        plan_table = new_table(std::move(hierarchy), job, rails, process_plans().proposals());
        process_plans().tables.add(hash, plan_table);
    }
    return plan_table;
}

void release_plan_table(const std::shared_ptr<algorithms::PlanTable>& plan_table) noexcept {
    process_plans().tables.give_back(plan_table);
}

}  // namespace strata::component
