#pragma once
#include <map>
#include <string>
#include <vector>

#include "machine.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// Which ranks a job on a machine has, beyond what Machine::job says; empty: one per core, in block order.
struct JobSpec {
    std::string nodes = {};      ///< the first so many, as strata-topo's --nodes; --hosts must not be given
    std::string hosts = {};      ///< these nodes, as strata-topo's option
    std::string ppn = {};        ///< as strata-topo's option
    std::string placement = {};  ///< the same
    std::string order = {};      ///< block, cyclic, or shuffle:SEED
};

/// A job's ranks as the production code sees them, in one or several ways. Shared by all ranks.
class Ranks {
public:
    /// Throws tool::UsageError.
    Ranks(const Machine& machine, const JobSpec& spec);

    /// Some of them, as a communicator has them: member i is its rank i.
    Ranks subset(const std::vector<int>& members) const;

    const std::vector<topology::LocalityRecord>& records() const { return records_; }
    int size() const { return static_cast<int>(records_.size()); }
    /// All levels.
    const topology::Hierarchy& hierarchy() { return seen_as(""); }
    /// As `view` says; kept. Nothing: all levels. `lowest`: the same, and the lowest rank leads wherever the
    /// NICs are. Else as coll_strata_hierarchy, with '/' in place of ',': `node`, `numa/node`, `none`,
    /// `[0..7]+[8..15]`. Throws std::invalid_argument.
    const topology::Hierarchy& seen_as(const std::string& view);
    /// In one group, and nothing known about where they are.
    const topology::Hierarchy& flat() const { return flat_; }

private:
    Ranks(std::vector<topology::LocalityRecord> records, const topology::HierarchySpec& spec);

    std::vector<topology::LocalityRecord> records_;
    topology::HierarchySpec spec_;
    topology::Hierarchy flat_;
    std::map<std::string, topology::Hierarchy> views_;
};

}  // namespace strata::simulation
