#pragma once

#include <functional>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <string>
#include <unordered_set>
#include <vector>
#if SIMGRID_VERSION < 40000
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif

/// Names that differ between SimGrid 3 (Debian 12) and 4 (Debian 13): building a platform, and the cost of
/// a message. All other SimGrid names are the same in both and used directly.
namespace strata::simulation::release {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;

/// Factor for the latency of a transfer of `bytes` between two hosts over a route of links.
using LatencyFactor =
    std::function<double(double, const s4u::Host*, const s4u::Host*, const std::vector<s4u::Link*>&,
                         const std::unordered_set<s4u::NetZone*>&)>;

#if SIMGRID_VERSION < 40000

inline s4u::NetZone* root_zone(const std::string& name) { return s4u::create_star_zone(name); }

inline s4u::NetZone* add_star(s4u::NetZone* parent, const std::string& name) {
    s4u::NetZone* const zone = s4u::create_star_zone(name);
    zone->set_parent(parent);
    return zone;
}

inline s4u::NetZone* add_full(s4u::NetZone* parent, const std::string& name) {
    s4u::NetZone* const zone = s4u::create_full_zone(name);
    zone->set_parent(parent);
    return zone;
}

inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double speed) {
    return zone->create_host(name, speed);
}

inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_s) {
    return zone->create_link(name, bytes_per_s);
}

inline NetPoint* add_router(s4u::NetZone* zone, const std::string& name) { return zone->create_router(name); }

inline void set_latency_factor(const LatencyFactor& factor) {
    s4u::Engine::get_instance()->get_netzone_root()->get_network_model()->set_lat_factor_cb(factor);
}

/// Value of smpi/os, ois and or by which every message costs the same, empty ones too.
inline std::string overhead_per_message(const std::string& seconds) { return "0:" + seconds + ":0"; }

#else

inline std::string overhead_per_message(const std::string& seconds) { return seconds; }

inline s4u::NetZone* root_zone(const std::string& name) {
    return s4u::Engine::get_instance()->get_netzone_root()->add_netzone_star(name);
}

inline s4u::NetZone* add_star(s4u::NetZone* parent, const std::string& name) {
    return parent->add_netzone_star(name);
}

inline s4u::NetZone* add_full(s4u::NetZone* parent, const std::string& name) {
    return parent->add_netzone_full(name);
}

inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double speed) {
    return zone->add_host(name, speed);
}

inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bytes_per_s) {
    return zone->add_link(name, bytes_per_s);
}

inline NetPoint* add_router(s4u::NetZone* zone, const std::string& name) { return zone->add_router(name); }

inline void set_latency_factor(const LatencyFactor& factor) {
    s4u::Engine::get_instance()->get_netzone_root()->set_latency_factor_cb(factor);
}

#endif

/// Adds a one-way route from a point of a zone to a sibling. A gateway is the point inside a zone through
/// which the route leaves or enters it, null for a host or a router. In a star a null end means all other
/// points.
inline void add_route(s4u::NetZone* zone, NetPoint* from, NetPoint* to, NetPoint* from_gateway,
                      NetPoint* to_gateway, const std::vector<s4u::LinkInRoute>& links,
                      bool both_ways = false) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // SimGrid 4 names a star's other points in no other way
    zone->add_route(from, to, from_gateway, to_gateway, links, both_ways);
#pragma GCC diagnostic pop
}

}  // namespace strata::simulation::release
