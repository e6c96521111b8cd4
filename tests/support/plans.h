#pragma once
// Links and plans that several tests share.
#include "algorithms/base/link.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "make_hierarchy.h"
#include "topology/hierarchy.h"

namespace strata::testing {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

/// Round numbers: node 2 us, 1 us, 100 B/us; switches 50 us, 5 us, 10 B/us; no handshakes below 1 GiB.
inline algorithms::LinkTable round_links() {
    algorithms::LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {2, 1, 100, 1024 * mib});
    links.set({LevelKind::switch_, std::nullopt}, {50, 5, 10, 1024 * mib});
    return links;
}

/// A slow uplink between sites: `latency_us`, 200 Mbit/s; 1 Gbit/s inside a site.
inline algorithms::LinkTable two_sites(double latency_us) {
    algorithms::LinkTable links;
    links.set({LevelKind::switch_, 1}, {latency_us, 10, 25, 0});
    links.set({LevelKind::switch_, 0}, {50, 10, 125, 0});
    return links;
}

/// One algorithm and segment size on every level.
inline algorithms::Plan uniform(const Hierarchy& hierarchy, algorithms::Algorithm algorithm,
                                std::size_t segment) {
    algorithms::Plan plan;
    for (const LevelKey level : hierarchy.levels())
        plan.levels.push_back({level, {algorithm, 0, {}}, segment});
    return plan;
}

inline algorithms::Overrides overriding(algorithms::Engine engine, const char* methods = "",
                                        const char* sizes = "") {
    return {engine, algorithms::parse_level_methods(methods), algorithms::parse_level_sizes(sizes)};
}

inline bool same(const algorithms::Plan& a, const algorithms::Plan& b) {
    return a.engine == b.engine && a.levels == b.levels && a.skipped == b.skipped && a.sources == b.sources &&
           a.engine_source == b.engine_source && a.window == b.window &&
           a.network_window_bytes == b.network_window_bytes && a.reason == b.reason &&
           a.nic_local == b.nic_local && a.predicted_us == b.predicted_us && a.forward_us == b.forward_us;
}

}  // namespace strata::testing
