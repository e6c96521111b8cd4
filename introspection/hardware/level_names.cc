#include "level_names.h"

#include <mutex>
#include <set>
#include <string>

#include "MPIX_Hardware.h"
#include "topology/text.h"

namespace strata::introspection {
namespace {

using topology::LevelKind;
using topology::LevelPattern;

std::string made_name(topology::LevelKey level) {
    if (level.kind == LevelKind::cluster) return MPIX_HLEVEL_CLUSTER;
    if (level.kind == LevelKind::switch_) return "Switch" + std::to_string(level.height);
    const std::string_view name = topology::hwloc_name_of(level.kind);
    return name.empty() ? MPIX_HLEVEL_UNKNOWN : std::string(name);
}

}  // namespace

const char* type_name(topology::LevelKey level) {
    static std::mutex mutex;
    static std::set<std::string> names;  // a set never moves its elements
    const std::lock_guard lock(mutex);
    return names.insert(made_name(level)).first->c_str();
}

const char* type_name(const topology::Group& group, const Members& members, const Records& records) {
    topology::LevelKey level = group.level;
    if (level.kind == LevelKind::switch_) {
        const auto& path = records[static_cast<std::size_t>(group.members.front())].network_path;
        level.height = members.heights->of(path, group.object).value_or(level.height);
    }
    return type_name(level);
}

std::optional<LevelPattern> level_of_type(std::string_view type) {
    const std::string text = topology::lower_case(topology::trimmed(type));
    if (text == "mpi_shared_memory" || text == "machine") return LevelPattern{LevelKind::node, {}};
    if (text == "socket") return LevelPattern{LevelKind::package, {}};
    if (text == "hwthread") return LevelPattern{LevelKind::pu, {}};
    for (int i = 0; i < topology::level_kind_count; ++i) {
        const auto kind = static_cast<LevelKind>(i);
        const std::string name = topology::lower_case(topology::hwloc_name_of(kind));
        if (!name.empty() && text == name) return LevelPattern{kind, {}};
    }
    const auto level = topology::parse_level(text);
    if (!level || level->kind == LevelKind::cluster || level->kind == LevelKind::custom) return std::nullopt;
    return level;
}

}  // namespace strata::introspection
