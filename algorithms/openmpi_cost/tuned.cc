#include "algorithms/openmpi_cost/tuned.h"

#include <array>

namespace strata::algorithms {
namespace {

constexpr std::array<TunedTime*, collective_count> times = {
#define STRATA_COLLECTIVE(op, ...) tuned_##op##_us,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

}  // namespace

double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation) {
    FlatRounds rounds(hierarchy);
    return forward_cost_us(hierarchy, links, operation, rounds);
}

double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation, FlatRounds& rounds) {
    if (hierarchy.ranks() < 2) return 0;
    TunedTime* const time = times[static_cast<std::size_t>(operation.collective)];
    double us = time(hierarchy, links, operation, rounds);
    if (operation.other_roots.empty() || !traits_of(operation.collective).rooted) return us;
    Operation there = operation;
    for (const int root : operation.other_roots) {
        there.root = root;
        us += time(hierarchy, links, there, rounds);
    }
    return us / static_cast<double>(operation.other_roots.size() + 1);
}

}  // namespace strata::algorithms
