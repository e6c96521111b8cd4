#include "locality.h"

#include "ompi_compat.h"

namespace strata::component {
namespace {

std::vector<topology::HardwareObject> real_path() {
    hwloc_topology_t hardware = compat::node_topology();
    if (hardware == nullptr) {
        return {};
    }
    try {
        const auto machine = topology::Machine::borrow(hardware);
        const std::string cpuset = compat::own_cpuset();
        return cpuset.empty() ? machine.path_of_this_process() : machine.path_of_cpuset(cpuset);
    } catch (const std::exception&) {
        return {};  // unknown binding: the process stops at its node
    }
}

}  // namespace

topology::LocalityRecord own_record(const Settings& settings, std::uint64_t settings_hash,
                                    std::uint32_t plugin_version) {
    topology::LocalityRecord record;
    record.plugin_version = plugin_version;
    record.settings_hash = settings_hash;
    std::string node = compat::own_node();
    if (settings.machine && !settings.placement.empty()) {
        const auto local = static_cast<std::size_t>(compat::own_local_rank());
        const auto& place = settings.placement[local % settings.placement.size()];
        record.hardware_path = settings.machine->path_of_cores(place.cores);
        if (!place.node.empty()) {
            node = place.node;
        }
    } else if (!settings.machine) {
        record.hardware_path = real_path();
    }
    record.node_id = topology::stable_hash(node);
    if (settings.network) {
        record.network_path = settings.network->path_of(node);
    }
    return record;
}

}  // namespace strata::component
