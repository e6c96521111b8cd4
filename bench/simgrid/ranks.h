#pragma once
#include <map>
#include <string>
#include <vector>

#include "machine.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// Ranks of a job on a machine, where they differ from Machine::job; empty: one per core, in block order.
struct JobSpec {
    std::string nodes = {};      ///< number of nodes used, as strata-topo's --nodes; excludes --hosts
    std::string hosts = {};      ///< nodes used, as strata-topo's option
    std::string ppn = {};        ///< as strata-topo's option
    std::string placement = {};  ///< as strata-topo's option
    std::string order = {};      ///< block, cyclic, shuffle:SEED, or nodes:SEED: node by node, nodes shuffled
};

/// A job's ranks as the production code sees them, in one or several views. Shared by all ranks.
class Ranks {
public:
    /// Throws tool::UsageError.
    Ranks(const Machine& machine, const JobSpec& spec);

    /// Makes a communicator of some of them: member i is its rank i.
    Ranks subset(const std::vector<int>& members) const;

    const std::vector<topology::LocalityRecord>& records() const { return records_; }
    int size() const { return static_cast<int>(records_.size()); }
    /// Returns the hierarchy with all levels.
    const topology::Hierarchy& hierarchy() { return seen_as(""); }
    /// Returns the hierarchy in `view`, which is cached. Empty: all levels. `lowest`: all levels, with the
    /// lowest rank leading wherever the NICs are. Else a value of coll_strata_hierarchy with '/' in place
    /// of ',': `node`, `numa/node`, `none`, `[0..7]+[8..15]`. Throws std::invalid_argument.
    const topology::Hierarchy& seen_as(const std::string& view);
    /// Returns one group of all ranks without any location.
    const topology::Hierarchy& flat() const { return flat_; }

private:
    Ranks(std::vector<topology::LocalityRecord> records, const topology::HierarchySpec& spec);

    std::vector<topology::LocalityRecord> records_;
    topology::HierarchySpec spec_;
    topology::Hierarchy flat_;
    std::map<std::string, topology::Hierarchy> views_;
};

}  // namespace strata::simulation
