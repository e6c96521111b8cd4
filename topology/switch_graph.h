#pragma once
#include <map>
#include <string>
#include <vector>

#include "topology/network.h"

namespace strata::topology {

/// Switches as a file describes them. A switch may be below several others (a fat tree lists its leaf
/// switches below every spine), and a node below several leaf switches (two rails).
struct SwitchGraph {
    struct Switch {
        std::string name;
        std::vector<int> children;  ///< any order; duplicates are ignored
    };
    std::vector<Switch> switches;
    std::map<std::string, std::vector<int>> leaves_of;  ///< node -> its leaf switches, each once, ascending

    /// Returns the tree of Slurm's topology/tree, so that a file and SLURM_TOPOLOGY_ADDR agree: all
    /// switches of one height above a node become one switch, named "s0,s1". A leaf switch has height 0,
    /// another one more than its highest child. Throws InvalidSwitch. Cost: about linear in the switches,
    /// links and resulting names, whose total is limited.
    Network to_tree() const;

    /// A cycle of switches, too many switches in a row, or too many names above the nodes.
    struct InvalidSwitch {
        int id = 0;
        std::string reason;
    };
};

}  // namespace strata::topology
