#include <algorithm>
#include <array>
#include <cmath>

#include "picture_parts.h"
#include "topology/svg.h"
#include "topology/text.h"

namespace strata::mapping {
namespace {

using topology::Group;

// Lengths are pixels at the picture's natural size.
constexpr int margin = 24;
constexpr int map_target = 512;
constexpr int largest_cell = 64;
constexpr int least_map = 256;
constexpr int label_width = 84;  // room for group names left of a map
constexpr int map_top = 116;
constexpr int legend_height = 66;
constexpr int bar_width = 250;
constexpr int bar_text = 150;  // room for "12.3 GiB (-74.2 %)" after the longest bar
constexpr int bar_height = 16;
constexpr int shades = 24;
constexpr std::string_view before_colour = "#868e96";
constexpr std::string_view after_colour = "#1971c2";

std::string number(int value) { return std::to_string(value); }

/// Returns the colour of a shade, from light (0) to dark (shades - 1).
std::string shade_colour(int shade) {
    struct Colour {
        double red, green, blue;
    };
    constexpr std::array<Colour, 5> stops = {
        {{190, 215, 239}, {132, 182, 222}, {66, 138, 198}, {11, 76, 150}, {6, 24, 62}}};
    const double position = static_cast<double>(shade) / (shades - 1) * (stops.size() - 1);
    const std::size_t low = std::min(static_cast<std::size_t>(position), stops.size() - 2);
    const double part = position - static_cast<double>(low);
    const auto mixed = [&](double Colour::*channel) {
        const double from = stops[low].*channel, to = stops[low + 1].*channel;
        return std::to_string(static_cast<int>(std::lround(from + (to - from) * part)));
    };
    return "rgb(" + mixed(&Colour::red) + "," + mixed(&Colour::green) + "," + mixed(&Colour::blue) + ")";
}

/// Maps the bytes of a cell to a shade, logarithmically between the least and the most of all maps.
struct Scale {
    double least = 0;
    double most = 0;

    void include(const std::vector<double>& bytes) {
        for (const double value : bytes) {
            if (value <= 0) continue;
            least = least == 0 ? value : std::min(least, value);
            most = std::max(most, value);
        }
    }
    int shade(double value) const {
        if (most <= least) return shades * 2 / 3;
        const double part = std::log(value / least) / std::log(most / least);
        return std::clamp(static_cast<int>(part * shades), 0, shades - 1);
    }
};

class TrafficSvg {
public:
    explicit TrafficSvg(const TrafficView& view)
        : view_(view),
          estimates_(estimates_of(view)),
          maps_{fold(view, inverse_permutation({}, view.traffic.ranks()))} {
        if (estimates_.after) {
            maps_.push_back(fold(view, inverse_permutation(view.permutation, view.traffic.ranks())));
        }
        for (const Folded& map : maps_) scale_.include(map.bytes);
        const int cells = maps_[0].cells();
        cell_ = std::clamp(map_target / cells, 1, largest_cell);
        size_ = cell_ * cells;
    }

    std::string draw() {
        int x = margin;
        for (std::size_t i = 0; i < maps_.size(); ++i) {
            x += label_width;
            paint_map(maps_[i], x, maps_.size() == 1 ? "Traffic matrix" : i == 0 ? "Before" : "After");
            x += std::max(size_, least_map) + margin;
        }
        paint_legend(margin + label_width, map_top + size_ + 16);
        const int bottom = std::max(map_top + size_ + 16 + legend_height, paint_bars(x, map_top));
        const int width = x + bar_width + bar_text + margin;
        paint_title();
        return topology::svg_document(width, bottom + margin / 2, out_);
    }

private:
    void text(int x, int y, std::string_view attributes, std::string_view content) {
        out_ += topology::svg_text(x, y, attributes, content);
    }
    void rectangle(int x, int y, int width, int height, std::string_view attributes) {
        out_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
                "\" height=\"" + number(height) + "\" " + std::string(attributes) + "/>\n";
    }

    void paint_title();
    void paint_map(const Folded& map, int x, const std::string& title);
    void paint_cells(const Folded& map, int x, int y);
    void paint_borders(const Folded& map, int x, int y);
    void paint_names(const Folded& map, int x, int y);
    void paint_legend(int x, int y);
    int paint_bars(int x, int y);
    int paint_pair(int x, int y, const std::string& title, double before, const double* after, double most,
                   std::string (*words)(double));
    std::string name_of(int group) const;

    const TrafficView& view_;
    BeforeAfter estimates_;
    std::vector<Folded> maps_;
    Scale scale_;
    int cell_ = 1;
    int size_ = 0;
    std::string out_;
};

void TrafficSvg::paint_title() {
    const auto& traffic = view_.traffic;
    text(margin, 34, "font-size=\"18\" font-weight=\"700\" fill=\"#111\"",
         number(traffic.ranks()) + " ranks, " + bytes_text(static_cast<double>(traffic.bytes())) + ", " +
             count_text(traffic.messages()) + " messages");
    const auto crossing = static_cast<double>(estimates_.before.network_bytes());
    std::string line = topology::level_summary(view_.hierarchy);
    line += "; between nodes " + bytes_text(crossing);
    if (estimates_.after) {
        const auto later = static_cast<double>(estimates_.after->network_bytes());
        const std::string change = change_text(crossing, later);
        line += " before, " + bytes_text(later) + " after" + (change.empty() ? "" : " (" + change + ")");
    }
    text(margin, 56, "font-size=\"13\" fill=\"#444\"", line);
}

std::string TrafficSvg::name_of(int index) const {
    const Group& group = view_.hierarchy.groups[static_cast<std::size_t>(index)];
    const std::string name = view_.namer ? view_.namer(group) : std::string();
    if (!name.empty()) return name;
    int ordinal = 0;
    for (int i = 0; i < index; ++i) {
        ordinal += view_.hierarchy.groups[static_cast<std::size_t>(i)].level == group.level;
    }
    return topology::name_of(group.level) + " " + number(ordinal);
}

void TrafficSvg::paint_map(const Folded& map, int x, const std::string& title) {
    text(x, map_top - 30, "font-size=\"15\" font-weight=\"700\" fill=\"#111\"", title);
    text(x, map_top - 8, "fill=\"#666\"", "receivers →");
    text(x - label_width, map_top - 8, "fill=\"#666\"", "senders ↓");
    rectangle(x, map_top, size_, size_, "fill=\"#fcfcfc\"");
    paint_cells(map, x, map_top);
    paint_borders(map, x, map_top);
    paint_names(map, x, map_top);
}

/// One path per shade, with one rectangle per run of equal cells, keeps large maps small.
void TrafficSvg::paint_cells(const Folded& map, int x, int y) {
    const auto cells = static_cast<std::size_t>(map.cells());
    std::vector<std::string> paths(shades);
    for (std::size_t row = 0; row < cells; ++row) {
        for (std::size_t column = 0; column < cells;) {
            const auto shade_at = [&](std::size_t c) {
                const double bytes = map.bytes[row * cells + c];
                return bytes > 0 ? scale_.shade(bytes) : -1;
            };
            const int shade = shade_at(column);
            std::size_t end = column + 1;
            while (end < cells && shade_at(end) == shade) ++end;
            if (shade >= 0) {
                const std::string length = std::to_string(end - column);
                paths[static_cast<std::size_t>(shade)] += "M" + std::to_string(column) + " " +
                                                          std::to_string(row) + "h" + length + "v1h-" +
                                                          length + "z";
            }
            column = end;
        }
    }
    out_ += "<g transform=\"translate(" + number(x) + " " + number(y) + ") scale(" + number(cell_) +
            ")\" shape-rendering=\"crispEdges\">\n";
    for (int shade = 0; shade < shades; ++shade) {
        const std::string& path = paths[static_cast<std::size_t>(shade)];
        if (!path.empty()) out_ += "<path fill=\"" + shade_colour(shade) + "\" d=\"" + path + "\"/>\n";
    }
    out_ += "</g>\n";
}

/// Wider groups have stronger lines; levels whose lines would be too dense are omitted.
void TrafficSvg::paint_borders(const Folded& map, int x, int y) {
    const std::vector<Border> borders = borders_of(view_.hierarchy, map);
    struct Pen {
        const char* width;
        const char* colour;
        int least_gap;  ///< minimum distance of lines
    };
    constexpr std::array<Pen, 3> pens = {{{"2", "#e8590c", 6}, {"1", "#f0a53a", 14}, {"0.6", "#f7c884", 14}}};
    for (int depth = static_cast<int>(pens.size()); depth >= 1; --depth) {
        std::vector<int> at;
        for (const Border& border : borders) {
            if (border.depth == depth) at.push_back(border.cell);
        }
        const int wider = static_cast<int>(std::count_if(
            borders.begin(), borders.end(), [&](const Border& border) { return border.depth < depth; }));
        const Pen& pen = pens[static_cast<std::size_t>(depth) - 1];
        const int parts = static_cast<int>(at.size()) + wider + 1;
        if (at.empty() || size_ / parts < pen.least_gap) continue;
        if (parts >= map.cells() && depth > 1) continue;  // these are ranks, not groups
        std::string path;
        for (const int cell : at) {
            path += "M" + number(x + cell * cell_) + " " + number(y) + "v" + number(size_) + "M" + number(x) +
                    " " + number(y + cell * cell_) + "h" + number(size_);
        }
        out_ += "<path d=\"" + path + "\" stroke=\"" + pen.colour + "\" stroke-width=\"" + pen.width +
                "\" fill=\"none\"/>\n";
    }
    rectangle(x, y, size_, size_, "fill=\"none\" stroke=\"#666\"");
}

/// Writes the names of the widest groups for which there is room.
void TrafficSvg::paint_names(const Folded& map, int x, int y) {
    int lowest_end = 0;
    for (const int child : view_.hierarchy.groups[0].children) {
        const Group& group = view_.hierarchy.groups[static_cast<std::size_t>(child)];
        const auto cell_of = [&](std::size_t position) {
            const auto after =
                std::upper_bound(map.first.begin(), map.first.end(), static_cast<int>(position));
            return static_cast<int>(after - map.first.begin()) - 1;
        };
        const auto found = std::find_if(map.order.begin(), map.order.end(), [&](int rank) {
            return std::binary_search(group.members.begin(), group.members.end(), rank);
        });
        const auto begin = static_cast<std::size_t>(found - map.order.begin());
        const int top = cell_of(begin) * cell_;
        const int bottom = (cell_of(begin + group.members.size() - 1) + 1) * cell_;
        const int middle = (top + bottom) / 2;
        if (middle - 7 < lowest_end) continue;
        lowest_end = middle + 7;
        std::string name = name_of(child);
        const std::size_t most = (label_width - 12) / topology::svg_character_width;
        if (name.size() > most) name = name.substr(0, most - 2) + "..";
        text(x - 8, y + middle + 4, "text-anchor=\"end\" fill=\"#222\"", name);
    }
}

void TrafficSvg::paint_legend(int x, int y) {
    constexpr int width = 10;
    if (scale_.most > 0 && scale_.most == scale_.least) {
        rectangle(x, y, width, 12, "fill=\"" + shade_colour(scale_.shade(scale_.most)) + "\"");
        text(x + 2 * width, y + 11, "fill=\"#444\"", bytes_text(scale_.most));
    } else if (scale_.most > 0) {
        for (int shade = 0; shade < shades; ++shade) {
            rectangle(x + shade * width, y, width, 12,
                      "shape-rendering=\"crispEdges\" fill=\"" + shade_colour(shade) + "\"");
        }
        text(x, y + 27, "fill=\"#444\"", bytes_text(scale_.least));
        text(x + shades * width, y + 27, "fill=\"#444\" text-anchor=\"end\"", bytes_text(scale_.most));
    }
    const Folded& map = maps_[0];
    int widest = 1;
    for (int cell = 0; cell < map.cells(); ++cell) {
        const auto i = static_cast<std::size_t>(cell);
        widest = std::max(widest, map.first[i + 1] - map.first[i]);
    }
    const std::string meaning = widest == 1 ? "a cell: two ranks, a sender and a receiver"
                                            : "a cell: up to " + number(widest) + " ranks on either side";
    text(x, y + 46, "fill=\"#444\"", meaning + "; white: nothing; lines: where groups end");
}

/// Draws a title, and a bar for each time; returns the y below.
int TrafficSvg::paint_pair(int x, int y, const std::string& title, double before, const double* after,
                           double most, std::string (*words)(double)) {
    text(x, y + 12, "fill=\"#111\" font-weight=\"700\"", title);
    y += 20;
    const auto bar = [&](double value, std::string_view colour, const std::string& note) {
        const int length = most > 0 ? static_cast<int>(std::lround(bar_width * value / most)) : 0;
        rectangle(x, y, value > 0 ? std::max(length, 1) : 0, bar_height,
                  "fill=\"" + std::string(colour) + "\"");
        text(x + length + 6, y + bar_height - 4, "fill=\"#222\"", words(value) + note);
        y += bar_height + 3;
    };
    bar(before, before_colour, "");
    if (after != nullptr) {
        const std::string change = change_text(before, *after);
        bar(*after, after_colour, change.empty() ? "" : " (" + change + ")");
    }
    return y + 14;
}

int TrafficSvg::paint_bars(int x, int y) {
    text(x, y - 30, "font-size=\"15\" font-weight=\"700\" fill=\"#111\"", "Bytes by level");
    if (estimates_.after) {
        rectangle(x, y - 18, 12, 12, "fill=\"" + std::string(before_colour) + "\"");
        text(x + 18, y - 8, "fill=\"#444\"", "before");
        rectangle(x + 80, y - 18, 12, 12, "fill=\"" + std::string(after_colour) + "\"");
        text(x + 98, y - 8, "fill=\"#444\"", "after");
    }
    const Estimate* after = estimates_.after ? &*estimates_.after : nullptr;
    double most = 0;
    for (const Estimate* one : {static_cast<const Estimate*>(&estimates_.before), after}) {
        if (one == nullptr) continue;
        for (const LevelTraffic& level : one->levels) most = std::max(most, static_cast<double>(level.bytes));
    }
    for (std::size_t i = 0; i < estimates_.before.levels.size(); ++i) {
        const LevelTraffic& level = estimates_.before.levels[i];
        const double later = after != nullptr ? static_cast<double>(after->levels[i].bytes) : 0;
        y = paint_pair(x, y, describe_level(view_.hierarchy, level.level), static_cast<double>(level.bytes),
                       after != nullptr ? &later : nullptr, most, bytes_text);
    }
    const double seconds = estimates_.before.seconds;
    return paint_pair(x, y + 8, "Estimated time", seconds, after != nullptr ? &after->seconds : nullptr,
                      std::max(seconds, after != nullptr ? after->seconds : 0), seconds_text);
}

}  // namespace

std::string draw_svg(const TrafficView& view) { return TrafficSvg(view).draw(); }

}  // namespace strata::mapping
