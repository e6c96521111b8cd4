#include "component/agreement/locality.h"

#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>

#include "component/openmpi/ompi_compat.h"
#include "topology/text.h"

namespace strata::component {
namespace {

using topology::CardChoice;
using topology::CardUse;
using topology::Machine;
using topology::NetworkCard;

/// This process's machine and its place in it, real or pretended.
struct Place {
    std::optional<Machine> machine;
    topology::Binding binding;
    std::string node;
    int processors = 0;  ///< 0: unknown
};

/// True where the user himself says something about the hardware.
bool hwloc_is_told() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (std::string_view(*entry).starts_with("HWLOC_")) {
            return true;
        }
    }
    return false;
}

bool has_several_numa_nodes() {
    std::string online;
    std::getline(std::ifstream("/sys/devices/system/node/online"), online);
    return online.find_first_of("-,") != std::string::npos;
}

/// Where this process may run on all hardware threads, their number; else 0, also where nobody knows.
int all_processors_if_unbound() {
    cpu_set_t allowed;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!compat::own_cpuset().empty() || sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        CPU_COUNT(&allowed) != online) {
        return 0;
    }
    return static_cast<int>(online);
}

/// What hwloc does to find the hardware takes milliseconds, most of it for devices: these are left out where
/// they have no say, and the launcher has not found everything for all.
Machine discovered_machine(const Settings& settings, bool devices_are_asked_for) {
    const bool devices = settings.near_card && (devices_are_asked_for || has_several_numa_nodes());
    if (!devices && !compat::launcher_shares_topology()) {
        Machine processors = Machine::running_processors();
        if (!settings.near_card || processors.is_uniform()) {
            return processors;
        }
    }
    hwloc_topology_t whole = compat::node_topology();
    if (whole == nullptr) {
        throw std::runtime_error("hwloc finds no topology");
    }
    return Machine::borrow(whole);
}

/// On the real machine: of a process that is not bound only the number of processors counts.
void find_real_place(const Settings& settings, Place& place) {
    const bool told = hwloc_is_told();
    if (hwloc_topology_t known = compat::known_topology(); known != nullptr) {
        place.machine = Machine::borrow(known);
    } else if (!told && settings.dump.empty()) {
        place.processors = all_processors_if_unbound();
    }
    if (!place.machine && place.processors == 0) {
        place.machine = discovered_machine(settings, told || !settings.nic.empty() || !settings.dump.empty());
    }
    if (place.machine) {
        const std::string cpuset = compat::own_cpuset();
        place.binding = cpuset.empty() ? place.machine->binding_of_this_process()
                                       : place.machine->bound_to_threads(cpuset);
    }
}

Place own_place(const Settings& settings) {
    Place place{settings.machine, {}, compat::own_node()};
    if (!settings.machine) {
        find_real_place(settings, place);
    } else if (!settings.placement.empty()) {
        const auto local = static_cast<std::size_t>(compat::own_local_rank());
        const auto& pretended = settings.placement[local % settings.placement.size()];
        place.binding = settings.machine->bound_to_cores(pretended.cores);
        if (!pretended.node.empty()) {
            place.node = pretended.node;
        }
    }
    if (place.machine) {
        place.processors = place.machine->processors();
    }
    return place;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// What the transports of `use` are told about cards on this node.
CardChoice choice_of(CardUse use) {
    const auto addresses = compat::interface_addresses();
    const auto cards_of = [](std::vector<std::string> interfaces) {
        return with_lower_interfaces(std::move(interfaces), "/sys/class/net");
    };
    CardChoice choice;
    if (!addresses.empty()) {
        choice.addressed = cards_of(addressed_interfaces(addresses));
    }
    const auto parameter = [](const char* component, const char* name) {
        return compat::text_variable("opal", "btl", component, name);
    };
    if (use == CardUse::ip) {
        choice.include = cards_of(listed_interfaces(parameter("tcp", "if_include"), addresses));
        choice.exclude = listed_interfaces(parameter("tcp", "if_exclude"), addresses);
    } else if (compat::openib_is_used()) {
        topology::add_devices(parameter("openib", "if_include"), choice);
        topology::add_devices("^" + parameter("openib", "if_exclude"), choice);
    } else if (compat::fabric_is_ip() && compat::libfabric_is_asked_for()) {
        choice.include = cards_of(listed_interfaces(environment("FI_TCP_IFACE"), addresses));
    } else if (compat::fabric_is_ip()) {
        topology::add_devices(environment("UCX_NET_DEVICES"), choice);
        choice.include = cards_of(std::move(choice.include));
    } else {
        topology::add_devices(environment("UCX_NET_DEVICES"), choice);
    }
    return choice;
}

/// The cards that the transports of `use` have on this node. Source: the order in which Open MPI's transports
/// decide; the user's own list comes first.
std::vector<NetworkCard> cards_in_use(const Machine& machine, const Settings& settings, CardUse use) {
    if (!settings.nic.empty()) {
        return machine.cards_present(settings.nic);
    }
    const std::vector<NetworkCard> all = machine.cards();
    // What this node's transports may use says nothing about a pretended machine.
    const CardChoice choice = settings.machine ? CardChoice{} : choice_of(use);
    std::vector<NetworkCard> used;
    const bool by_device = use == CardUse::fabric && !compat::fabric_is_ip();
    for (const int card : by_device ? fabric_cards(all, choice) : ip_cards(all, choice)) {
        used.push_back(all[static_cast<std::size_t>(card)]);
    }
    return used;
}

/// False, and why, when `step` cannot be done: `otherwise` where not for lack of memory.
template <typename Step>
bool is_done(Step step, Failure otherwise, Failure& failure) {
    try {
        step();
        return true;
    } catch (const std::bad_alloc&) {
        failure = Failure::memory;
    } catch (const std::exception&) {
        failure = otherwise;
    }
    return false;
}

/// Where this process runs; when that cannot be found out, its node, and why.
Place known_place(const Settings& settings, Failure& failure) {
    Place place;
    if (is_done([&] { place = own_place(settings); }, Failure::topology, failure)) {
        return place;
    }
    return {{}, {}, compat::own_node(), 0};
}

/// How far the cards are from a process.
void describe_cards(const Settings& settings, const Place& place, topology::LocalityRecord& record) {
    for (const CardUse use : {CardUse::fabric, CardUse::ip}) {
        record.cards[static_cast<std::size_t>(use)] =
            place.machine->distance(place.binding, cards_in_use(*place.machine, settings, use));
    }
}

std::string slurm_name_of(const std::string& node) {
    return topology::slurm_node(node, environment("SLURMD_NODENAME"), environment("SLURM_JOB_NODELIST"));
}

/// The switches above `node` as Slurm's variables name them, topmost first.
std::vector<std::string> switches_of_slurm(const std::string& node) {
    return topology::slurm_switches(environment("SLURM_TOPOLOGY_ADDR"),
                                    environment("SLURM_TOPOLOGY_ADDR_PATTERN"), slurm_name_of(node));
}

/// Those that the user's network has above `node`: by the host's own name, or Slurm's for it.
std::vector<std::uint32_t> switches_of(const topology::Network& network, const std::string& node) {
    auto path = network.path_of(node);
    return path.empty() ? network.path_of(slurm_name_of(node)) : path;
}

void note_cards(const Settings& settings, const Machine& machine, topology::NodeNotes& notes) {
    for (const CardUse use : {CardUse::fabric, CardUse::ip}) {
        for (const NetworkCard& card : cards_in_use(machine, settings, use)) {
            auto known = std::find_if(notes.cards.begin(), notes.cards.end(),
                                      [&](const auto& note) { return note.name == card.name(); });
            if (known == notes.cards.end()) {
                known = notes.cards.insert(known, {card.name(), card.near_name, card.near_path, {}});
            }
            known->used[static_cast<std::size_t>(use)] = true;
        }
    }
}

}  // namespace

topology::LocalityRecord own_record(const Settings& settings, std::uint64_t settings_hash,
                                    std::uint32_t plugin_version, Failure& failure) {
    topology::LocalityRecord record;
    record.plugin_version = plugin_version;
    record.settings_hash = settings_hash;
    const Place place = known_place(settings, failure);
    if (place.processors > 0) {
        record.processors = topology::ProcessorCount::of(place.processors);
    }
    const auto find_path = [&] { record.hardware_path = place.machine->path_of(place.binding); };
    const auto find_cards = [&] { describe_cards(settings, place, record); };
    if (place.machine && is_done(find_path, Failure::topology, failure) && settings.near_card &&
        !is_done(find_cards, Failure::other, failure)) {
        record.cards = {};
    }
    record.node_id = topology::stable_hash(place.node);
    if (settings.network) {
        record.network_path = switches_of(*settings.network, place.node);
    } else if (settings.slurm_network) {
        for (const auto& name : switches_of_slurm(place.node)) {
            record.network_path.push_back(topology::switch_id(name));
        }
    }
    return record;
}

topology::NodeNotes own_notes(const Settings& settings) {
    Failure ignored = Failure::none;  // what is not for the picture alone own_record() meets, too
    const Place place = known_place(settings, ignored);
    topology::NodeNotes notes;
    notes.node = place.node;
    if (settings.network) {
        for (const std::uint32_t id : switches_of(*settings.network, place.node)) {
            notes.switches.emplace_back(settings.network->switch_name(id));
        }
    } else if (settings.slurm_network) {
        notes.switches = switches_of_slurm(place.node);
    }
    const auto find_cards = [&] { note_cards(settings, *place.machine, notes); };
    if (place.machine && settings.near_card && !is_done(find_cards, Failure::other, ignored)) {
        notes.cards.clear();  // the picture goes without
    }
    return notes;
}

}  // namespace strata::component
