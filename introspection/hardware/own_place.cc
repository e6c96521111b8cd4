#include "own_place.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <vector>

#include "topology/machine.h"
#include "topology/network.h"
#include "topology/text.h"

namespace strata::introspection {
namespace {

using topology::LevelKind;
using topology::LocalityRecord;
using topology::Machine;
using topology::NicUse;

struct Variable {
    std::string name;  ///< the name that the user set
    std::string value;
};

Variable variable(const std::string& upper, const std::string& lower) {
    for (const std::string& name : {"STRATA_" + upper, "OMPI_MCA_coll_strata_" + lower}) {
        if (const char* value = std::getenv(name.c_str()); value != nullptr && *value != '\0')
            return {name, value};
    }
    return {};
}

template <class Read>
auto understood(const Variable& variable, Read&& read) {
    try {
        return read(variable.value);
    } catch (const std::exception& error) {
        throw std::invalid_argument(variable.name + " = '" + variable.value + "': " + error.what());
    }
}

/// Returns this process's rank on its node from the launcher's variables; needed for synthetic
/// topologies only.
std::size_t own_local_rank() {
    for (const char* name :
         {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_LOCAL_RANK"}) {
        const char* value = std::getenv(name);
        if (const auto rank = topology::whole_number<std::size_t>(value != nullptr ? value : ""))
            return *rank;
    }
    return 0;
}

std::string own_host() {
    std::array<char, HOST_NAME_MAX + 1> name{};  // the longest name and its null byte
    if (gethostname(name.data(), name.size()) != 0)
        throw std::system_error(errno, std::generic_category(), "the name of this node");
    return name.data();
}

/// Caches slow, constant results: computed once per process and `from`.
template <class Find>
std::invoke_result_t<Find> found_once(const std::string& from, Find&& find) {
    static std::mutex mutex;
    static std::map<std::string, std::invoke_result_t<Find>> known;
    const std::lock_guard lock(mutex);
    const auto found = known.find(from);
    return found != known.end() ? found->second : known.emplace(from, find()).first->second;
}

struct Place {
    std::string description;  ///< description of a synthetic topology
    std::optional<Machine> machine;
    topology::Binding binding;
    std::string node;
};

Place synthetic_place(const Variable& machine) {
    Place place{
        machine.value,
        found_once(
            machine.value,
            [&] { return understood(machine, [](const std::string& text) { return Machine::load(text); }); }),
        {},
        own_host()};
    const Variable placement = variable("PLACEMENT", "placement");
    if (placement.value.empty()) return place;
    understood(placement, [&](const std::string& text) {
        const auto places = topology::parse_placement(text);
        const auto& own = places[own_local_rank() % places.size()];
        place.binding = place.machine->bound_to_cores(own.cores);
        if (!own.node.empty()) place.node = own.node;
        return 0;
    });
    return place;
}

Place found_place() {
    if (const Variable machine = variable("TOPOLOGY", "topology"); !machine.value.empty()) {
        return synthetic_place(machine);
    }
    Place place{{}, {}, {}, own_host()};
    try {
        place.machine = found_once({}, [] { return Machine::running(); });
        place.binding = place.machine->binding_of_this_process();
    } catch (const std::runtime_error&) {  // without a binding the process stops at its node
    }
    return place;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::uint32_t> network_path(const std::string& node) {
    const auto source = understood(variable("NETWORK", "network"), [](const std::string& text) {
        return topology::parse_network_source(text);
    });
    if (source.network) return source.network->path_of(node);
    std::vector<std::uint32_t> path;
    if (!source.slurm) return path;
    for (const std::string& name : topology::slurm_switches(
             environment("SLURM_TOPOLOGY_ADDR"), environment("SLURM_TOPOLOGY_ADDR_PATTERN"), node)) {
        path.push_back(topology::switch_id(name));
    }
    return path;
}

/// Sets the distances to the NICs of fabrics and of IP; the user's list counts for both.
void find_nics(const Place& place, LocalityRecord& record) {
    const Variable list = variable("NIC", "nic");
    if (list.value == "none") return;
    const auto all = found_once(place.description, [&] { return place.machine->nics(); });
    for (const NicUse use : {NicUse::fabric, NicUse::ip}) {
        std::vector<topology::Nic> used;
        if (list.value.empty() || list.value == "auto") {
            for (const int nic : use == NicUse::fabric ? fabric_nics(all, {}) : ip_nics(all, {})) {
                used.push_back(all[static_cast<std::size_t>(nic)]);
            }
        } else {
            used = understood(list, [&](const std::string& text) {
                return place.machine->nics_present(topology::parse_nics(text));
            });
        }
        record.nics[static_cast<std::size_t>(use)] = place.machine->distance(place.binding, used);
    }
}

}  // namespace

OwnPlace own_place() {
    const Place place = found_place();
    OwnPlace own;
    LocalityRecord& record = own.record;
    record.node_id = topology::stable_hash(place.node);
    record.network_path = found_once(variable("NETWORK", "network").value + '\n' + place.node,
                                     [&] { return network_path(place.node); });
    own.objects[static_cast<std::size_t>(LevelKind::node)] = record.node_id;
    if (place.machine) {
        record.hardware_path = place.machine->path_of(place.binding);
        record.processors = topology::ProcessorCount::of(place.machine->processors());
        find_nics(place, record);
        for (auto kind = static_cast<std::size_t>(LevelKind::node) + 1; kind < own.objects.size(); ++kind) {
            const auto object = place.machine->object_around(place.binding, static_cast<LevelKind>(kind));
            if (object) own.objects[kind] = topology::stable_hash(std::to_string(*object), record.node_id);
        }
    }
    return own;
}

}  // namespace strata::introspection
