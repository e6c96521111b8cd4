#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/picture.h"

namespace strata::topology {

/// What text, dot and svg omit: beyond 512 ranks the lowest groups become counts.
class Detail {
public:
    explicit Detail(const Hierarchy& hierarchy);

    /// Returns true if the group is drawn as one line or box with counts instead of its content.
    bool collapsed(const Group& group) const { return group.depth >= deepest_; }
    /// Returns how many children of a group are drawn; the others are counted.
    std::size_t shown_children(const Group& group) const;
    /// Returns true if every rank is drawn.
    bool complete() const { return complete_; }

private:
    bool complete_ = true;
    int deepest_ = 0;  ///< groups of this depth are collapsed
};

/// The NICs of a picture by the group in which they are drawn. A NIC inside a group drawn as a count
/// moves to that group; a NIC inside a group that is not drawn at all is omitted.
class NicPlaces {
public:
    NicPlaces(const Hierarchy& hierarchy, const Detail& detail, const std::vector<NicMark>& nics);
    /// The NICs shown at a group, and the number of further ones.
    struct Shown {
        std::vector<const NicMark*> nics;
        std::size_t more = 0;
    };
    const Shown& at(int group) const { return shown_[static_cast<std::size_t>(group)]; }
    /// Returns "mlx5_0", prefixed with the node's name unless the group implies it.
    std::string name_of(int group, const NicMark& nic) const;
    /// Returns true if a drawn NIC is near a part of its node (or, with `local` false, to all of it).
    bool any(bool local) const;

private:
    const Hierarchy& hierarchy_;
    std::vector<Shown> shown_;
};

/// Returns "numa 1" or "the whole machine".
inline std::string place_of(const NicMark& nic) { return nic.local ? nic.near : "the " + nic.near; }

/// Computes labels: "node n0" with the namer's name, else "l3 2". Unnamed nodes are numbered, because
/// their ids are hashes.
class Labels {
public:
    Labels(const Hierarchy& hierarchy, const GroupNamer& namer);
    std::string of(int group) const;

private:
    const Hierarchy& hierarchy_;
    const GroupNamer& namer_;
    std::vector<int> ordinal_;  ///< position among the groups of its level
};

/// Returns ascending ranks as "0-3,8", cut with "..." after `most` characters.
std::string short_list(const std::vector<int>& ranks, std::size_t most = 60);

/// Returns "1 rank", "3 ranks", "2 switches".
std::string counted(std::size_t count, std::string_view noun);

/// Returns the common name of a level: "leaf switch", "L3 cache".
std::string noun_of(LevelKey level);

/// Returns "10 nodes, 20 packages, 240 cores": the groups of every level below the top.
std::string level_counts(const Hierarchy& hierarchy);

/// Returns "4 levels", or "no levels" for a hierarchy that does not split.
std::string level_number(const Hierarchy& hierarchy);

/// Returns for each rank the widest group with several members that it leads, or -1.
std::vector<int> widest_led(const Hierarchy& hierarchy);

/// Returns the number of groups below `group`.
std::size_t groups_below(const Hierarchy& hierarchy, int group);

std::string draw_text(const Hierarchy& hierarchy, const PictureNotes& notes);
std::string draw_json(const Hierarchy& hierarchy, const PictureNotes& notes);
std::string draw_dot(const Hierarchy& hierarchy, const PictureNotes& notes);
std::string draw_svg(const Hierarchy& hierarchy, const PictureNotes& notes);

inline constexpr std::string_view nic_colour = "#37474f";

/// Returns the colour of a level, "#rrggbb"; all pictures use the same.
std::string_view colour_of(LevelKey key);

}  // namespace strata::topology
