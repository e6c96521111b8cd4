// The plans of a communicator that are kept, and when another takes the place of one.
#include "communicator_state.h"
#include "dump.h"
#include "messages.h"

namespace strata::component {

Planned& CommunicatorState::plan(const algorithms::Operation& operation, bool delegate) {
    const algorithms::PlanClass found = planner_->class_of(operation, delegate);
    const auto [place, isnew] = plans_.try_emplace(found.key);
    if (isnew) {
        try {
            place->second.plan = planner_->make_plan(found.representative, delegate);
            explain(operation, place->second.plan);
            if (delegate) {
                place->second.delegation =
                    planner_->weigh_delegation(found.representative, place->second.plan);
            }
        } catch (...) {
            plans_.erase(place);
            throw;
        }
    }
    delegate_if_it_pays(place->second, operation);
    return place->second;
}

/// Every rank counts the calls of a plan alike (count_call()), and changes it at the same one.
void CommunicatorState::delegate_if_it_pays(Planned& planned, const algorithms::Operation& operation) {
    if (!planned.delegation || !planned.delegation->pays(planned.calls)) {
        return;
    }
    planned.plan = std::move(planned.delegation->plan);
    planned.delegation.reset();
    planned.routes.clear();
    explain(operation, planned.plan);
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
