#include <algorithm>
#include <cmath>
#include <map>

#include "topology/picture_parts.h"
#include "topology/svg.h"

namespace strata::topology {
namespace {

// Lengths are pixels at the picture's natural size.
constexpr int cell = 34;  // the square around a rank's circle
constexpr int radius = 14;
constexpr int margin = 9;  // between a box and its content, and between boxes
constexpr int title_height = 20;
constexpr int header_height = 58;
constexpr int legend_row = 24;
constexpr int nic_height = 17;
constexpr int nic_gap = 8;
constexpr int nic_row = 120;  // minimum width before NICs take a second row

/// A rectangle of the drawing: a group's box, a bare circle, a NIC, or a line of text.
struct Item {
    enum class Shape { box, circle, nic, note };
    Shape shape = Shape::note;
    int group = -1;
    int rank = -1;
    const NicMark* nic = nullptr;  ///< nullptr for the count of further NICs
    std::string text;
    int x = 0, y = 0, width = 0, height = 0;  ///< x and y relative to the item around it
    std::vector<Item> items;
};

int text_width(const std::string& text) { return static_cast<int>(text.size()) * svg_character_width; }

/// Titles are bold.
int title_width(const std::string& text) { return text_width(text) * 8 / 7; }

/// Places items in rows no wider than `limit`; returns width and height of the whole.
std::pair<int, int> place_rows(std::vector<Item>& items, int limit, int gap) {
    int x = 0, y = 0, row_height = 0, width = 0;
    for (Item& item : items) {
        if (x > 0 && x + item.width > limit) {
            x = 0;
            y += row_height + gap;
            row_height = 0;
        }
        item.x = x;
        item.y = y;
        x += item.width + gap;
        width = std::max(width, x - gap);
        row_height = std::max(row_height, item.height);
    }
    return {width, y + row_height};
}

/// Chooses rows that approach the wanted ratio of width to height.
std::pair<int, int> arrange(std::vector<Item>& items, double ratio, int gap) {
    if (items.empty()) return {0, 0};
    double area = 0;
    int widest = 0;
    int total = 0;
    for (const Item& item : items) {
        area += static_cast<double>(item.width + gap) * (item.height + gap);
        widest = std::max(widest, item.width);
        total += item.width + gap;
    }
    int best = total;
    double best_error = 1e30;
    for (int columns = 1; columns <= static_cast<int>(items.size()); ++columns) {
        const int limit = std::max(widest, static_cast<int>(columns) * (widest + gap) - gap);
        const auto [width, height] = place_rows(items, limit, gap);
        // A half-empty last row looks wrong: wasted area outweighs the ratio.
        const double waste = (static_cast<double>(width + gap) * (height + gap)) / area;
        const double error =
            std::abs(std::log(static_cast<double>(width) / height / ratio)) + 4 * std::log(waste);
        if (error < best_error) {
            best_error = error;
            best = limit;
        }
        if (limit >= total) break;
    }
    return place_rows(items, best, gap);
}

class SvgPicture {
public:
    SvgPicture(const Hierarchy& hierarchy, const PictureNotes& notes)
        : hierarchy_(hierarchy),
          detail_(hierarchy),
          labels_(hierarchy, notes.namer),
          nics_(hierarchy, detail_, notes.nics),
          led_(widest_led(hierarchy)) {
        for (std::size_t i = 0; i < hierarchy.groups.size(); ++i) {
            int& width = title_width_[hierarchy.groups[i].level];
            width = std::max(width, title_width(labels_.of(static_cast<int>(i))));
        }
    }

    std::string draw();

private:
    const Group& group(int index) const { return hierarchy_.groups[static_cast<std::size_t>(index)]; }
    /// The whole communicator is red at any level.
    std::string_view colour(int index) const {
        return colour_of(index == 0 ? LevelKey{LevelKind::cluster, 0} : group(index).level);
    }
    Item group_item(int index) const;
    void add_nics(Item& item, int content_width) const;
    Item rank_item(int rank) const;
    Item note(const std::string& text) const;
    void paint(const Item& item, int x, int y);
    void paint_box(const Item& item, int x, int y);
    void paint_circle(const Item& item, int x, int y);
    void paint_nic(const Item& item, int x, int y);
    void paint_plug(int x, int y, int width, bool local, const std::string& name);
    int paint_legend(int x, int y, int width);
    void text(int x, int y, std::string_view attributes, const std::string& content) {
        out_ += svg_text(x, y, attributes, content);
    }

    const Hierarchy& hierarchy_;
    Detail detail_;
    Labels labels_;
    NicPlaces nics_;
    std::vector<int> led_;
    std::map<LevelKey, int> title_width_;  // widest title of a level, so that its boxes look alike
    std::string out_;
};

Item SvgPicture::note(const std::string& content) const {
    Item item;
    item.text = content;
    item.width = text_width(content);
    item.height = title_height;
    return item;
}

Item SvgPicture::rank_item(int rank) const {
    Item item;
    item.shape = Item::Shape::circle;
    item.rank = rank;
    item.width = item.height = cell;
    return item;
}

/// Builds the box of a group with its content; sizes are computed from the inside out.
Item SvgPicture::group_item(int index) const {
    const Group& of = group(index);
    Item item;
    item.shape = Item::Shape::box;
    item.group = index;
    item.text = labels_.of(index);
    const bool counts_only = detail_.collapsed(of) || (!detail_.complete() && of.children.empty());
    int gap = margin;
    if (counts_only) {
        item.items.push_back(note(counted(of.members.size(), "rank")));
        if (!of.children.empty())
            item.items.push_back(note("in " + counted(groups_below(hierarchy_, index), "group")));
        item.items.push_back(note("leader " + std::to_string(of.leader)));
    } else {
        const std::size_t shown = detail_.shown_children(of);
        for (std::size_t i = 0; i < shown; ++i) item.items.push_back(group_item(of.children[i]));
        if (shown < of.children.size()) {
            item.items.push_back(note(std::to_string(of.children.size() - shown) + " more"));
        }
        if (detail_.complete()) {
            for (const int rank : of.direct) item.items.push_back(rank_item(rank));
        } else if (!of.direct.empty()) {
            item.items.push_back(note(counted(of.direct.size(), "rank") + " directly here"));
        }
        if (of.children.empty()) gap = 2;
    }
    if (counts_only) {
        int widest = 0;
        for (const Item& line : item.items) widest = std::max(widest, line.width);
        for (Item& line : item.items) line.width = widest;
    }
    const double ratio = of.depth == 0 ? 1.7 : 1.35;
    const auto [width, height] = counts_only ? place_rows(item.items, 1, 0) : arrange(item.items, ratio, gap);
    for (Item& inner : item.items) {
        inner.x += margin;
        inner.y += title_height + 4;
    }
    item.width = std::max(width, title_width_.at(of.level)) + 2 * margin;
    item.height = height + title_height + 4 + margin;
    // Centre content that is narrower than the title.
    const int shift = (item.width - 2 * margin - width) / 2;
    for (Item& inner : item.items) inner.x += shift;
    add_nics(item, std::max(width, title_width_.at(of.level)));
    return item;
}

/// NICs sit in the lower edge of their box, like plugs.
void SvgPicture::add_nics(Item& item, int content_width) const {
    const NicPlaces::Shown& shown = nics_.at(item.group);
    std::vector<Item> nics;
    const auto add = [&](const NicMark* nic, const std::string& name) {
        nics.emplace_back();
        nics.back().shape = Item::Shape::nic;
        nics.back().nic = nic;
        nics.back().text = name;
        nics.back().width = text_width(name) + 12;
        nics.back().height = nic_height;
    };
    const bool count = detail_.collapsed(group(item.group));
    for (const NicMark* nic : shown.nics) {
        const bool show_near = !nic->exact && !count;
        add(nic, nics_.name_of(item.group, *nic) + (show_near ? " (" + nic->near + ")" : ""));
    }
    if (shown.more > 0) add(nullptr, "+" + std::to_string(shown.more));
    if (nics.empty()) return;
    const auto [width, height] = place_rows(nics, std::max(content_width, nic_row), nic_gap);
    for (Item& nic : nics) {
        nic.x += margin;
        nic.y += item.height;
    }
    const int wider = std::max(0, width + 2 * margin - item.width);
    for (Item& inner : item.items) inner.x += wider / 2;
    item.width += wider;
    item.height += height;
    item.items.insert(item.items.end(), nics.begin(), nics.end());
}

void SvgPicture::paint(const Item& item, int x, int y) {
    const int left = x + item.x;
    const int top = y + item.y;
    switch (item.shape) {
        case Item::Shape::box: paint_box(item, left, top); break;
        case Item::Shape::circle: paint_circle(item, left, top); break;
        case Item::Shape::nic: paint_nic(item, left, top); break;
        case Item::Shape::note:
            text(left + item.width / 2, top + 14, "text-anchor=\"middle\" fill=\"#444\"", item.text);
            break;
    }
    for (const Item& inner : item.items) paint(inner, left, top);
}

void SvgPicture::paint_box(const Item& item, int x, int y) {
    const Group& of = group(item.group);
    const std::string stroke(colour(item.group));
    out_ += "<g><title>" +
            svg_escaped(item.text + ": " + counted(of.members.size(), "rank") + " (" +
                        short_list(of.members) + "), leader " + std::to_string(of.leader)) +
            "</title>\n<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
            std::to_string(item.width) + "\" height=\"" + std::to_string(item.height) +
            "\" rx=\"7\" fill=\"white\"/>\n<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
            "\" width=\"" + std::to_string(item.width) + "\" height=\"" + std::to_string(item.height) +
            "\" rx=\"7\" fill=\"" + stroke + "\" fill-opacity=\"0.07\" stroke=\"" + stroke +
            "\" stroke-width=\"" + (of.members.size() > 1 ? "1.6" : "0.8") + "\"/>\n</g>\n";
    text(x + margin, y + 15, "font-weight=\"600\" fill=\"" + stroke + "\"", item.text);
}

void SvgPicture::paint_circle(const Item& item, int x, int y) {
    const int led = led_[static_cast<std::size_t>(item.rank)];
    const std::string number = std::to_string(item.rank);
    const std::string fill(led < 0 ? std::string_view("#ffffff") : colour(led));
    out_ += "<g><title>" +
            svg_escaped("rank " + number + (led < 0 ? std::string() : ", leads " + labels_.of(led))) +
            "</title><circle cx=\"" + std::to_string(x + cell / 2) + "\" cy=\"" +
            std::to_string(y + cell / 2) + "\" r=\"" + std::to_string(radius) + "\" fill=\"" + fill +
            "\" stroke=\"" + (led < 0 ? std::string("#777") : fill) + "\"/></g>\n";
    text(x + cell / 2, y + cell / 2 + 4,
         std::string("text-anchor=\"middle\" ") +
             (led < 0 ? "fill=\"#222\"" : "fill=\"white\" font-weight=\"700\""),
         number);
}

void SvgPicture::paint_nic(const Item& item, int x, int y) {
    const bool local = item.nic == nullptr || item.nic->local;
    out_ += "<g><title>" +
            svg_escaped(item.nic == nullptr ? item.text + " NICs"
                                            : "NIC " + item.nic->name + ", near " + place_of(*item.nic)) +
            "</title>\n";
    paint_plug(x, y, item.width, local, item.text);
    out_ += "</g>\n";
}

/// Draws a NIC with its contacts below; pale if it is equally near to all cores.
void SvgPicture::paint_plug(int x, int y, int width, bool local, const std::string& name) {
    const std::string stroke(nic_colour);
    const std::string bottom = std::to_string(y + nic_height + 1);
    out_ += "<line x1=\"" + std::to_string(x + 4) + "\" y1=\"" + bottom + "\" x2=\"" +
            std::to_string(x + width - 4) + "\" y2=\"" + bottom +
            "\" stroke=\"#f9a825\" stroke-width=\"4\" stroke-dasharray=\"4 2\"/>\n<rect x=\"" +
            std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(width) +
            "\" height=\"" + std::to_string(nic_height) + "\" rx=\"2\" fill=\"" +
            (local ? stroke : "#eceff1") + "\" stroke=\"" + stroke + "\"" +
            (local ? "" : " stroke-dasharray=\"3 2\"") + "/>\n";
    if (name.empty()) return;
    text(x + width / 2, y + 13,
         std::string("text-anchor=\"middle\" font-size=\"11\" fill=\"") + (local ? "white" : stroke) + "\"",
         name);
}

/// Draws one entry per level, wrapped at `width`; returns the height used.
int SvgPicture::paint_legend(int x, int y, int width) {
    int left = x;
    int row = 0;
    const auto entry = [&](const std::string& content) {
        const int needed = 28 + text_width(content) + 14;
        if (left > x && left + needed > x + width) {
            left = x;
            ++row;
        }
        const int at = left;
        left += needed;
        text(at + 28, y + row * legend_row + 16, "fill=\"#222\"", content);
        return at;
    };
    const auto circle = [&](int at, std::string_view fill, std::string_view stroke) {
        out_ += "<circle cx=\"" + std::to_string(at + 11) + "\" cy=\"" +
                std::to_string(y + row * legend_row + 12) + "\" r=\"9\" fill=\"" + std::string(fill) +
                "\" stroke=\"" + std::string(stroke) + "\"/>\n";
    };
    if (detail_.complete()) {
        if (led_[static_cast<std::size_t>(group(0).leader)] == 0) {
            circle(entry("leader of all ranks"), colour(0), colour(0));
        }
        for (const LevelKey level : hierarchy_.levels()) {
            const bool leads = std::any_of(led_.begin(), led_.end(),
                                           [&](int led) { return led > 0 && group(led).level == level; });
            if (leads) circle(entry("leader of its " + noun_of(level)), colour_of(level), colour_of(level));
        }
        circle(entry("other rank"), "#ffffff", "#777");
    } else {
        entry("More than 500 ranks: the lowest groups are counts");
    }
    for (const bool local : {true, false}) {
        if (!nics_.any(local)) continue;
        const int at = entry(local ? "NIC" : "NIC, equally near to all");
        paint_plug(at, y + row * legend_row + 4, 22, local, "");
    }
    return (row + 1) * legend_row;
}

std::string SvgPicture::draw() {
    const Item top = group_item(0);
    const std::string levels = level_counts(hierarchy_);
    const std::string title = counted(hierarchy_.stop.size(), "rank") + ", " + level_number(hierarchy_);
    const int width = std::max({top.width, text_width(levels), 320}) + 2 * margin;
    text(margin, 24, "font-size=\"17\" font-weight=\"700\" fill=\"#111\"", title);
    text(margin, 44, "fill=\"#444\"", levels);
    paint(top, (width - top.width) / 2, header_height);
    const int legend_top = header_height + top.height + margin;
    const int height = legend_top + paint_legend(margin, legend_top, width - 2 * margin) + margin;
    return svg_document(width, height, out_);
}

}  // namespace

std::string draw_svg(const Hierarchy& hierarchy, const PictureNotes& notes) {
    return SvgPicture(hierarchy, notes).draw();
}

}  // namespace strata::topology
