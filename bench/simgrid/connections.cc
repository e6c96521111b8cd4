#include "connections.h"

#include <algorithm>
#include <simgrid/s4u.hpp>

namespace strata::simulation {

void Connections::before_message(int from, int to) {
    if (setup_us_ <= 0 || from == to) return;
    const auto group = static_cast<std::size_t>(hierarchy_->lowest_common_group(from, to));
    if (!topology::is_network(hierarchy_->groups[group])) return;
    if (made_.emplace(std::minmax(from, to)).second) simgrid::s4u::this_actor::sleep_for(setup_us_ * 1e-6);
}

}  // namespace strata::simulation
