#pragma once
#include <memory>

#include "algorithms/planning/plan_table.h"
#include "component/settings/settings.h"

namespace strata::component {

/// Returns a plan table for one communicator alone.
std::shared_ptr<algorithms::PlanTable> make_plans(topology::Hierarchy hierarchy,
                                                  const CommunicatorSettings& settings, int rails);

/// Returns the plan table for a hierarchy under the job's settings. Communicators of this process with equal
/// hierarchies share it, so that a duplicate costs almost nothing. Without communicators, the table used last
/// stays, and of earlier ones as many as fit in `kept_bytes`. Tables of equal structures share what formulas
/// choose for first calls (algorithms::StructuralPlans).
std::shared_ptr<algorithms::PlanTable> shared_plans(topology::Hierarchy hierarchy, const Settings& job,
                                                    int rails);
inline constexpr std::size_t kept_bytes = std::size_t{4} << 20;
inline constexpr std::size_t kept_structure_bytes = std::size_t{1} << 20;

/// Must be called for both kinds when a communicator no longer needs its table.
void release_plan_table(const std::shared_ptr<algorithms::PlanTable>& plan_table) noexcept;

}  // namespace strata::component
