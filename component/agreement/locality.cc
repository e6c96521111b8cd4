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

using topology::Machine;
using topology::Nic;
using topology::NicChoice;
using topology::NicUse;

/// This process's machine and its place in it, real or synthetic.
struct Place {
    std::optional<Machine> machine;
    topology::Binding binding;
    std::string node;
    int processors = 0;  ///< 0: unknown
};

/// Returns true if the user configures hwloc by environment variables.
bool hwloc_is_configured() {
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

/// Returns the number of hardware threads if this process may run on all of them, else 0 (also if unknown).
int all_processors_if_unbound() {
    cpu_set_t allowed;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (!compat::own_cpuset().empty() || sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        CPU_COUNT(&allowed) != online) {
        return 0;
    }
    return static_cast<int>(online);
}

/// Discovers the machine. hwloc's discovery takes milliseconds, mostly for devices. So it leaves devices out
/// when no setting needs them and the launcher does not share its own topology.
Machine discovered_machine(const Settings& settings, bool devices_are_asked_for) {
    const bool devices = settings.nic_local && (devices_are_asked_for || has_several_numa_nodes());
    if (!devices && !compat::launcher_shares_topology()) {
        Machine processors = Machine::running_processors();
        if (!settings.nic_local || processors.is_uniform()) {
            return processors;
        }
    }
    hwloc_topology_t whole = compat::node_topology();
    if (whole == nullptr) {
        throw std::runtime_error("hwloc finds no topology");
    }
    return Machine::borrow(whole);
}

/// Sets machine and binding on the real node. For an unbound process it sets only the number of processors.
void find_real_place(const Settings& settings, Place& place) {
    const bool configured = hwloc_is_configured();
    if (hwloc_topology_t known = compat::known_topology(); known != nullptr) {
        place.machine = Machine::borrow(known);
    } else if (!configured && settings.dump.empty()) {
        place.processors = all_processors_if_unbound();
    }
    if (!place.machine && place.processors == 0) {
        place.machine =
            discovered_machine(settings, configured || !settings.nic.empty() || !settings.dump.empty());
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
        const auto& synthetic = settings.placement[local % settings.placement.size()];
        place.binding = settings.machine->bound_to_cores(synthetic.cores);
        if (!synthetic.node.empty()) {
            place.node = synthetic.node;
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

/// Returns the settings by which the transports of `use` choose NICs on this node.
NicChoice choice_of(NicUse use) {
    const auto addresses = compat::interface_addresses();
    const auto nics_of = [](std::vector<std::string> interfaces) {
        return with_lower_interfaces(std::move(interfaces), "/sys/class/net");
    };
    NicChoice choice;
    if (!addresses.empty()) {
        choice.addressed = nics_of(addressed_interfaces(addresses));
    }
    const auto parameter = [](const char* component, const char* name) {
        return compat::text_variable("opal", "btl", component, name);
    };
    if (use == NicUse::ip) {
        choice.include = nics_of(listed_interfaces(parameter("tcp", "if_include"), addresses));
        choice.exclude = listed_interfaces(parameter("tcp", "if_exclude"), addresses);
    } else if (compat::openib_is_used()) {
        topology::add_devices(parameter("openib", "if_include"), choice);
        topology::add_devices("^" + parameter("openib", "if_exclude"), choice);
    } else if (compat::fabric_is_ip() && compat::libfabric_is_asked_for()) {
        choice.include = nics_of(listed_interfaces(environment("FI_TCP_IFACE"), addresses));
    } else if (compat::fabric_is_ip()) {
        topology::add_devices(environment("UCX_NET_DEVICES"), choice);
        choice.include = nics_of(std::move(choice.include));
    } else {
        topology::add_devices(environment("UCX_NET_DEVICES"), choice);
    }
    return choice;
}

/// Returns the NICs that the transports of `use` have on this node. The user's list takes precedence; then
/// follows the order in which Open MPI's transports decide.
std::vector<Nic> nics_in_use(const Machine& machine, const Settings& settings, NicUse use) {
    if (!settings.nic.empty()) {
        return machine.nics_present(settings.nic);
    }
    const std::vector<Nic> all = machine.nics();
    // A synthetic topology does not depend on this node's transport settings.
    const NicChoice choice = settings.machine ? NicChoice{} : choice_of(use);
    std::vector<Nic> used;
    const bool by_device = use == NicUse::fabric && !compat::fabric_is_ip();
    for (const int nic : by_device ? fabric_nics(all, choice) : ip_nics(all, choice)) {
        used.push_back(all[static_cast<std::size_t>(nic)]);
    }
    return used;
}

/// Runs `step`; returns false and sets `failure` if it throws: to `memory`, or to `otherwise`.
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

/// Returns the process's place. If `own_place()` fails, returns only the node and sets `failure`.
Place known_place(const Settings& settings, Failure& failure) {
    Place place;
    if (is_done([&] { place = own_place(settings); }, Failure::topology, failure)) {
        return place;
    }
    return {{}, {}, compat::own_node(), 0};
}

/// Sets the distances between the process and its NICs.
void describe_nics(const Settings& settings, const Place& place, topology::LocalityRecord& record) {
    for (const NicUse use : {NicUse::fabric, NicUse::ip}) {
        record.nics[static_cast<std::size_t>(use)] =
            place.machine->distance(place.binding, nics_in_use(*place.machine, settings, use));
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

/// Returns the switches above `node` in the user's network file: by the host's own name, or else by Slurm's.
std::vector<std::uint32_t> switches_of(const topology::Network& network, const std::string& node) {
    auto path = network.path_of(node);
    return path.empty() ? network.path_of(slurm_name_of(node)) : path;
}

void note_nics(const Settings& settings, const Machine& machine, topology::NodeNotes& notes) {
    for (const NicUse use : {NicUse::fabric, NicUse::ip}) {
        for (const Nic& nic : nics_in_use(machine, settings, use)) {
            auto known = std::find_if(notes.nics.begin(), notes.nics.end(),
                                      [&](const auto& note) { return note.name == nic.name(); });
            if (known == notes.nics.end()) {
                known = notes.nics.insert(known, {nic.name(), nic.near_name, nic.near_path, {}});
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
    const auto find_nics = [&] { describe_nics(settings, place, record); };
    if (place.machine && is_done(find_path, Failure::topology, failure) && settings.nic_local &&
        !is_done(find_nics, Failure::other, failure)) {
        record.nics = {};
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
    Failure ignored = Failure::none;  // own_record() reports the failures
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
    const auto find_nics = [&] { note_nics(settings, *place.machine, notes); };
    if (place.machine && settings.nic_local && !is_done(find_nics, Failure::other, ignored)) {
        notes.nics.clear();  // the picture omits NICs
    }
    return notes;
}

}  // namespace strata::component
