#pragma once
#include <memory>

#include "algorithms/planning/plan_table.h"
#include "component/settings/settings.h"

namespace strata::component {

/// Plans that nobody else has.
std::shared_ptr<algorithms::PlanTable> make_plans(topology::Hierarchy hierarchy,
                                                  const CommunicatorSettings& settings, int rails);

/// The plans for a hierarchy under the job's settings. Communicators of this process with equal hierarchies
/// share them, so that copies of one cost next to nothing. The one used last, and of those used before it as
/// many as fit in `kept_bytes`, stay for the next communicator when nobody has them any more.
std::shared_ptr<algorithms::PlanTable> shared_plans(topology::Hierarchy hierarchy, const Settings& job,
                                                    int rails);
inline constexpr std::size_t kept_bytes = std::size_t{4} << 20;

/// To be called for either kind when a communicator has done with it.
void give_back_plans(const std::shared_ptr<algorithms::PlanTable>& plan_table) noexcept;

}  // namespace strata::component
