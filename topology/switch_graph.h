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
        std::vector<int> children;  ///< any order; one twice is as good as once
    };
    std::vector<Switch> switches;
    std::map<std::string, std::vector<int>> leaves_of;  ///< node -> its leaf switches, each once, ascending

    /// Makes it a tree in the way of Slurm's topology/tree, so that a file and SLURM_TOPOLOGY_ADDR agree: the
    /// switches of one height above a node are one switch, named "s0,s1". A leaf switch has height 0, another
    /// one more than its highest child. Throws Misplaced. Cost: about linear in the switches and links, and
    /// in the names that come out, which have a limit.
    Network to_tree() const;

    /// A switch below itself, too many switches in a row, or too many names above the nodes.
    struct Misplaced {
        int id = 0;
        std::string reason;
    };
};

}  // namespace strata::topology
