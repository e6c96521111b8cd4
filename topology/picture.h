#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::topology {

enum class PictureFormat { text, json, dot, svg };

/// Returns the format for a file name: .svg, .dot and .json select theirs, any other ending text.
PictureFormat format_for(std::string_view path);
/// Throws std::invalid_argument for a file name that ends like a format that there is not: .pdf, .png.
void check_picture_ending(std::string_view path);

/// Returns a display name for a group ("n0", "site1"); empty means level and index.
using GroupNamer = std::function<std::string(const Group&)>;

/// A NIC in a picture.
struct NicMark {
    std::string name;   ///< "mlx5_0"
    std::string node;   ///< the name of its node
    std::string near;   ///< "numa 1", or "whole machine"
    bool local = true;  ///< false: equally near to all cores of its node
    int group = 0;      ///< index of the group in which it is drawn
    bool exact = true;  ///< false: not all processes of that group are near it
};

/// Annotations of a picture.
struct PictureNotes {
    GroupNamer namer;
    std::vector<NicMark> nics;
    std::string json_members = {};  ///< further JSON members: "\"name\":VALUE,..."
};

/// Draws a hierarchy. text: an indented tree, a NIC as a line in its group; json:
/// {"ranks":N,"levels":[{"kind":"node","groups":[{"leader":0,"members":[...]}]}]}, topmost first, and with
/// NICs also "nics":[{"name":"mlx5_0","node":"n0","near":"numa 1","level":2,"group":3}], where the group is
/// levels[2].groups[3], and "topology_order", "topology_order_nodes", "receivers" and "oversubscription" as
/// in Hierarchy; dot: for Graphviz; svg: nested boxes, ranks as circles, leaders filled, NICs plugged into
/// their boxes, readable at a glance without any tool. A group that the namer names has its "name" in json
/// too. Beyond 512 ranks text, dot and svg show the lowest groups as counts only; json always holds
/// everything.
std::string draw(const Hierarchy& hierarchy, PictureFormat format, const PictureNotes& notes = {});

/// Returns `json` (from draw()) with the members "\"name\":VALUE,..." appended.
std::string with_members(std::string_view json, std::string_view members);

/// Returns "4 levels: 10 nodes, 20 packages, 40 L3 caches, 240 cores". A level is a step at which groups
/// split, as in the seed papers; the list names what they split into.
std::string level_summary(const Hierarchy& hierarchy);

}  // namespace strata::topology
