#pragma once
#include <string>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::reference {

/// A hierarchy by name.
struct NamedMachine {
    std::string name;
    topology::Hierarchy hierarchy;
};

/// One node and several, block, cyclic and shuffled, one and two levels of switches, 8 to 1,024 ranks; ranks
/// far from their NIC, ranks that share processors, and irregular hierarchies.
std::vector<NamedMachine> machines();

}  // namespace strata::reference
