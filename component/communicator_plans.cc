// The plans of a communicator that are kept, and when another takes the place of one.
#include <utility>

#include "communicator_state.h"
#include "dump.h"
#include "messages.h"
#include "setup_meter.h"

namespace strata::component {

Planned& CommunicatorState::plan(const algorithms::Operation& operation, bool may_be_by_levels) {
    const bool given_up = levels_given_up_[static_cast<std::size_t>(operation.collective)];
    const algorithms::ByLevels by_levels = !may_be_by_levels ? algorithms::ByLevels::never
                                           : given_up        ? algorithms::ByLevels::given_up
                                                             : algorithms::ByLevels::maybe;
    const algorithms::PlanClass found = planner().class_of(operation, by_levels);
    auto place = plans_.find(found.key);
    if (place == plans_.end()) {
        const SetupMeter meter(own_counters_);
        place = keep_plan(found.key, Planned(book_->at(found, by_levels)));
        explain(operation, *place->second.plan);
    }
    delegate_if_it_pays(place->second, operation);
    return place->second;
}

CommunicatorState::Plans::iterator CommunicatorState::keep_plan(std::uint64_t key, Planned planned) {
    const std::lock_guard lock(counted_);
    return plans_.emplace(key, std::move(planned)).first;
}

void CommunicatorState::forget_plans() noexcept {
    const std::lock_guard lock(counted_);
    plans_.clear();
}

/// Every rank counts the calls of a plan alike (count_call()), and changes it at the same one.
void CommunicatorState::delegate_if_it_pays(Planned& planned, const algorithms::Operation& operation) {
    if (planned.delegation == nullptr || !planned.delegation->pays(planned.calls)) {
        return;
    }
    planned.plan = &planned.delegation->plan;
    planned.delegation = nullptr;
    planned.routes.clear();
    explain(operation, *planned.plan);
}

void CommunicatorState::explain(const algorithms::Operation& operation,
                                const algorithms::Plan& plan) const noexcept {
    if (settings_.verbose < 1 || ompi_comm_rank(comm_) != 0) {
        return;
    }
    try_to([&] {
        const std::string name(algorithms::collective_names[static_cast<int>(operation.collective)]);
        opal_output(0, "coll:strata: %s %s of %zu bytes from rank %d: %s", comm_->c_name, name.c_str(),
                    operation.bytes, operation.root,
                    describe(plan, operation.collective, settings_.rules_file).c_str());
    });
}

}  // namespace strata::component
