#include <algorithm>
#include <cmath>
#include <optional>

#include "picture_parts.h"
#include "strata/mapping/traffic_picture.h"
#include "topology/text.h"

namespace strata::mapping {
namespace {

constexpr double table_bar_width = 30;

using Row = std::vector<std::string>;

/// Aligns columns: the first one left, the others right, except the last one with `bars`.
std::string aligned(const std::vector<Row>& rows, bool bars) {
    std::vector<std::size_t> width;
    for (const Row& row : rows) {
        width.resize(std::max(width.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string gap(width[i] - row[i].size(), ' ');
            const bool left = i == 0 || (bars && i + 1 == width.size());
            line += (i > 0 ? "  " : "") + (left ? row[i] + gap : gap + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string bar(std::uint64_t bytes, std::uint64_t most) {
    if (bytes == 0) return "";
    const double length = table_bar_width * static_cast<double>(bytes) / static_cast<double>(most);
    return std::string(static_cast<std::size_t>(std::max(1.0, std::round(length))), '#');
}

std::string json_of(const LevelTraffic& level) {
    return "{\"bytes\":" + std::to_string(level.bytes) + ",\"messages\":" + std::to_string(level.messages) +
           ",\"busiest_bytes\":" + std::to_string(level.busiest_bytes) +
           ",\"busiest_messages\":" + std::to_string(level.busiest_messages) +
           ",\"seconds\":" + topology::number_text(level.seconds, 9) + "}";
}

std::string json_pair(const char* name, double before, const std::optional<double>& after) {
    std::string text = std::string(",\"") + name + "\":{\"before\":" + topology::number_text(before, 9);
    if (after) text += ",\"after\":" + topology::number_text(*after, 9);
    return text + "}";
}

}  // namespace

std::string change_text(double before, double after) {
    if (before <= 0) return after > 0 ? "new" : "";
    const auto decimal = [](long tenths) {
        return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
    };
    if (after >= 3 * before) return "x " + decimal(std::lround(10 * after / before));
    const double percent = 100 * (after / before - 1);
    const long tenths = std::lround(std::abs(percent) * 10);
    if (tenths == 0) return "0 %";
    return (percent < 0 ? "-" : "+") + decimal(tenths) + " %";
}

BeforeAfter estimates_of(const TrafficView& view) {
    BeforeAfter both;
    both.before = estimate(view.traffic, view.hierarchy, {}, view.costs);
    if (!view.permutation.empty()) {
        both.after = estimate(view.traffic, view.hierarchy, view.permutation, view.costs);
    }
    return both;
}

std::string draw_text(const TrafficView& view, bool bars) {
    const BeforeAfter both = estimates_of(view);
    const Estimate& before = both.before;
    const auto& after = both.after;
    std::uint64_t most = 1;
    for (const LevelTraffic& level : before.levels) most = std::max(most, level.bytes);
    if (after) {
        for (const LevelTraffic& level : after->levels) most = std::max(most, level.bytes);
    }
    std::vector<Row> rows{{"level", "", "bytes", "messages", "busiest link", "time"}};
    if (after) rows[0].insert(rows[0].begin() + 3, "change");
    const auto add = [&](const std::string& name, const char* when, const LevelTraffic& level,
                         const std::string& change) {
        Row row{name,
                when,
                bytes_text(static_cast<double>(level.bytes)),
                count_text(level.messages),
                bytes_text(static_cast<double>(level.busiest_bytes)),
                seconds_text(level.seconds)};
        if (after) row.insert(row.begin() + 3, change);
        if (bars) row.push_back(bar(level.bytes, most));
        rows.push_back(std::move(row));
    };
    if (bars) rows[0].emplace_back();
    for (std::size_t i = 0; i < before.levels.size(); ++i) {
        const LevelTraffic& old = before.levels[i];
        add(describe_level(view.hierarchy, old.level), after ? "before" : "", old, "");
        if (after) {
            add("", "after", after->levels[i],
                change_text(static_cast<double>(old.bytes), static_cast<double>(after->levels[i].bytes)));
        }
    }
    std::string text = std::to_string(view.traffic.ranks()) + " ranks, " +
                       bytes_text(static_cast<double>(view.traffic.bytes())) + ", " +
                       count_text(view.traffic.messages()) + " messages\n\n" + aligned(rows, bars) +
                       "\nestimated time: " + seconds_text(before.seconds);
    if (after) {
        text += " before, " + seconds_text(after->seconds) + " after";
        const std::string change = change_text(before.seconds, after->seconds);
        if (!change.empty()) text += " (" + change + ")";
    }
    return text + "\n";
}

std::string draw_json(const TrafficView& view, const std::string& further) {
    const BeforeAfter both = estimates_of(view);
    const Estimate& before = both.before;
    const auto& after = both.after;
    std::string text = "{\"ranks\":" + std::to_string(view.traffic.ranks()) +
                       ",\"bytes\":" + std::to_string(view.traffic.bytes()) +
                       ",\"messages\":" + std::to_string(view.traffic.messages()) + ",\"levels\":[";
    for (std::size_t i = 0; i < before.levels.size(); ++i) {
        const LevelTraffic& level = before.levels[i];
        text += std::string(i > 0 ? "," : "") + "\n{\"level\":" + topology::json_text(name_of(level.level)) +
                ",\"description\":" + topology::json_text(describe_level(view.hierarchy, level.level)) +
                ",\"network\":" + (level.network ? "true" : "false") + ",\"before\":" + json_of(level);
        if (after) text += ",\"after\":" + json_of(after->levels[i]);
        text += "}";
    }
    text += "]";
    const auto later = [&](double Estimate::*what) {
        return after ? std::optional<double>((*after).*what) : std::nullopt;
    };
    text += json_pair("distance", before.distance, later(&Estimate::distance));
    text += json_pair("seconds", before.seconds, later(&Estimate::seconds));
    return text + (further.empty() ? "" : "," + further) + "}\n";
}

}  // namespace strata::mapping
