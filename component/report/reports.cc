#include "component/report/reports.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "component/openmpi/messages.h"
#include "topology/contradiction.h"

namespace strata::component {
namespace {

/// Calls `report` on process 0 of the job until it returns true.
template <typename Report>
void once_per_job(std::atomic<bool>& done, Report&& report) noexcept {
    if (compat::own_name().vpid != 0 || done.load()) {
        return;
    }
    try_to([&] {
        if (report()) {
            done = true;
        }
    });
}

std::uint32_t process_of(ompi_communicator_t* comm, std::size_t rank) {
    return ompi_group_get_proc_name(comm->c_local_group, static_cast<int>(rank)).vpid;
}

/// Returns one process of each node on which no process has a known distance to a NIC.
std::vector<std::uint32_t> nodes_without_nics(ompi_communicator_t* comm,
                                              std::span<const topology::LocalityRecord> records) {
    const topology::NicUse use = compat::uses_ip() ? topology::NicUse::ip : topology::NicUse::fabric;
    std::map<std::uint64_t, std::uint32_t> nodes;
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        nodes.try_emplace(records[rank].node_id, process_of(comm, rank));
    }
    for (const auto& record : records) {
        if (record.near(use).distance != topology::unknown_distance) {
            nodes.erase(record.node_id);
        }
    }
    std::vector<std::uint32_t> processes;
    for (const auto& [node, process] : nodes) {
        processes.push_back(process);
    }
    std::sort(processes.begin(), processes.end());
    return processes;
}

/// Returns why no NIC counts on some nodes; `is_own`: among them this process's node, whose NICs it can list.
std::string why_no_nic(const Settings& settings, bool is_own) {
    hwloc_topology_t const real = is_own && !settings.machine ? compat::node_topology() : nullptr;
    if (!is_own || (!settings.machine && real == nullptr)) {
        return "The listed NICs are unknown there or equally near to all cores, or the\n"
               "processes are not bound to cores.";
    }
    const topology::Machine machine = settings.machine ? *settings.machine : topology::Machine::borrow(real);
    for (const topology::NamedNic& nic : settings.nic) {
        try {
            machine.nics_named({&nic, 1});
        } catch (const std::invalid_argument& unknown) {
            return "On node " + compat::own_node() + ": " + unknown.what() + '.';
        }
    }
    return "On node " + compat::own_node() +
           " the NIC is equally near to all cores, or the\nprocesses are not bound to cores.";
}

}  // namespace

void report_nics(ompi_communicator_t* comm, const Settings& settings,
                 std::span<const topology::LocalityRecord> records) noexcept {
    static std::atomic<bool> done{false};
    if (settings.nic.empty()) {
        return;
    }
    once_per_job(done, [&] {
        const auto silent = nodes_without_nics(comm, records);
        if (!silent.empty()) {
            show_nics_without_effect(compat::node_names(compat::own_name(), silent),
                                     why_no_nic(settings, silent.front() == compat::own_name().vpid));
        }
        return !silent.empty();
    });
}

void report_network_names(ompi_communicator_t* comm, const Settings& settings,
                          std::span<const topology::LocalityRecord> records) noexcept {
    static std::atomic<bool> done{false};
    if (!settings.network) {
        return;
    }
    once_per_job(done, [&] {
        std::map<std::uint64_t, std::uint32_t> nodes;  // one process of each
        std::map<std::uint64_t, std::uint32_t> lacking;
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            nodes.try_emplace(records[rank].node_id, process_of(comm, rank));
            if (records[rank].network_path.empty()) {
                lacking.try_emplace(records[rank].node_id, process_of(comm, rank));
            }
        }
        if (nodes.size() < 2 || lacking.empty()) {
            return false;
        }
        std::vector<std::uint32_t> processes;
        for (const auto& [node, process] : lacking) {
            processes.push_back(process);
        }
        std::sort(processes.begin(), processes.end());
        show_unnamed_nodes(compat::node_names(compat::own_name(), processes),
                           topology::some_hosts(*settings.network), lacking.size() < nodes.size());
        return true;
    });
}

void report_network(ompi_communicator_t* comm, std::span<const topology::LocalityRecord> records) noexcept {
    static std::atomic<bool> done{false};
    once_per_job(done, [&] {
        const auto found = topology::find_contradiction(records);
        if (found) {
            const auto node = [&](int rank) {
                return compat::node_names(compat::own_name(),
                                          {process_of(comm, static_cast<std::size_t>(rank))});
            };
            if (found->kind == topology::LevelKind::node) {
                show_node_contradiction(node(found->first));
            } else {
                show_contradiction(node(found->first), node(found->second));
            }
        }
        return found.has_value();
    });
}

void report_links(ompi_communicator_t* comm, const CommunicatorSettings& settings,
                  const topology::Hierarchy& hierarchy) noexcept {
    if (settings.verbose < 2 || settings.rules.links.empty() || ompi_comm_rank(comm) != 0) {
        return;
    }
    try_to([&] {
        std::vector<topology::LevelKey> levels;
        std::string text;
        for (const topology::Group& group : hierarchy.groups) {
            const topology::LevelKey level = topology::link_level(group);
            if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
                continue;
            }
            levels.push_back(level);
            for (const int line : algorithms::link_lines(settings.rules.links, level)) {
                text += (text.empty() ? "" : ", ") + topology::name_of(level) + " from " +
                        settings.rules_file + ":" + std::to_string(line);
            }
        }
        opal_output(0, "coll:strata: links of %s: %s", compat::name_of(comm),
                    text.empty()
                        ? ("built-in values; none of these levels is in " + settings.rules_file).c_str()
                        : text.c_str());
    });
}

void report_unusable_methods(ompi_communicator_t* comm, const std::string& why) noexcept {
    try_to([&] { show_unusable_methods(compat::name_of(comm), why); });
}

void report_no_components(ompi_communicator_t* comm) noexcept {
    static std::atomic<bool> done{false};
    if (ompi_comm_rank(comm) == 0 && !done.exchange(true)) {
        report_unusable_methods(comm,
                                "  No components on levels while mpi_ft_enable is set: their calls would not "
                                "return when a\n  process dies.\n");
    }
}

}  // namespace strata::component
