#include "topology/fact_hash.h"

#include "topology/hierarchy.h"

namespace strata::topology {

FactHash& FactHash::add(std::string_view text) {
    add(text.size());
    for (const char character : text) add(static_cast<unsigned char>(character));
    return *this;
}

FactHash& FactHash::add(const std::vector<int>& numbers) {
    add(numbers.size());
    for (const int number : numbers) add(number);
    return *this;
}

std::uint64_t hash_of(const Hierarchy& hierarchy) {
    FactHash hash;
    hash.add(hierarchy.groups.size());
    for (const Group& group : hierarchy.groups) {
        // Depth and children follow from the parents, members from `stop`.
        hash.add(group.level).add(group.object).add(group.parent).add(group.leader).add(group.around);
    }
    hash.add(hierarchy.stop)
        .add(hierarchy.topology_order)
        .add(hierarchy.topology_order_nodes)
        .add(hierarchy.receivers);
    return hash.add(hierarchy.oversubscription).value();
}

}  // namespace strata::topology
