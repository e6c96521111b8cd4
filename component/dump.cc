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

/// Names of nodes by id: the real ones, and those of the pretended placement.
std::map<std::uint64_t, std::string> node_names(ompi_communicator_t* comm, const Settings& settings) {
    std::map<std::uint64_t, std::string> names;
    for (int rank = 0; rank < ompi_comm_size(comm); ++rank) {
        const std::string node = compat::node_of(ompi_group_get_proc_name(comm->c_local_group, rank));
        names[topology::stable_hash(node)] = node;
    }
    names[topology::stable_hash(compat::own_node())] = compat::own_node();
    for (const auto& place : settings.placement) {
        names[topology::stable_hash(place.node)] = place.node;
    }
    return names;
}

}  // namespace

void dump_hierarchy(ompi_communicator_t* comm, const Settings& settings,
                    const topology::Hierarchy& hierarchy) {
    static std::atomic<bool> done{false};
    if (settings.dump.empty() || compat::own_name().vpid != 0 || done.exchange(true)) {
        return;
    }
    const auto names = node_names(comm, settings);
    const auto namer = [&](const topology::Group& group) -> std::string {
        if (group.level.kind == topology::LevelKind::switch_ && settings.network) {
            return std::string(settings.network->switch_name(static_cast<std::uint32_t>(group.object)));
        }
        if (group.level.kind == topology::LevelKind::node) {
            const auto known = names.find(group.object);
            return known == names.end() ? "" : known->second;
        }
        return "";
    };
    const std::string picture = topology::draw(hierarchy, format_of(settings.dump), namer);
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
