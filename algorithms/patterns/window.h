#pragma once
#include <algorithm>
#include <cstddef>

#include "algorithms/base/plan.h"

namespace strata::algorithms {

/// Maximum number of requests on one edge.
inline constexpr std::size_t most_in_flight = 256;

/// The number of messages in flight on an edge.
struct Window {
    int messages = default_window;
    std::size_t network_bytes = 0;  ///< between nodes: as many messages as hold this, if that is more

    Window() = default;
    Window(int of_all_edges, std::size_t between_nodes_bytes = 0)
        : messages(of_all_edges), network_bytes(between_nodes_bytes) {}
    explicit Window(const Plan& plan) : messages(plan.window), network_bytes(plan.network_window_bytes) {}

    /// Returns the window between nodes; whole messages (0) do not enlarge it.
    int between_nodes(std::size_t segment_bytes) const {
        if (segment_bytes == 0) return std::max(1, messages);
        const std::size_t held =
            std::min(most_in_flight, (network_bytes + segment_bytes - 1) / segment_bytes);
        return std::max({1, messages, static_cast<int>(held)});
    }
    int of(bool network, std::size_t segment_bytes) const {
        return network ? between_nodes(segment_bytes) : std::max(1, messages);
    }
    bool operator==(const Window&) const = default;
};

}  // namespace strata::algorithms
