#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/level.h"

namespace strata::topology {

/// One way to group ranks: by the objects of a level, or a list of ranks; perhaps cut into pieces.
struct HintItem {
    std::optional<LevelPattern> level;       ///< empty: `ranks`
    std::vector<std::pair<int, int>> ranks;  ///< first and last, both included
    int pieces = 1;                          ///< ":n": n groups whose sizes differ by at most one
    int most = 0;                            ///< "?n": groups of at most n ranks; 0: no limit
    bool repeat = false;  ///< "*": this item takes all that the others leave, instead of the last one
    bool operator==(const HintItem&) const = default;
};

/// One step of grouping: one item, or several that share the ranks out among them.
struct HintLevel {
    std::vector<HintItem> items;
    /// True for one item that names a level and nothing else; any other level is a custom one.
    bool plain() const;
    bool operator==(const HintLevel&) const = default;
};
HintLevel plain_level(LevelPattern level);

/// Which levels to use: a hint, of which build_hierarchy() makes nested groups whatever it says.
///
/// Plain levels filter what the hardware has, whatever the order in which they are written.
///
/// A custom level makes groups of LevelKey{custom, position}; positions count the custom levels from the
/// narrowest.
/// * Lists of ranks take theirs first, of overlapping lists the first. Ranks that do not exist are ignored.
/// * The items that name levels then share the rest out: from the left each takes one cluster, the object of
///   its level around the lowest rank not yet taken; items right of the repeated one do so from the right,
///   with the highest ranks; the repeated item, else the last one, takes every object that is left. Shared
///   out are the ranks of each node when all named levels lie inside nodes, else those of the communicator.
/// * "The object around a rank" is the smallest when there are several (switches, Groups). A process without
///   one (not bound, say) is not grouped by the item. An object that is the whole machine is in no record:
///   where no process of a node has an object of the level or of a wider one, the node stands for it.
/// * The ranks that an item takes of one object, or a list's ranks, are cut into pieces in rank order.
///
/// Groups of a named item stand directly below its object (which is a level itself only when a plain level
/// says so); those of a list below the object of the next plain level behind it in the hint that the machines
/// have, else below the top: always below the smallest object with the same ranks, so that it stays whole. Of
/// several at one place the later in the hint stands outside. Everything narrower continues below them: an
/// object that a custom group cuts becomes one group per piece, so that all groups are nested. A custom group
/// that splits nothing is dropped; of a custom group and an object that split alike the object's name is
/// kept.
struct HierarchyHint {
    std::vector<HintLevel> levels;  ///< as written: narrowest first
    bool operator==(const HierarchyHint&) const = default;
};

/// Parses the grammar of Open MPI's coll/xhc: levels separated by commas, narrowest first, each one item or
/// several joined by '+'. An item is a level's name (switch to pu, or socket, flat, machine, hwthread) or a
/// list of ranks, followed by ":n" (n pieces) or "?n" (pieces of at most n ranks) and perhaps "*" (repeat
/// this named item). "l3,numa,node,switch", "numa:2,socket", "numa?10", "[0..9]+[10..24]",
/// "[0..39]+numa,socket", "socket*+socket:2"; "none" has no levels at all. Case, and blanks around words, are
/// ignored. Throws std::invalid_argument naming the item and what is allowed.
HierarchyHint parse_hierarchy_hint(std::string_view text);

/// The names that a hint may use: "switch, switch0, node (flat, machine), package (socket), ...".
std::string known_hint_levels();

}  // namespace strata::topology
