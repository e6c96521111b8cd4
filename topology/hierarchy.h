#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/hierarchy_hint.h"
#include "topology/level.h"
#include "topology/locality_record.h"

namespace strata::topology {

/// A set of processes that share one object, and how it splits further.
struct Group {
    LevelKey level;
    std::uint64_t object = 0;   ///< switch id, node id, HardwareObject::index or number, by `level.kind`
    int parent = -1;            ///< group index; -1 for the top
    int depth = 0;              ///< 0 for the top
    std::vector<int> children;  ///< group indices, by lowest member
    std::vector<int> members;   ///< all ranks, ascending
    std::vector<int> direct;    ///< ranks that no child contains (they stop here), ascending
    int leader = -1;            ///< the member that represents the group in its parent
    LevelKey around;            ///< for a custom group: the level of the smallest object that contains it
    bool operator==(const Group&) const = default;
};

/// Returns the level whose links connect the members of a group; for a custom group the one around it.
inline LevelKey link_level(const Group& group) {
    return group.level.kind == LevelKind::custom ? group.around : group.level;
}
inline bool is_network(const Group& group) { return is_network(link_level(group).kind); }

/// Rules for choosing leaders; see elect_leaders().
struct Election {
    NicUse use = NicUse::fabric;  ///< the transport's NICs
    bool nic_local = true;        ///< off: the lowest rank leads
    bool spread = false;          ///< hashed tie-break by `seed`, so that one core does not lead every group
    std::uint64_t seed = 0;       ///< equal on all ranks
};

/// The levels that may split a group, and the election of leaders. Without a hint every level may. An
/// object of several kinds may split if one of its kinds is listed; the lowest listed kind names its
/// group. The top splits nothing: the lowest object that all ranks share names it. Switch heights are
/// those before any level is dropped.
struct HierarchySpec {
    std::optional<HierarchyHint> hint;
    Election election;
};

/// Nested groups over the ranks 0..n-1 of one communicator. groups[0] contains all ranks; parents
/// precede their children; children of one group are disjoint strict subsets of it. Example, two nodes of two
/// packages with two cores, one rank per core, rank 3 unbound:
///
///   [0] cluster {0..7}
///     [1] node {0..3}, direct {3}
///       [3] package {0,1}: [7] core {0}, [8] core {1}
///       [4] core {2}  (package and core split alike: the lowest names the group)
///     [2] node {4..7}
///       [5] package {4,5}: [9] core {4}, [10] core {5}   [6] package {6,7}: [11] core {6}, [12] core {7}
struct Hierarchy {
    std::vector<Group> groups;
    std::vector<int> stop;  ///< rank -> the deepest group that contains it
    /// rank -> its position in the topology order, the order for chains and rings: node after node, and
    /// within a node along its objects (dropped levels included), starting at the process nearest to the
    /// NIC (seed paper on NUIOA collectives, section 4.5). Empty: rank order.
    std::vector<int> topology_order;
    std::vector<int> topology_order_nodes;  ///< first position of each node in it, ascending
    /// rank -> the rank that receives from other nodes, or sends to them, for it: the leader of the widest
    /// group around it inside its node if that leader is nearer to the NIC, else the rank itself. Empty:
    /// every rank does so itself. Set by elect_leaders().
    std::vector<int> receivers;
    /// Largest number of ranks per processor of a node, counting this hierarchy's ranks only; 1 if every
    /// rank has its own processor, or if processor counts are unknown.
    double oversubscription = 1;

    bool operator==(const Hierarchy&) const = default;
    int ranks() const { return static_cast<int>(stop.size()); }
    int receiver_of(int rank) const {
        return receivers.empty() ? rank : receivers[static_cast<std::size_t>(rank)];
    }
    /// Returns true if `rank` is a member of `group`. Cost: the depth of the rank's branch.
    bool contains(int group, int rank) const;
    /// Returns the distinct levels in use, topmost first in nesting order (for instance, a Group may
    /// contain packages).
    std::vector<LevelKey> levels() const;
    /// Returns the number of groups on the longest branch.
    int depth() const;
    /// Returns the deepest group that contains both ranks.
    int lowest_common_group(int a, int b) const;
    /// Returns the widest group around `rank` inside its node; -1 if the rank stops above node level.
    int widest_in_node(int rank) const;
};

/// Builds the hierarchy of a communicator; `records[i]` belongs to rank i. Pure: equal records give
/// equal results on every rank. A level that splits nothing is dropped; of several levels that split
/// alike the lowest is kept (core rather than pu). A process that no child object contains stops at its
/// group. Groups are sorted level by level. If records of one node disagree about its switches, the
/// greatest path counts for the whole node. Throws std::invalid_argument without records. Cost: linear
/// in ranks times depth. Source: rules B1-B3 (seed papers on hardware communicators, sections 3 and
/// 4.1).
Hierarchy build_hierarchy(std::span<const LocalityRecord> records, const HierarchySpec& spec = {});

/// Returns the heap bytes of the hierarchy's lists. Cost: the number of groups.
std::size_t heap_bytes(const Hierarchy& hierarchy);

/// Checks every invariant of Hierarchy; returns empty, or a description of the first violation.
std::string validate(const Hierarchy& hierarchy);

}  // namespace strata::topology
