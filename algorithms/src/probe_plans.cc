#include "strata/algorithms/probe_plans.h"

#include <cfloat>

#include "strata/algorithms/plan_hash.h"
#include "strata/algorithms/selector.h"
#include "strata/topology/default_arithmetic.h"
#include "strata/topology/fact_hash.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {
namespace {

/// Two switches with two nodes of three ranks each.
topology::Hierarchy probe_hierarchy() {
    constexpr std::uint32_t nodes = 4;
    constexpr int ranks_of_node = 3;
    std::vector<topology::LocalityRecord> records;
    for (std::uint32_t node = 0; node < nodes; ++node) {
        for (int rank = 0; rank < ranks_of_node; ++rank) {
            topology::LocalityRecord& record = records.emplace_back();
            record.node_id = node;
            record.network_path = {nodes, node / 2};
        }
    }
    return topology::build_hierarchy(records);
}

}  // namespace

std::uint64_t probe_plans() {
    const topology::DefaultArithmetic arithmetic;
    const topology::Hierarchy hierarchy = probe_hierarchy();
    topology::FactHash hash;
    hash.add(FLT_EVAL_METHOD);
    for (const Operation& operation :
         {Operation{Collective::bcast, 70'000}, Operation{Collective::reduce, 1'000'000},
          Operation{Collective::allreduce, 3'000}, Operation{Collective::allgather, 300'000},
          Operation{Collective::gather, 20'000}, Operation{Collective::barrier}}) {
        const Plan plan = make_plan(hierarchy, LinkTable{}, {}, operation);
        hash.add(hash_of(plan)).add(plan.predicted_us).add(plan.forward_us);
    }
    return hash.value();
}

}  // namespace strata::algorithms
