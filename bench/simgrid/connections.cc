#include "connections.h"

#include <algorithm>
#include <simgrid/s4u.hpp>

namespace strata::simulation {

void Connections::before_message(int from, int to) {
    if (setup_us_ <= 0 || from == to) return;
    const auto group = static_cast<std::size_t>(hierarchy_->lowest_common_group(from, to));
    if (!topology::is_network(hierarchy_->groups[group])) return;
    const double now_s = simgrid::s4u::Engine::get_clock();
    const double made_s = made_.try_emplace(std::minmax(from, to), now_s + setup_us_ * 1e-6).first->second;
    if (made_s > now_s) simgrid::s4u::this_actor::sleep_until(made_s);
}

}  // namespace strata::simulation
