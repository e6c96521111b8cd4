#include "composition.h"

#include "plan_search.h"
#include "strata/topology/text.h"

namespace strata::algorithms {

double crowding_of(const topology::Hierarchy& hierarchy, const Operation& operation) {
    const bool inside = !is_network(hierarchy.groups.front());
    return inside && operation.collective == Collective::allreduce ? hierarchy.crowding : 1;
}

void compose(Plan& plan, const topology::Hierarchy& hierarchy, const LinkTable& links,
             const Operation& operation) {
    const double crowding = crowding_of(hierarchy, operation);
    if (crowding <= 1 || operation.reproducible) return;
    Operation part = operation;
    part.root = 0;
    part.collective = Collective::reduce;
    double us = forward_cost_us(hierarchy, links, part, crowding);
    part.collective = Collective::bcast;
    us += forward_cost_us(hierarchy, links, part, crowding);
    if (us > plan.forward_us * (1 - needed_gain)) return;
    plan.composed = true;
    plan.predicted_us = us;
    plan.reason =
        topology::number_text(crowding, 3) + " ranks share a processor: fewer messages take less of its time";
}

}  // namespace strata::algorithms
