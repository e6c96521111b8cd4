#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/level.h"

namespace strata::topology {

/// One way to group ranks: by the objects of a level, or by a list of ranks; optionally cut into pieces.
struct HintItem {
    std::optional<LevelPattern> level;       ///< empty: `ranks` applies
    std::vector<std::pair<int, int>> ranks;  ///< first and last, both included
    int pieces = 1;                          ///< ":n": n groups whose sizes differ by at most one
    int most = 0;                            ///< "?n": groups of at most n ranks; 0: no limit
    bool repeat = false;                     ///< "*": this item, not the last one, takes all remaining ranks
    bool operator==(const HintItem&) const = default;
};

/// One step of grouping: one item, or several that share the ranks.
struct HintLevel {
    std::vector<HintItem> items;
    /// Returns true for one item that names a level and nothing else; any other level is custom.
    bool plain() const;
    bool operator==(const HintLevel&) const = default;
};
HintLevel plain_level(LevelPattern level);

/// The levels to use; any hint gives nested groups. Plain levels filter the hardware's levels. Custom
/// levels make groups of LevelKey{custom, position}; positions count the custom levels from the
/// narrowest. Rules: docs/design/hierarchy-hint.md.
struct HierarchyHint {
    std::vector<HintLevel> levels;  ///< as written: narrowest first
    bool operator==(const HierarchyHint&) const = default;
};

/// Parses the grammar of Open MPI's coll/xhc (docs/design/hierarchy-hint.md): "l3,numa,node,switch",
/// "numa:2,socket", "numa?10", "[0..9]+[10..24]", "[0..39]+numa,socket", "socket*+socket:2", "none".
/// Throws std::invalid_argument naming the item and what is allowed.
HierarchyHint parse_hierarchy_hint(std::string_view text);

/// Returns the names that a hint may use: "switch, switch0, node (flat, machine), package (socket),
/// ...".
std::string known_hint_levels();

}  // namespace strata::topology
