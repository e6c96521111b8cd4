#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"
#include "strata/topology/hierarchy.h"

namespace strata::simulation {

/// Which ranks a job on a machine has, beyond what Machine::job says; empty: one per core, in block order.
struct JobSpec {
    std::string nodes = {};      ///< the first so many, as strata-topo's --nodes; --hosts must not be given
    std::string ppn = {};        ///< as strata-topo's option
    std::string placement = {};  ///< the same
    std::string order = {};      ///< block, cyclic, or shuffle:SEED
};

/// A job's ranks as the production code sees them.
struct Ranks {
    std::vector<topology::LocalityRecord> records;
    topology::Hierarchy hierarchy;
    topology::Hierarchy flat;  ///< the same ranks in one group
};

/// Throws tool::UsageError.
Ranks make_ranks(const Machine& machine, const JobSpec& spec);

}  // namespace strata::simulation
