// The plans that a communicator keeps, and their replacement.
#include <utility>

#include "algorithms/report/choice_text.h"
#include "component/communicator/communicator_state.h"
#include "component/openmpi/messages.h"
#include "component/report/setup_meter.h"
#include "topology/default_arithmetic.h"

namespace strata::component {

PlanInUse& CommunicatorState::plan(const algorithms::Operation& operation, bool may_be_by_levels) {
    const bool given_up = levels_given_up_[static_cast<std::size_t>(operation.collective)];
    const algorithms::ByLevels by_levels = !may_be_by_levels ? algorithms::ByLevels::never
                                           : given_up        ? algorithms::ByLevels::given_up
                                                             : algorithms::ByLevels::maybe;
    PlanInUse* planned = plans_.repeated(operation, by_levels);
    if (planned == nullptr) {
        const algorithms::PlanClass found = planner().class_of(operation, by_levels);
        planned = plans_.find(found.key);
        if (planned == nullptr) {
            const SetupMeter meter(own_counters_);
            const topology::DefaultArithmetic arithmetic;
            planned = &plans_.make(found, by_levels);
            explain(operation, *planned->plan);
        }
        plans_.remember(operation, by_levels, *planned);
    }
    if (planned->search_pays()) {
        const SetupMeter meter(own_counters_);
        const topology::DefaultArithmetic arithmetic;
        planned = &plans_.search(*planned, planner().class_of(operation, by_levels), by_levels);
        explain(operation, *planned->plan);
    }
    if (planned->delegation_pays()) {
        planned = &plans_.delegate(*planned);
        explain(operation, *planned->plan);
    }
    return *planned;
}

/// Runs before the first message of a call, so that all ranks can still pass it through together.
int CommunicatorState::agreed_plan(const algorithms::Operation& operation, bool may_be_by_levels,
                                   PlanInUse*& found) {
    found = &plan(operation, may_be_by_levels);
    // Not compared: calls that pass through at every size may not get here on other ranks
    // (passes_for_good()).
    const bool left = passed_.passed_at_every_size(operation.collective) != nullptr;
    if (!job_.check_plans || found->compared || left) {
        return OMPI_SUCCESS;
    }
    return wait_for([&](SetUp& own) { return compare(own, operation, found); });
}

algorithms::Task CommunicatorState::compare(SetUp& set_up, const algorithms::Operation& operation,
                                            PlanInUse*& found) {
    const SetupMeter meter(own_counters_);
    const std::uint64_t hash = found->hash();
    if (const int rc = co_await compare_plan(set_up, least_, hash, found->compared);
        rc != OMPI_SUCCESS || found->compared) {
        co_return rc;
    }
    std::string own;
    try_to([&] { own = outline(operation, *found); });
    const int rc = co_await report_plan_change(set_up, least_, comm_, hash, own);
    found = nullptr;
    agreed_ = false;
    forget_plans();
    forward_all(ForwardReason::plans);
    co_return rc;
}

std::string CommunicatorState::outline(const algorithms::Operation& operation,
                                       const PlanInUse& planned) const {
    const auto of = [](const algorithms::Plan& plan) {
        return algorithms::outline(plan) + ", window " + std::to_string(plan.window);
    };
    std::string text = algorithms::operation_text(operation) + ": " + of(*planned.plan);
    if (planned.search_after != algorithms::no_search) {
        text += "; searched for after " + std::to_string(planned.search_after) + " calls";
    }
    if (planned.delegation != nullptr) {
        text += "; after " + std::to_string(planned.delegation->first_call) + " calls " +
                of(planned.delegation->plan);
    }
    return text;
}

void CommunicatorState::forget_plans() noexcept {
    plans_.forget();
    passed_.forget_sizes();
}

}  // namespace strata::component
