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

/// A NIC of a node, as pictures name it.
struct NicNote {
    std::string name;                        ///< "mlx5_0"
    std::string near;                        ///< "numa 1", or "whole machine"
    std::vector<HardwareObject> near_path;   ///< the object behind `near`; empty: the whole machine
    std::array<bool, nic_use_count> used{};  ///< by NicUse: whether its transports send through this NIC
    bool operator==(const NicNote&) const = default;
};

/// What people want to read about a node and locality records leave out.
struct NodeNotes {
    std::string node;
    std::vector<std::string> switches;  ///< names for LocalityRecord::network_path, topmost first
    std::vector<NicNote> nics;
    bool operator==(const NodeNotes&) const = default;
};

/// One line per fact. A control character in a name becomes '?'.
std::string encode_notes(const NodeNotes& notes);

/// Empty when `text` is not, from its first to its last byte, what encode_notes() writes.
std::optional<NodeNotes> decode_notes(std::string_view text);

/// By LocalityRecord::node_id; nodes may be missing.
using NotesByNode = std::map<std::uint64_t, NodeNotes>;

/// Where the NICs of `use` are drawn, node after node: at the deepest group that holds all processes of the
/// node inside the object that the NIC hangs below; when nobody runs there, at the group of the narrowest
/// object around it, or else of the whole node. Cost: linear in ranks times NICs of a node.
std::vector<NicMark> mark_nics(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                               const NotesByNode& nodes, NicUse use);

/// Names and NICs for draw(). The result refers to `hierarchy` and `records`, which must outlive it. Where a
/// node is no group of its own, its name stands at the groups that took its place ("0 of n3").
PictureNotes picture_notes(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                           const NotesByNode& nodes, NicUse use);

}  // namespace strata::topology
