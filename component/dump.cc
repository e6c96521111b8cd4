#include "dump.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "messages.h"
#include "strata/topology/picture.h"

namespace strata::component {
namespace {

topology::PictureFormat format_of(const std::string& path) {
    const auto dot = path.rfind('.');
    const std::string ending = dot == std::string::npos ? "" : path.substr(dot + 1);
    if (ending == "svg") {
        return topology::PictureFormat::svg;
    }
    if (ending == "json") {
        return topology::PictureFormat::json;
    }
    return ending == "dot" ? topology::PictureFormat::dot : topology::PictureFormat::text;
}

/// What people call the groups of one communicator.
class Names {
public:
    Names(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
          std::span<const topology::LocalityRecord> records)
        : settings_(settings), hierarchy_(hierarchy), records_(records) {
        for (int rank = 0; rank < ompi_comm_size(comm); ++rank) {
            add(compat::node_of(ompi_group_get_proc_name(comm->c_local_group, rank)));
        }
        add(compat::own_node());
        for (const auto& place : settings.placement) {
            add(place.node);
        }
    }

    std::string of(const topology::Group& group) const {
        using topology::LevelKind;
        if (group.level.kind == LevelKind::switch_) {
            return settings_.network
                       ? std::string(settings_.network->switch_name(static_cast<std::uint32_t>(group.object)))
                       : "";
        }
        if (group.level.kind == LevelKind::cluster) {
            return "";
        }
        const std::string node = node_of_rank(group.members.front());
        if (group.level.kind == LevelKind::node) {
            return node;
        }
        // Where a node is no level of its own, its name stands at the group that took its place.
        const bool topmost_of_node =
            group.parent < 0 || hierarchy_.groups[group.parent].level.kind < LevelKind::node;
        return topmost_of_node && !node.empty() ? std::to_string(group.object) + " of " + node : "";
    }

private:
    void add(const std::string& node) { nodes_[topology::stable_hash(node)] = node; }
    std::string node_of_rank(int rank) const {
        const auto known = nodes_.find(records_[static_cast<std::size_t>(rank)].node_id);
        return known == nodes_.end() ? "" : known->second;
    }

    const Settings& settings_;
    const topology::Hierarchy& hierarchy_;
    std::span<const topology::LocalityRecord> records_;
    std::map<std::uint64_t, std::string> nodes_;
};

void write_picture(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                   std::span<const topology::LocalityRecord> records) {
    const Names names(comm, settings, hierarchy, records);
    const std::string picture = topology::draw(hierarchy, format_of(settings.dump),
                                               [&](const topology::Group& group) { return names.of(group); });
    if (settings.dump == "-") {
        std::fputs(picture.c_str(), stderr);
        return;
    }
    std::ofstream file(settings.dump);
    file << picture;
    file.close();
    if (!file) {
        show_dump_failed(settings.dump, std::strerror(errno));
    }
}

}  // namespace

void dump_hierarchy(ompi_communicator_t* comm, const Settings& settings, const topology::Hierarchy& hierarchy,
                    std::span<const topology::LocalityRecord> records) {
    static std::atomic<bool> done{false};
    if (settings.dump.empty() || compat::own_name().vpid != 0 || done.exchange(true)) {
        return;
    }
    try {
        write_picture(comm, settings, hierarchy, records);
    } catch (const std::exception& error) {
        show_dump_failed(settings.dump, error.what());  // the other ranks go on, and so must this one
    }
}

std::string describe(const algorithms::Plan& plan) {
    std::ostringstream text;
    text << algorithms::name_of(plan.engine);
    if (plan.engine != algorithms::Engine::forward) {
        text << " (";
        for (std::size_t i = 0; i < plan.levels.size(); ++i) {
            const auto& level = plan.levels[i];
            text << (i > 0 ? ", " : "") << topology::name_of(level.level) << ' ';
            text << (level.method.algorithm == algorithms::Algorithm::component
                         ? level.method.component
                         : std::string(algorithms::info(level.method.algorithm).name));
            if (level.method.radix > 0) {
                text << ':' << level.method.radix;
            }
            text << '/' << level.segment_bytes;
        }
        text << ')';
    }
    text << ", predicted " << plan.predicted_us << " us, forward " << plan.forward_us
         << " us: " << plan.reason;
    return text.str();
}

}  // namespace strata::component
