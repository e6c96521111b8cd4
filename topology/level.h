#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata::topology {

/// What a group of processes shares. Ordered from the widest to the narrowest.
enum class LevelKind : std::uint8_t {
    cluster,  ///< the whole communicator, when no known switch joins all its nodes
    switch_,  ///< nodes below one network switch or site (several heights possible)
    node,     ///< one operating system image, or one synthetic node
    package,  ///< one processor package (socket)
    die,      ///< one die of a package
    group,    ///< hwloc's Group: any set of objects that the platform defines
    numa,     ///< one NUMA node's local cores
    l3,       ///< cores that share a level-3 cache
    l2,       ///< cores that share a level-2 cache
    l1,       ///< hardware threads that share a level-1 data cache
    core,     ///< one core
    pu,       ///< one hardware thread
    custom,   ///< ranks that a hint groups (hierarchy_hint.h); several positions possible
};
inline constexpr int level_kind_count = 13;

/// Returns true for levels whose links leave the node: a NIC moves their bytes, not the processor. A
/// custom level has no links of its own (link_level()).
constexpr bool is_network(LevelKind kind) { return kind == LevelKind::cluster || kind == LevelKind::switch_; }

/// Returns the name used in parameters and output: "cluster", "switch", "node", ..., "pu".
std::string_view name_of(LevelKind kind);

/// Returns hwloc's name of the shared object: "Machine" (a node), "NUMANode", "L3Cache", "Core", ...
/// Empty for levels that hwloc does not know (above nodes, or from a hint).
std::string_view hwloc_name_of(LevelKind kind);

/// Returns "cluster, switch, node, ..." for error messages.
std::string known_level_names();

/// A level of one hierarchy. `height` counts switches as Slurm does: a leaf switch, directly above
/// nodes, is 0. For a custom level it is the position among the hint's custom levels; the narrowest is
/// 0. For every other kind it is 0.
struct LevelKey {
    LevelKind kind = LevelKind::cluster;
    std::uint8_t height = 0;
    auto operator<=>(const LevelKey&) const = default;
};

/// Returns "node", "switch1", "custom0": switches and custom levels carry their height.
std::string name_of(LevelKey key);

/// A level as parameters name it: "switch" or "custom" without a number means every height.
struct LevelPattern {
    LevelKind kind = LevelKind::cluster;
    std::optional<std::uint8_t> height;
    bool matches(LevelKey key) const { return kind == key.kind && (!height || *height == key.height); }
    bool operator==(const LevelPattern&) const = default;
};

/// Parses "node", "numa", "switch", "switch2", "custom0" (case ignored). Returns empty for an unknown
/// name.
std::optional<LevelPattern> parse_level(std::string_view name);

}  // namespace strata::topology
