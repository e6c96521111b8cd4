#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/locality_record.h"
#include "topology/picture.h"

namespace strata::topology {

/// A NIC of a node as pictures name it.
struct NicNote {
    std::string name;                        ///< "mlx5_0"
    std::string near;                        ///< "numa 1", or "whole machine"
    std::vector<HardwareObject> near_path;   ///< the object behind `near`; empty: the whole machine
    std::array<bool, nic_use_count> used{};  ///< by NicUse: its transports send through this NIC
    bool operator==(const NicNote&) const = default;
};

/// Names of a node, its switches and NICs for pictures and reports; locality records omit them.
struct NodeNotes {
    std::string node;
    std::vector<std::string> switches;  ///< names for LocalityRecord::network_path, topmost first
    std::vector<NicNote> nics;
    bool operator==(const NodeNotes&) const = default;
};

/// Returns one line per fact. A control character in a name becomes '?'.
std::string encode_notes(const NodeNotes& notes);

/// Returns empty unless `text` is exactly what encode_notes() writes.
std::optional<NodeNotes> decode_notes(std::string_view text);

/// Keyed by LocalityRecord::node_id; nodes may be missing.
using NotesByNode = std::map<std::uint64_t, NodeNotes>;

/// Computes where the NICs of `use` are drawn, node after node: at the deepest group that contains all
/// processes of the node inside the object that the NIC hangs below; without such a process, at the
/// group of the narrowest object around it, or else of the whole node. Cost: linear in ranks times NICs
/// of a node.
std::vector<NicMark> mark_nics(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                               const NotesByNode& nodes, NicUse use);

/// Returns names and NICs for draw(). The result refers to `hierarchy` and `records`, which must outlive
/// it. If a node is no group of its own, its name appears at the groups that replace it ("0 of n3").
PictureNotes picture_notes(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                           const NotesByNode& nodes, NicUse use);

}  // namespace strata::topology
