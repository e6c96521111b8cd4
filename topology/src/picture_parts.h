#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "strata/topology/hierarchy.h"
#include "strata/topology/picture.h"

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

/// rank -> the widest group with several members that it leads, or -1.
std::vector<int> widest_led(const Hierarchy& hierarchy);

/// All groups in or below `group`, itself left out.
std::size_t groups_below(const Hierarchy& hierarchy, int group);

std::string draw_text(const Hierarchy& hierarchy, const GroupNamer& namer);
std::string draw_json(const Hierarchy& hierarchy, const GroupNamer& namer);
std::string draw_dot(const Hierarchy& hierarchy, const GroupNamer& namer);
std::string draw_svg(const Hierarchy& hierarchy, const GroupNamer& namer);

/// The colour of a level, "#rrggbb": the same in every picture.
std::string_view colour_of(LevelKey key);

}  // namespace strata::topology
