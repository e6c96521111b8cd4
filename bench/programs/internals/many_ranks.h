#pragma once
#include <vector>

#include "topology/hierarchy.h"

namespace bench {

/// Nodes below leaf switches below one top switch, and the processors of a node.
struct ManyRanks {
    int switches;
    int nodes;  ///< of each switch
    int packages;
    int ranks;  ///< of each package
    int all_nodes() const { return switches * nodes; }
    int per_node() const { return packages * ranks; }
    int all() const { return all_nodes() * per_node(); }
};

/// What the ranks of a job that fills the machine say about themselves. `cyclic`: dealt to the nodes in turn,
/// else node by node.
std::vector<strata::topology::LocalityRecord> records_of(const ManyRanks& machine, bool cyclic);

}  // namespace bench
