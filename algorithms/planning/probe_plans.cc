#include "algorithms/planning/probe_plans.h"

#include <cfloat>

#include "algorithms/base/collective.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/base/plan_hash.h"
#include "algorithms/planning/earned_search.h"
#include "algorithms/planning/make_plan.h"
#include "topology/default_arithmetic.h"
#include "topology/fact_hash.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {
namespace {

/// Three nodes of two ranks each: small, because MPI_Init of every process makes these plans.
topology::Hierarchy probe_hierarchy() {
    std::vector<topology::LocalityRecord> records(6);
    for (std::uint32_t rank = 0; rank < records.size(); ++rank) records[rank].node_id = rank / 2;
    return topology::build_hierarchy(records);
}

}  // namespace

std::uint64_t probe_plans() {
    const topology::DefaultArithmetic arithmetic;
    const topology::Hierarchy hierarchy = probe_hierarchy();
    topology::FactHash hash;
    hash.add(FLT_EVAL_METHOD);
    for (const Operation& operation :
         {Operation{Collective::bcast, 70'000}, Operation{Collective::allreduce, 70'000}}) {
        const Plan plan = make_plan(hierarchy, LinkTable{}, {}, operation);
        hash.add(hash_of(plan)).add(plan.predicted_us).add(plan.forward_us);
        const Plan first = make_plan(hierarchy, LinkTable{}, {}, operation, Effort::closed_form);
        hash.add(hash_of(first)).add(first.predicted_us);
        hash.add(calls_before_search(operation, hierarchy.ranks(), first.predicted_us));
    }
    return hash.value();
}

}  // namespace strata::algorithms
