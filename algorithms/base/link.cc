#include "algorithms/base/link.h"

namespace strata::algorithms {
namespace {

using topology::LevelKey;
using topology::LevelKind;
using topology::LevelPattern;

// Open MPI 4.1: btl_tcp_component.c sends up to 64 KiB without a handshake, btl_vader_component.c (without a
// single-copy mechanism) up to 4 KiB.
constexpr std::size_t network_eager_default = 65536;
constexpr std::size_t node_eager_default = 4096;

// One core's copy does not fill a processor's memory channels or its links to the other processors:
// several cores copy in parallel. Two-channel desktops still do four copies; servers do more.
constexpr double parallel_copies = 4;

LinkParameters node_link(double latency_us, double overhead_us, double bytes_per_us) {
    return {latency_us, overhead_us, bytes_per_us, node_eager_default, parallel_copies};
}

// Between an InfiniBand NIC (1.5 us, 0.5 us per message, 12,000 B/us) and TCP on Ethernet (30 us, 6 us,
// 1,200 B/us), nearer to Ethernet: overrating a network costs more than underrating it. Every switch tier
// adds two hops and shares its uplinks among more nodes, so a child's bandwidth shrinks with the height.
LinkParameters switch_link(int height) {
    const double tiers = height + 1.0;
    return {15.0 + 5.0 * height, 4.0, 1250.0 / tiers, network_eager_default};
}

LinkParameters default_link(LevelKey level) {
    switch (level.kind) {
        case LevelKind::cluster:
            // An unknown number of tiers: somewhat slower than a leaf switch.
            return {20.0, 4.0, 1000.0, network_eager_default};
        case LevelKind::switch_: return switch_link(level.height);
        case LevelKind::custom:  // models use the level around instead: link_level()
        case LevelKind::node:
            // One copy through shared memory, at the 40 Gbit/s that btl_vader states for single copies.
            return node_link(1.0, 0.3, 5000);
        case LevelKind::package:
        case LevelKind::group:
            // Inside one processor no cache line crosses the processor interconnect.
            return node_link(0.7, 0.25, 6000);
        case LevelKind::die:
            // Same memory controllers, shorter way.
            return node_link(0.6, 0.25, 6500);
        case LevelKind::numa:
            // Local memory on both sides of the copy.
            return node_link(0.5, 0.25, 7000);
        case LevelKind::l3:
            // The copied segment is still in the shared cache when it is read.
            return node_link(0.3, 0.2, 9000);
        case LevelKind::l2:
            // As above, closer, but a smaller part of the message fits.
            return node_link(0.25, 0.2, 10000);
        case LevelKind::l1:
        case LevelKind::core:
        case LevelKind::pu:
            // Two hardware threads take turns on one core: no transfer, but no parallel copying either.
            return node_link(0.25, 0.2, 8000);
    }
    return {};
}

}  // namespace

LinkSetting LinkTable::given(LevelKey level) const {
    LinkSetting all;
    const auto later = [](auto& value, const auto& other) {
        if (other) value = other;
    };
    for (const Entry& entry : entries_) {
        if (!entry.level.matches(level)) continue;
        later(all.latency_us, entry.link.latency_us);
        later(all.overhead_us, entry.link.overhead_us);
        later(all.bytes_per_us, entry.link.bytes_per_us);
        later(all.eager_bytes, entry.link.eager_bytes);
        later(all.parallel, entry.link.parallel);
        later(all.far_share, entry.link.far_share);
        later(all.far_send_share, entry.link.far_send_share);
        later(all.handshake_us, entry.link.handshake_us);
        later(all.bus_bytes_per_us, entry.link.bus_bytes_per_us);
        later(all.offloaded, entry.link.offloaded);
        later(all.gap_us, entry.link.gap_us);
    }
    return all;
}

LinkParameters LinkTable::at(LevelKey level) const {
    const std::size_t eager = is_network(level.kind) ? network_eager_ : node_eager_;
    const LinkSetting own = given(level);
    LinkParameters link = default_link(level);
    link.latency_us = own.latency_us.value_or(link.latency_us);
    link.overhead_us = own.overhead_us.value_or(link.overhead_us);
    link.bytes_per_us = own.bytes_per_us.value_or(link.bytes_per_us);
    link.parallel = own.parallel.value_or(link.parallel);
    link.far_share = own.far_share.value_or(link.far_share);
    link.far_send_share = own.far_send_share.value_or(link.far_send_share);
    link.handshake_us = own.handshake_us;
    link.bus_bytes_per_us = own.bus_bytes_per_us.value_or(link.bus_bytes_per_us);
    link.offloaded = own.offloaded.value_or(link.offloaded);
    link.gap_us = own.gap_us;
    if (eager != 0) link.eager_bytes = eager;
    if (own.eager_bytes.value_or(0) != 0) link.eager_bytes = *own.eager_bytes;
    return link;
}

void LinkTable::set(LevelPattern level, const LinkParameters& link) {
    set_some(level, {link.latency_us, link.overhead_us, link.bytes_per_us, link.eager_bytes, link.parallel,
                     link.far_share, link.handshake_us, link.bus_bytes_per_us, link.offloaded, link.gap_us,
                     link.far_send_share});
}

void LinkTable::set_some(LevelPattern level, const LinkSetting& link) { entries_.push_back({level, link}); }

void LinkTable::set_eager_limits(std::size_t network_bytes, std::size_t node_bytes) {
    network_eager_ = network_bytes;
    node_eager_ = node_bytes;
}

}  // namespace strata::algorithms
