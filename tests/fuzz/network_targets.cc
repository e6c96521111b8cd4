#include <algorithm>

#include "parsers.h"
#include "targets.h"
#include "topology/hierarchy_hint.h"
#include "topology/machine.h"
#include "topology/network.h"
#include "topology/nic.h"
#include "topology/text.h"

namespace strata::fuzz {
namespace {

using topology::Network;

constexpr std::size_t most_switches = 64;  // in a row; a locality record ends at 255

void check_network(const Network& network, std::string_view text) {
    must_not_throw([&] {
        require(network.hash() == network.hash(), "equal networks have equal hashes");
        for (std::uint32_t id = 0; id < network.switch_count(); ++id) {
            require(!network.switch_name(id).empty(), "a switch has a name");
        }
        std::string host(text.substr(0, text.find_first_of(" =[,\n")));
        for (const std::string& name : {host, host + ".domain", std::string("n0"), std::string("n1")}) {
            const auto path = network.path_of(name);
            require(path.size() <= most_switches, "a path has at most 64 switches");
            for (const std::uint32_t id : path) {
                require(id < network.switch_count(), "a path has known switches only");
            }
        }
    });
}

/// The approximate size of a description's machine: hwloc itself would try to create a billion cores.
bool is_small(std::string_view description) {
    constexpr std::size_t most_objects = 512;
    std::size_t objects = 1;
    std::size_t number = 0;
    for (const char c : description) {
        if (c >= '0' && c <= '9') {
            number = std::min(10 * number + static_cast<std::size_t>(c - '0'), most_objects + 1);
            continue;
        }
        objects *= std::max<std::size_t>(number, 1);
        number = 0;
        if (objects > most_objects) return false;
    }
    return objects * std::max<std::size_t>(number, 1) <= most_objects;
}

}  // namespace

void topology_conf(std::string_view input) { check_network(Network::from_text(input, "t.conf"), input); }

void network_hosts(std::string_view input) { check_network(Network::from_hosts(input), input); }

void slurm_switches(std::string_view input) {
    const auto text = fields(input, 3);
    const auto names = topology::slurm_switches(text[0], text[1], text[2]);
    require(!topology::slurm_node(text[2], text[0], text[1]).empty() || text[2].empty(), "a node has a name");
    require(names.size() <= most_switches, "Slurm's path has at most 64 switches");
    for (const std::string& name : names) {
        require(!name.empty(), "a switch from Slurm has a name");
        require(topology::switch_id(name) == topology::switch_id(name), "equal names have equal ids");
    }
}

void host_list(std::string_view input) {
    const auto names = topology::expand_host_list(input);
    require(!names.empty() && names.size() <= topology::most_host_names, "a list has 1 to 262144 names");
    for (const std::string& name : {names.front(), names.back()}) {
        require(!name.empty() && name.find_first_of("[], \t") == std::string::npos, "a name is one word");
    }
}

void hierarchy_hint(std::string_view input) {
    const topology::HierarchyHint hint = topology::parse_hierarchy_hint(input);
    require(hint == topology::parse_hierarchy_hint(input), "equal texts are equal hints");
    for (const topology::HintLevel& level : hint.levels) {
        require(!level.items.empty(), "a level of a hint has items");
        for (const topology::HintItem& item : level.items) {
            require(item.level.has_value() != !item.ranks.empty(), "an item is a level or ranks");
            require(item.pieces >= 1 && item.most >= 0, "there are pieces");
            for (const auto& [first, last] : item.ranks) require(0 <= first && first <= last, "ranks ascend");
        }
    }
}

void placement(std::string_view input) {
    const auto places = topology::parse_placement(input);
    require(!places.empty(), "a placement has places");
    static const topology::Machine machine = topology::Machine::load("synthetic:package:2 core:4 pu:2");
    for (const topology::SyntheticPlace& place : places) {
        require(!place.cores.empty(), "a place has cores");
        machine.path_of(machine.bound_to_cores(place.cores));
    }
}

void nics(std::string_view input) {
    topology::NicChoice choice;
    topology::add_devices(input, choice);
    for (const std::string& device : choice.include) require(!device.empty(), "a device has a name");
    for (const topology::NamedNic& nic : topology::parse_nics(input)) {
        require(!nic.name.empty(), "a NIC has a name");
        require(nic.index >= 0, "an object's index is from 0 on");
    }
}

/// A description, a list of cores, NICs.
void synthetic_machine(std::string_view input) {
    const auto text = fields(input, 3);
    if (!is_small(text[0])) return;
    const topology::Machine machine = topology::Machine::load("synthetic:" + text[0]);
    require(machine.cores() > 0 && machine.processors() > 0, "a machine has cores");
    const topology::Binding binding = machine.bound_to_cores(text[1]);
    const auto named = topology::parse_nics(text[2]);
    must_not_throw([&] {
        const auto present = machine.nics_present(named);
        topology::LocalityRecord record;
        record.hardware_path = machine.path_of(binding);
        record.nics[0] = machine.distance(binding, present);
        record.processors = topology::ProcessorCount::of(machine.processors());
        topology::LocalityRecord read;
        require(topology::decode(topology::encode(record), read) && read == record,
                "the facts about a machine can be published");
    });
    machine.nics_named(named);
}

}  // namespace strata::fuzz
