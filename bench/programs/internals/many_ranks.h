#pragma once
#include <vector>

#include "topology/hierarchy.h"

namespace bench {

/// Machine of nodes below leaf switches below one top switch.
struct ManyRanks {
    int switches;
    int nodes;  ///< under each switch
    int packages;
    int ranks;  ///< in each package
    int all_nodes() const { return switches * nodes; }
    int per_node() const { return packages * ranks; }
    int all() const { return all_nodes() * per_node(); }
};

/// Returns the locality records of a job that fills the machine. `cyclic` deals ranks to the nodes in
/// turn; otherwise they fill node by node.
std::vector<strata::topology::LocalityRecord> records_of(const ManyRanks& machine, bool cyclic);

}  // namespace bench
