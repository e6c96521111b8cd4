#include "platform.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "simgrid_release.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;
using release::NetPoint;
using topology::Group;
using topology::Hierarchy;
using topology::LocalityRecord;
using Links = std::vector<s4u::LinkInRoute>;

constexpr const char* first_core = "first core of the node";  // host property
constexpr double any_bandwidth = 1e12;                        // bytes per second
constexpr double host_speed = 1e9;  // operations per second, equal to smpi/host-speed
constexpr double weight = 1;        // seconds

/// Latencies in seconds; absent links have none.
using Latencies = std::unordered_map<const s4u::Link*, double>;

/// Replaces SimGrid's latencies. SimGrid weights a transfer by the latency of its route, as TCP would, but
/// transfers on this platform share a link equally: every route therefore has the same SimGrid latency,
/// that of the core it starts from, and its time comes from `latencies`.
void share_in_equal_parts(std::shared_ptr<const Latencies> latencies) {
    const auto factor = [latencies = std::move(latencies)](double, const s4u::Host*, const s4u::Host*,
                                                           const std::vector<s4u::Link*>& way,
                                                           const std::unordered_set<s4u::NetZone*>&) {
        return std::accumulate(way.begin(), way.end(), 0.0,
                               [&latencies](double sum, const s4u::Link* link) {
                                   const auto found = latencies->find(link);
                                   return found == latencies->end() ? sum : sum + found->second;
                               }) /
               weight;
    };
    release::set_latency_factor(factor);
}

/// A group as its parent sees it: a zone or a host, and the router through which messages leave it.
struct Child {
    NetPoint* point = nullptr;
    NetPoint* gateway = nullptr;  ///< null for a host
    Links up;
    Links down;
};

class Builder {
public:
    Builder(const Machine& machine, const Hierarchy& hierarchy, const std::vector<LocalityRecord>& records)
        : machine_(machine), hierarchy_(hierarchy), records_(records), hosts_(records.size()) {
        for (std::size_t group = 0; group < hierarchy.groups.size(); ++group) {
            if (hierarchy.groups[group].level.kind == topology::LevelKind::node)
                note_nic(static_cast<int>(group));
        }
    }

    std::vector<s4u::Host*> build() {
        s4u::NetZone* const world = release::root_zone("world");
        build_group(0, world);
        world->seal();
        share_in_equal_parts(std::move(latencies_));
        return std::move(hosts_);
    }

private:
    /// Returns the group of a node from which its NIC hangs: the smallest one that contains all cores at
    /// distance 0.
    void note_nic(int node) {
        int first = -1;
        int found = node;
        for (const int rank : hierarchy_.groups[node].members) {
            const auto near = records_[static_cast<std::size_t>(rank)].near(topology::NicUse::fabric);
            if (near.distance != 0) continue;
            if (near.nic != 0) {
                throw std::invalid_argument(machine_.name + ": several NICs per node are not simulated");
            }
            const int around = first < 0 ? hierarchy_.stop[static_cast<std::size_t>(rank)]
                                         : hierarchy_.lowest_common_group(first, rank);
            if (first < 0 || hierarchy_.groups[around].depth < hierarchy_.groups[found].depth) found = around;
            first = first < 0 ? rank : first;
        }
        while (found != node && hierarchy_.groups[found].members.size() == 1) {
            found = hierarchy_.groups[found].parent;
        }
        if (found != node) nic_of_[found] = node;
    }

    static s4u::Link* link(s4u::NetZone* zone, const std::string& name, double mbytes_per_s) {
        return release::add_link(zone, name, mbytes_per_s > 0 ? mbytes_per_s * 1e6 : any_bandwidth);
    }

    /// Connects a child to `group`. The child's inner links already account for half its own latency.
    /// Returns the links up and down.
    std::pair<s4u::Link*, s4u::Link*> connect(s4u::NetZone* zone, const Group& group, const std::string& name,
                                              double inner_us, Child& child) {
        const LinkClass& links = machine_.at(group.level);
        const double us = (links.latency_us - inner_us) / 2;
        if (us < 0) {
            throw std::invalid_argument(machine_.name + ": level " + topology::name_of(group.level) +
                                        " has a lower latency than one inside it");
        }
        s4u::Link* const up = link(zone, name + ".up", links.mbytes_per_s);
        s4u::Link* const down = link(zone, name + ".down", links.mbytes_per_s);
        for (const s4u::Link* way : {up, down}) latencies_->emplace(way, us * 1e-6);
        child.up.emplace_back(up);
        child.down.emplace_back(down);
        return {up, down};
    }

    /// Connects a core. A core's copies and its NIC handle one message at a time. If messages shared the
    /// connection instead, all segments under way would arrive together and no pipeline would fill.
    void connect_core(s4u::NetZone* zone, const Group& group, const std::string& name, Child& child) {
        const auto [up, down] = connect(zone, group, name, 0, child);
        up->set_latency(weight);
        for (s4u::Link* way : {up, down}) way->set_concurrency_limit(1);
    }

    /// Makes a way out of `zone`. SimGrid routes correctly between points of one zone and between points of
    /// sibling zones, but takes wrong links between a point and a zone that contains it. The exit is
    /// therefore a router beside hosts, or a router in its own zone beside zones.
    static Child exit_of(s4u::NetZone* zone, const std::string& name, bool beside_hosts) {
        const std::string router_name = name + ".router";
        if (beside_hosts) return {release::add_router(zone, router_name), nullptr, {}, {}};
        s4u::NetZone* const exit = release::add_star(zone, name);
        NetPoint* const router = release::add_router(exit, router_name);
        release::add_route(exit, router, nullptr, nullptr, nullptr, Links{}, true);
        exit->seal();
        return {exit->get_netpoint(), router, {}, {}};
    }

    s4u::Host* make_host(s4u::NetZone* zone, int rank) {
        s4u::Host* const core = release::add_host(zone, "core." + std::to_string(rank), host_speed);
        core->seal();
        hosts_[static_cast<std::size_t>(rank)] = core;
        return core;
    }

    Child build_core(s4u::NetZone* zone, const Group& group, int rank) {
        s4u::Host* const core = make_host(zone, rank);
        Child child{core->get_netpoint(), nullptr, {}, {}};
        connect_core(zone, group, core->get_name(), child);
        return child;
    }

    /// Makes a core in its own zone, to stand beside zones. The connection is outside that zone, because a
    /// route leaves a host that is its zone's gateway without any link.
    Child build_core_zone(s4u::NetZone* zone, const Group& group, int rank) {
        const std::string name = "zone." + std::to_string(rank);
        s4u::NetZone* const own = release::add_star(zone, name);
        s4u::Host* const core = make_host(own, rank);
        release::add_route(own, core->get_netpoint(), nullptr, nullptr, nullptr, Links{}, true);
        const s4u::LinkInRoute itself(link(own, name + ".itself", machine_.at(group.level).mbytes_per_s));
        release::add_route(own, core->get_netpoint(), core->get_netpoint(), nullptr, nullptr, {itself}, true);
        own->seal();
        Child child{own->get_netpoint(), core->get_netpoint(), {}, {}};
        connect_core(zone, group, name, child);
        return child;
    }

    Child build_group(int index, s4u::NetZone* parent) {
        const Group& group = hierarchy_.groups[index];
        const std::string name = topology::name_of(group.level) + "." + std::to_string(index);
        const bool has_nic = nic_of_.contains(index);
        s4u::NetZone* const zone =
            has_nic ? release::add_full(parent, name) : release::add_star(parent, name);
        std::vector<Child> children;
        const bool all_hosts =
            !has_nic && std::all_of(group.children.begin(), group.children.end(),
                                    [&](int part) { return hierarchy_.groups[part].members.size() == 1; });
        const auto add_core = [&](int rank) {
            children.push_back(all_hosts ? build_core(zone, group, rank)
                                         : build_core_zone(zone, group, rank));
        };
        for (const int inner : group.children) {
            const Group& part = hierarchy_.groups[inner];
            if (part.members.size() == 1) {
                add_core(part.members.front());
                continue;
            }
            children.push_back(build_group(inner, zone));
            connect(zone, group, name + "." + std::to_string(inner), machine_.at(part.level).latency_us,
                    children.back());
        }
        for (const int rank : group.direct) {
            add_core(rank);
        }
        children.push_back(exit_of(zone, name + ".exit", all_hosts));
        const Child& exit = children.back();
        Child whole{zone->get_netpoint(), exit.gateway != nullptr ? exit.gateway : exit.point, {}, {}};
        if (has_nic) {
            children.push_back(exit_of(zone, name + ".nic", false));
            nic_exits_[nic_of_[index]] = children.back().gateway;
        }
        add_bus(zone, group, name, children);
        if (has_nic) {
            join_pairs(zone, name, children);
        } else {
            join_star(zone, children);
        }
        zone->seal();
        if (const auto nic = nic_exits_.find(index); nic != nic_exits_.end()) whole.gateway = nic->second;
        return whole;
    }

    void add_bus(s4u::NetZone* zone, const Group& group, const std::string& name,
                 std::vector<Child>& children) const {
        const double bus = machine_.at(group.level).bus_mbytes_per_s;
        if (bus <= 0) return;
        const s4u::LinkInRoute shared(link(zone, name + ".bus", bus));
        for (Child& child : children) {
            child.up.push_back(shared);
            child.down.insert(child.down.begin(), shared);
        }
    }

    static void join_star(s4u::NetZone* zone, const std::vector<Child>& children) {
        for (const Child& child : children) {
            release::add_route(zone, child.point, nullptr, child.gateway, nullptr, child.up, false);
            release::add_route(zone, nullptr, child.point, nullptr, child.gateway, child.down, false);
        }
    }

    /// Joins children pair by pair where a NIC (the last child) hangs. Its traffic with other parts of the
    /// node, through the exit before it, bypasses the memory here and its bus; its writes there can be
    /// slower.
    void join_pairs(s4u::NetZone* zone, const std::string& name, const std::vector<Child>& children) const {
        const Child& nic = children.back();
        const Child& exit = children[children.size() - 2];
        const double far = machine_.far_receive_mbytes_per_s;
        const s4u::LinkInRoute reads(link(zone, name + ".far-reads", 0));
        const s4u::LinkInRoute writes(link(zone, name + ".far-writes", far));
        Links to_nic{reads}, from_nic{writes};  // a route must have a link
        if (machine_.far_path_mbytes_per_s > 0) {
            const s4u::LinkInRoute both(link(zone, name + ".far-path", machine_.far_path_mbytes_per_s));
            to_nic.push_back(both);
            from_nic.push_back(both);
        }
        for (const Child& from : children) {
            for (const Child& to : children) {
                if (&from == &to) continue;
                Links way = from.up;
                std::copy_if(to.down.begin(), to.down.end(), std::back_inserter(way), [&](const auto& next) {
                    return std::none_of(from.up.begin(), from.up.end(), [&](const auto& other) {
                        return other.get_link() == next.get_link();
                    });
                });
                if (&from == &exit && &to == &nic) way = to_nic;
                if (&from == &nic && &to == &exit) way = from_nic;
                release::add_route(zone, from.point, to.point, from.gateway, to.gateway, way, false);
            }
        }
    }

    const Machine& machine_;
    const Hierarchy& hierarchy_;
    const std::vector<LocalityRecord>& records_;
    std::vector<s4u::Host*> hosts_;
    std::map<int, int> nic_of_;           // group from which a NIC hangs -> its node
    std::map<int, NetPoint*> nic_exits_;  // by node
    std::shared_ptr<Latencies> latencies_ = std::make_shared<Latencies>();
};

}  // namespace

Platform::Platform(const Machine& machine) {
    const tool::Job job = tool::make_job(machine.job);
    records_ = job.records;
    const Hierarchy hierarchy = topology::build_hierarchy(records_, job.spec);
    hosts_ = Builder(machine, hierarchy, records_).build();
    std::map<std::uint64_t, const s4u::Host*> firsts;
    for (std::size_t core = 0; core < hosts_.size(); ++core) {
        const s4u::Host* const first = firsts.try_emplace(records_[core].node_id, hosts_[core]).first->second;
        hosts_[core]->set_property(first_core, first->get_name());
    }
    s4u::Engine::get_instance()->seal_platform();
}

s4u::Host* Platform::first_of_node(const s4u::Host& core) {
    return s4u::Host::by_name(core.get_property(first_core));
}

std::vector<s4u::Host*> Platform::places(const std::vector<LocalityRecord>& ranks) const {
    using Place = std::pair<std::uint64_t, std::vector<topology::HardwareObject>>;
    std::map<Place, std::vector<s4u::Host*>> free;
    for (std::size_t core = records_.size(); core-- > 0;) {
        free[{records_[core].node_id, records_[core].hardware_path}].push_back(hosts_[core]);
    }
    std::vector<s4u::Host*> found;
    for (const LocalityRecord& record : ranks) {
        auto place = free.find({record.node_id, record.hardware_path});
        if (place == free.end()) {
            throw std::invalid_argument("rank " + std::to_string(found.size()) +
                                        " is not bound to one core of the machine");
        }
        found.push_back(place->second.back());
        if (place->second.size() > 1) place->second.pop_back();
    }
    return found;
}

}  // namespace strata::simulation
