#include <utility>

#include "topology/picture_parts.h"

namespace strata::topology {
namespace {

class TextPicture {
public:
    TextPicture(const Hierarchy& hierarchy, const PictureNotes& notes)
        : hierarchy_(hierarchy),
          detail_(hierarchy),
          labels_(hierarchy, notes.namer),
          nics_(hierarchy, detail_, notes.nics) {}

    std::string draw() {
        add(0);
        return std::move(text_);
    }

private:
    void add(int index) {
        const Group& group = hierarchy_.groups[static_cast<std::size_t>(index)];
        line(group.depth, labels_.of(index) + ": " + counted(group.members.size(), "rank") + " " +
                              short_list(group.members) + ", leader " + std::to_string(group.leader));
        add_nics(index);
        if (group.children.empty()) return;
        if (detail_.collapsed(group)) {
            line(group.depth + 1, "(" + counted(groups_below(hierarchy_, index), "group") + " not shown)");
            return;
        }
        const std::size_t shown = detail_.shown_children(group);
        for (std::size_t i = 0; i < shown; ++i) add(group.children[i]);
        if (shown < group.children.size()) {
            line(group.depth + 1, "(" + std::to_string(group.children.size() - shown) + " more not shown)");
        }
        if (!group.direct.empty()) line(group.depth + 1, "stop here: " + short_list(group.direct));
    }
    void add_nics(int index) {
        const int depth = hierarchy_.groups[static_cast<std::size_t>(index)].depth + 1;
        const NicPlaces::Shown& shown = nics_.at(index);
        for (const NicMark* nic : shown.nics) {
            line(depth, "NIC " + nics_.name_of(index, *nic) + ", near " + place_of(*nic));
        }
        if (shown.more > 0) line(depth, "(" + counted(shown.more, "more NIC") + ")");
    }
    void line(int depth, const std::string& content) {
        text_.append(2 * static_cast<std::size_t>(depth), ' ');
        text_ += content;
        text_ += '\n';
    }

    const Hierarchy& hierarchy_;
    Detail detail_;
    Labels labels_;
    NicPlaces nics_;
    std::string text_;
};

}  // namespace

std::string draw_text(const Hierarchy& hierarchy, const PictureNotes& notes) {
    return TextPicture(hierarchy, notes).draw();
}

}  // namespace strata::topology
