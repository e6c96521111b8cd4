#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

double cost_from_root_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                         const Operation& operation, FlatRounds& rounds) {
    switch (operation.collective) {
        case Collective::bcast: return tuned_bcast_us(hierarchy, links, operation);
        case Collective::reduce: return tuned_reduce_us(hierarchy, links, operation);
        case Collective::allreduce: return tuned_allreduce_us(hierarchy, links, operation, rounds);
        case Collective::allgather:
        case Collective::allgatherv: return tuned_allgather_us(hierarchy, links, operation, rounds);
        case Collective::gather: return tuned_gather_us(hierarchy, links, operation);
        case Collective::scatter: return tuned_scatter_us(hierarchy, links, operation);
        case Collective::barrier: return tuned_barrier_us(hierarchy, links, rounds);
        case Collective::gatherv:
        case Collective::scatterv:
        case Collective::count: break;
    }
    return 0;
}

}  // namespace

double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation) {
    FlatRounds rounds(hierarchy);
    return forward_cost_us(hierarchy, links, operation, rounds);
}

double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation, FlatRounds& rounds) {
    if (hierarchy.ranks() < 2) return 0;
    double us = cost_from_root_us(hierarchy, links, operation, rounds);
    if (operation.other_roots.empty() || !traits_of(operation.collective).rooted) return us;
    Operation there = operation;
    for (const int root : operation.other_roots) {
        there.root = root;
        us += cost_from_root_us(hierarchy, links, there, rounds);
    }
    return us / static_cast<double>(operation.other_roots.size() + 1);
}

}  // namespace strata::algorithms
