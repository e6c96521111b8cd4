#pragma once
#include "contender.h"
#include "machine.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// What no algorithm can beat: microseconds until the most loaded link of the machine has carried what has to
/// cross it in one direction, the most loaded bus what has to cross it at all, or every rank has combined its
/// share. No latency and no overhead is counted. `hierarchy`: all levels of the ranks.
double least_us(const Machine& machine, const topology::Hierarchy& hierarchy, const Call& call);

}  // namespace strata::simulation
