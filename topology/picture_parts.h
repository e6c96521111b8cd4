#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/picture.h"

namespace strata::topology {

/// What a picture for people leaves out: beyond some 500 ranks the lowest groups become counts.
class Detail {
public:
    explicit Detail(const Hierarchy& hierarchy);

    /// True when the group is drawn as one line or box with counts instead of its content.
    bool collapsed(const Group& group) const { return group.depth >= deepest_; }
    /// How many of a group's children are drawn; the others are counted.
    std::size_t shown_children(const Group& group) const;
    /// True when every rank is drawn.
    bool complete() const { return complete_; }

private:
    bool complete_ = true;
    int deepest_ = 0;  ///< groups of this depth are collapsed
};

/// The NICs of a picture by the group where they are drawn. What lies in a group that is drawn as a count
/// goes to that group; what lies in a group that is only counted as one more is left out.
class NicPlaces {
public:
    NicPlaces(const Hierarchy& hierarchy, const Detail& detail, const std::vector<NicMark>& nics);
    /// Names to show at a group, and how many more there are.
    struct Shown {
        std::vector<const NicMark*> nics;
        std::size_t more = 0;
    };
    const Shown& at(int group) const { return shown_[static_cast<std::size_t>(group)]; }
    /// "mlx5_0", with its node in front where the group does not tell it.
    std::string name_of(int group, const NicMark& nic) const;
    /// True when a drawn NIC is near a part of its node (or, with `local` false, to all of it).
    bool any(bool local) const;

private:
    const Hierarchy& hierarchy_;
    std::vector<Shown> shown_;
};

/// "numa 1", "the whole machine".
inline std::string place_of(const NicMark& nic) { return nic.local ? nic.near : "the " + nic.near; }

/// "node n0" with a namer's answer, else "l3 2"; nodes without a name are counted, as their ids are hashes.
class Labels {
public:
    Labels(const Hierarchy& hierarchy, const GroupNamer& namer);
    std::string of(int group) const;

private:
    const Hierarchy& hierarchy_;
    const GroupNamer& namer_;
    std::vector<int> ordinal_;  ///< position among the groups of its level
};

/// "0-3,8": ascending ranks in short; cut with "..." after `most` characters.
std::string short_list(const std::vector<int>& ranks, std::size_t most = 60);

/// "1 rank", "3 ranks", "2 switches".
std::string counted(std::size_t count, std::string_view noun);

/// What people call a level: "leaf switch", "L3 cache".
std::string noun_of(LevelKey level);

/// "10 nodes, 20 packages, 240 cores": the groups of every level below the top.
std::string level_counts(const Hierarchy& hierarchy);

/// "4 levels", or "no levels" for a hierarchy that does not split.
std::string level_number(const Hierarchy& hierarchy);

/// rank -> the widest group with several members that it leads, or -1.
std::vector<int> widest_led(const Hierarchy& hierarchy);

/// All groups in or below `group`, itself left out.
std::size_t groups_below(const Hierarchy& hierarchy, int group);

std::string draw_text(const Hierarchy& hierarchy, const PictureNotes& notes);
std::string draw_json(const Hierarchy& hierarchy, const PictureNotes& notes);
std::string draw_dot(const Hierarchy& hierarchy, const PictureNotes& notes);
std::string draw_svg(const Hierarchy& hierarchy, const PictureNotes& notes);

inline constexpr std::string_view nic_colour = "#37474f";

/// The colour of a level, "#rrggbb": the same in every picture.
std::string_view colour_of(LevelKey key);

}  // namespace strata::topology
