#include "reports.h"

#include <algorithm>
#include <map>

#include "messages.h"
#include "strata/topology/contradiction.h"

namespace strata::component {
namespace {

/// One process speaks for the job.
bool is_speaker() { return compat::own_name().vpid == 0; }

std::uint32_t process_of(ompi_communicator_t* comm, std::size_t rank) {
    return ompi_group_get_proc_name(comm->c_local_group, static_cast<int>(rank)).vpid;
}

}  // namespace

void report_cards(ompi_communicator_t* comm, const Settings& settings,
                  std::span<const topology::LocalityRecord> records) {
    if (settings.nic.empty() || !is_speaker()) {
        return;
    }
    const topology::CardUse use = compat::uses_ip() ? topology::CardUse::ip : topology::CardUse::fabric;
    std::map<std::uint64_t, std::uint32_t> nodes;  // those without any known distance, and a process there
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        nodes.try_emplace(records[rank].node_id, process_of(comm, rank));
    }
    for (const auto& record : records) {
        if (record.near(use).distance != topology::unknown_distance) {
            nodes.erase(record.node_id);
        }
    }
    std::vector<std::uint32_t> silent;
    for (const auto& [node, process] : nodes) {
        silent.push_back(process);
    }
    if (!silent.empty()) {
        std::sort(silent.begin(), silent.end());
        show_cards_without_effect(compat::node_names(compat::own_name(), silent));
    }
}

void report_network(ompi_communicator_t* comm, std::span<const topology::LocalityRecord> records) {
    if (!is_speaker()) {
        return;
    }
    if (const auto found = topology::find_contradiction(records)) {
        const auto node = [&](int rank) {
            return compat::node_names(compat::own_name(), {process_of(comm, static_cast<std::size_t>(rank))});
        };
        show_contradiction(node(found->first), node(found->second));
    }
}

}  // namespace strata::component
