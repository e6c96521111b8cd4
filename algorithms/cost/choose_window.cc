#include "algorithms/cost/choose_window.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

constexpr double least_bytes = 256 << 10;
constexpr double most_bytes = 4 << 20;

}  // namespace

Window choose_window(int wanted, const topology::Hierarchy& hierarchy, const LinkTable& links) {
    if (wanted > 0) return wanted;
    Window window;
    double held = 0;
    for (const topology::Group& group : hierarchy.groups) {
        if (!is_network(group)) continue;
        const LinkParameters link = links.at(link_level(group));
        held = std::max({held, least_bytes, 2 * (link.latency_us + link.overhead_us) * link.bytes_per_us});
    }
    window.network_bytes = static_cast<std::size_t>(std::min(held, most_bytes));
    return window;
}

}  // namespace strata::algorithms
