#include "topology/level.h"

#include <array>

#include "topology/text.h"

namespace strata::topology {
namespace {

constexpr std::array<std::string_view, level_kind_count> level_names = {
    "cluster", "switch", "node", "package", "die", "group", "numa", "l3", "l2", "l1", "core", "pu", "custom"};

/// Returns true if the level's name includes a height (switch) or position (custom).
constexpr bool is_numbered(LevelKind kind) { return kind == LevelKind::switch_ || kind == LevelKind::custom; }

/// Parses the number in a level's name, 0 to 255; empty for anything else.
std::optional<std::uint8_t> number_of(std::string_view digits) {
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits.front() == '0'))
        return std::nullopt;
    int number = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + (c - '0');
    }
    if (number > 255) return std::nullopt;
    return static_cast<std::uint8_t>(number);
}

}  // namespace

std::string_view name_of(LevelKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < level_names.size() ? level_names[index] : std::string_view("unknown");
}

std::string known_level_names() {
    std::string result;
    for (const std::string_view name : level_names) {
        if (!result.empty()) result += ", ";
        result += name;
    }
    return result;
}

std::string name_of(LevelKey key) {
    std::string result(name_of(key.kind));
    if (is_numbered(key.kind)) result += std::to_string(key.height);
    return result;
}

std::optional<LevelPattern> parse_level(std::string_view name) {
    const std::string text = lower_case(name);
    for (int i = 0; i < level_kind_count; ++i) {
        const auto kind = static_cast<LevelKind>(i);
        if (text == name_of(kind)) return LevelPattern{kind, std::nullopt};
        if (!is_numbered(kind) || !text.starts_with(name_of(kind))) continue;
        const auto number = number_of(std::string_view(text).substr(name_of(kind).size()));
        if (!number) return std::nullopt;
        return LevelPattern{kind, number};
    }
    return std::nullopt;
}

}  // namespace strata::topology
