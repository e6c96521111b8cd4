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
    int leader = -1;            ///< the member that stands for the group outside
    LevelKey around;            ///< of a custom group: the level of the smallest object that holds it
    bool operator==(const Group&) const = default;
};

/// The level whose links the members of a group use among each other: that around a custom group.
inline LevelKey link_level(const Group& group) {
    return group.level.kind == LevelKind::custom ? group.around : group.level;
}
inline bool is_network(const Group& group) { return is_network(link_level(group).kind); }

/// How leaders are chosen; see elect_leaders().
struct Election {
    NicUse use = NicUse::fabric;  ///< whose NICs
    bool nic_local = true;        ///< off: the lowest rank leads
    bool spread = false;          ///< ties go by `seed`, so that one core does not lead everywhere
    std::uint64_t seed = 0;       ///< equal on all ranks
};

/// Which levels may split a group, and who leads it. Without a hint: all. An object of several kinds may
/// split when one of them is listed, and the lowest listed kind names its group. The top splits nothing: it
/// is always named by the lowest object that all ranks share. Switch heights are those before any level is
/// dropped.
struct HierarchySpec {
    std::optional<HierarchyHint> hint;
    Election election;
};

/// Nested groups over the ranks 0..n-1 of one communicator. groups[0] holds all ranks; parents
/// stand before their children; children of one group are disjoint strict subsets of it.
struct Hierarchy {
    std::vector<Group> groups;
    std::vector<int> stop;  ///< rank -> the deepest group that contains it
    /// rank -> its place in a walk over all ranks, as a chain should visit them: node after node, within a
    /// node along its objects whatever levels were dropped, entering it at the process nearest to its NIC
    /// (seed paper on NUIOA collectives, section 4.5). Empty: rank order.
    std::vector<int> topology_order;
    std::vector<int>
        topology_order_nodes;  ///< the places in the topology order at which a node begins, ascending
    /// rank -> who had better receive for it what comes from other nodes: the leader of the widest group
    /// around it inside its node where that is nearer to the NIC, else the rank itself. Empty: all
    /// themselves. Set by elect_leaders().
    std::vector<int> receivers;
    /// Ranks per processor of the node where that is most, counting the ranks of this hierarchy only; 1 where
    /// every rank has a processor of its own, or nobody knows.
    double oversubscription = 1;

    bool operator==(const Hierarchy&) const = default;
    int ranks() const { return static_cast<int>(stop.size()); }
    int receiver_of(int rank) const {
        return receivers.empty() ? rank : receivers[static_cast<std::size_t>(rank)];
    }
    /// True when `rank` is a member of `group`. Cost: the depth of the rank's branch.
    bool contains(int group, int rank) const;
    /// The distinct levels in use, topmost first as the groups nest (a Group may stand above packages, say).
    std::vector<LevelKey> levels() const;
    /// Number of groups on the longest branch.
    int depth() const;
    /// The deepest group that contains both ranks.
    int lowest_common_group(int a, int b) const;
    /// The widest group around `rank` inside its node; -1 where it hangs alone between nodes.
    int widest_in_node(int rank) const;
};

/// Builds the hierarchy of a communicator. Pure: equal records give equal results on every rank.
/// A level that splits nothing is dropped (of several that split alike the lowest is kept, core
/// rather than pu); a process that no child object contains stops at its group.
/// `records[i]` belongs to rank i; throws std::invalid_argument without any record. Groups stand level by
/// level. Records of one node that disagree about its switches do not tear it apart: the greatest path stands
/// for all. Cost: linear in ranks times depth. Source: rules B1-B3 (seed papers on hardware communicators,
/// sections 3 and 4.1).
Hierarchy build_hierarchy(std::span<const LocalityRecord> records, const HierarchySpec& spec = {});

/// Bytes of memory that its lists take. Cost: the number of groups.
std::size_t heap_bytes(const Hierarchy& hierarchy);

/// Checks every promise of Hierarchy; empty when all hold, else the first broken one in words.
std::string validate(const Hierarchy& hierarchy);

}  // namespace strata::topology
