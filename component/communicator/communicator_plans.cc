// The plans of a communicator that are kept, and when another takes the place of one.
#include <utility>

#include "algorithms/base/plan_hash.h"
#include "component/communicator/communicator_state.h"
#include "component/openmpi/messages.h"
#include "component/report/dump.h"
#include "component/report/setup_meter.h"
#include "topology/default_arithmetic.h"
#include "topology/fact_hash.h"

namespace strata::component {

std::uint64_t Planned::hash() const {
    topology::FactHash hash;
    hash.add(key).add(algorithms::hash_of(*plan));
    if (delegation != nullptr) {
        hash.add(algorithms::hash_of(delegation->plan)).add(delegation->first_call);
    }
    return hash.value();
}

Planned& CommunicatorState::plan(const algorithms::Operation& operation, bool may_be_by_levels) {
    const bool given_up = levels_given_up_[static_cast<std::size_t>(operation.collective)];
    const algorithms::ByLevels by_levels = !may_be_by_levels ? algorithms::ByLevels::never
                                           : given_up        ? algorithms::ByLevels::given_up
                                                             : algorithms::ByLevels::maybe;
    const algorithms::PlanClass found = planner().class_of(operation, by_levels);
    auto place = plans_.find(found.key);
    if (place == plans_.end()) {
        const SetupMeter meter(own_counters_);
        const topology::DefaultArithmetic arithmetic;
        place = keep_plan(Planned(found.key, book_->at(found, by_levels)));
        explain(operation, *place->second.plan);
    }
    delegate_if_it_pays(place->second, operation);
    return place->second;
}

/// Nothing of the call has been sent yet: all can still pass it through together.
int CommunicatorState::agreed_plan(const algorithms::Operation& operation, bool may_be_by_levels,
                                   Planned*& found) {
    found = &plan(operation, may_be_by_levels);
    // No plan of ours, and others may not come here: see passes_for_good().
    const bool left = left_whatever_size_[static_cast<std::size_t>(operation.collective)] != nullptr;
    if (!job_.check_plans || found->compared || left) {
        return OMPI_SUCCESS;
    }
    const SetupMeter meter(own_counters_);
    const std::uint64_t hash = found->hash();
    if (const int rc = compare_plan(least_, hash, found->compared); rc != OMPI_SUCCESS || found->compared) {
        return rc;
    }
    std::string own;
    try_to([&] { own = outline(operation, *found); });
    const int rc = tell_of_plan(least_, comm_, hash, own);
    found = nullptr;
    agreed_ = false;
    forget_plans();
    forward_all(ForwardReason::plans);
    return rc;
}

std::string CommunicatorState::outline(const algorithms::Operation& operation, const Planned& planned) const {
    const auto of = [](const algorithms::Plan& plan) {
        return component::outline(plan) + ", window " + std::to_string(plan.window);
    };
    std::string text(algorithms::name_of(operation.collective));
    text += " of " + std::to_string(operation.bytes) + " bytes from rank " + std::to_string(operation.root) +
            ": " + of(*planned.plan);
    if (planned.delegation != nullptr) {
        text += "; after " + std::to_string(planned.delegation->first_call) + " calls " +
                of(planned.delegation->plan);
    }
    return text;
}

CommunicatorState::Plans::iterator CommunicatorState::keep_plan(Planned planned) {
    const std::lock_guard lock(counted_);
    return plans_.emplace(planned.key, std::move(planned)).first;
}

void CommunicatorState::forget_plans() noexcept {
    const std::lock_guard lock(counted_);
    plans_.clear();
    passed_sizes_.fill({});
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

}  // namespace strata::component
