#include <utility>

#include "topology/picture_parts.h"

namespace strata::topology {
namespace {

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

class DotPicture {
public:
    DotPicture(const Hierarchy& hierarchy, const PictureNotes& notes)
        : hierarchy_(hierarchy),
          detail_(hierarchy),
          labels_(hierarchy, notes.namer),
          nics_(hierarchy, detail_, notes.nics),
          led_(widest_led(hierarchy)) {}

    std::string draw() {
        line(0, "graph hierarchy {");
        line(1, "graph [fontname=\"sans-serif\", style=\"rounded,filled\", fillcolor=\"#00000008\"];");
        line(1, "node [fontname=\"sans-serif\", shape=circle, style=filled, fillcolor=white];");
        add(0);
        line(0, "}");
        return std::move(text_);
    }

private:
    void add(int index) {
        const Group& group = hierarchy_.groups[static_cast<std::size_t>(index)];
        const std::string id = std::to_string(index);
        line(group.depth + 1, "subgraph cluster_" + id + " {");
        const int inside = group.depth + 2;
        line(inside, "label=" + in_quotes(labels_.of(index)) + "; color=\"" +
                         std::string(colour_of(group.level)) +
                         "\"; tooltip=" + in_quotes("leader " + std::to_string(group.leader)) + ";");
        if (detail_.collapsed(group) || (!detail_.complete() && group.children.empty())) {
            line(inside, "g" + id + " [shape=box, label=" +
                             in_quotes(counted(group.members.size(), "rank") + ", leader " +
                                       std::to_string(group.leader)) +
                             "];");
        } else {
            const std::size_t shown = detail_.shown_children(group);
            for (std::size_t i = 0; i < shown; ++i) add(group.children[i]);
            if (shown < group.children.size()) {
                line(inside, "m" + id + " [shape=box, label=" +
                                 in_quotes(std::to_string(group.children.size() - shown) + " more") + "];");
            }
            add_ranks(group, inside, id);
        }
        add_nics(index, inside);
        line(group.depth + 1, "}");
    }
    void add_nics(int index, int depth) {
        const NicPlaces::Shown& shown = nics_.at(index);
        const auto nic = [&](std::size_t number, const std::string& label) {
            line(depth, "c" + std::to_string(index) + "_" + std::to_string(number) +
                            " [shape=component, fontcolor=white, fillcolor=\"" + std::string(nic_colour) +
                            "\", label=" + in_quotes(label) + "];");
        };
        for (std::size_t i = 0; i < shown.nics.size(); ++i) {
            nic(i, nics_.name_of(index, *shown.nics[i]) + ", near " + place_of(*shown.nics[i]));
        }
        if (shown.more > 0) nic(shown.nics.size(), counted(shown.more, "more NIC"));
    }
    void add_ranks(const Group& group, int depth, const std::string& id) {
        if (!detail_.complete() && !group.direct.empty()) {
            line(depth, "d" + id + " [shape=box, label=" +
                            in_quotes(counted(group.direct.size(), "rank") + " stop here") + "];");
            return;
        }
        for (const int rank : group.direct) {
            const int led = led_[static_cast<std::size_t>(rank)];
            std::string attributes = "label=\"" + std::to_string(rank) + "\"";
            if (led >= 0) {
                attributes += ", fontcolor=white, fillcolor=\"" +
                              std::string(colour_of(hierarchy_.groups[static_cast<std::size_t>(led)].level)) +
                              "\", tooltip=" + in_quotes("leads " + labels_.of(led));
            }
            line(depth, "r" + std::to_string(rank) + " [" + attributes + "];");
        }
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
    std::vector<int> led_;
    std::string text_;
};

}  // namespace

std::string draw_dot(const Hierarchy& hierarchy, const PictureNotes& notes) {
    return DotPicture(hierarchy, notes).draw();
}

}  // namespace strata::topology
