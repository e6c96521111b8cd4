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

/// What building a platform, and the cost of a message, are called in SimGrid 3 (Debian 12) and 4 (Debian
/// 13). All else of SimGrid is used by its own names, the same in both.
namespace strata::simulation::release {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;

/// By what factor to multiply the latency of a transfer of so many bytes, between two hosts by a way of
/// links.
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

/// The value of smpi/os, ois and or by which every message costs the same, empty ones too.
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

/// From a point of a zone to one beside it, one way; a gateway is a point inside a zone that is left or
/// entered, null for a host or a router. In a star a null end is all the others.
inline void add_route(s4u::NetZone* zone, NetPoint* from, NetPoint* to, NetPoint* from_gateway,
                      NetPoint* to_gateway, const std::vector<s4u::LinkInRoute>& links,
                      bool both_ways = false) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // SimGrid 4 knows no other way to name a star's others
    zone->add_route(from, to, from_gateway, to_gateway, links, both_ways);
#pragma GCC diagnostic pop
}

}  // namespace strata::simulation::release
