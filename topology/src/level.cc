#include "strata/topology/level.h"

#include <array>

#include "strata/topology/text.h"

namespace strata::topology {
namespace {

constexpr std::array<std::string_view, level_kind_count> level_names = {
    "cluster", "switch", "node", "package", "die", "group", "numa", "l3", "l2", "l1", "core", "pu"};

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
    if (key.kind == LevelKind::switch_) result += std::to_string(key.height);
    return result;
}

std::optional<LevelPattern> parse_level(std::string_view name) {
    const std::string text = lower_case(name);
    for (int i = 0; i < level_kind_count; ++i) {
        if (text == level_names[static_cast<std::size_t>(i)]) {
            return LevelPattern{static_cast<LevelKind>(i), std::nullopt};
        }
    }
    const std::string_view prefix = name_of(LevelKind::switch_);
    if (!text.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = std::string_view(text).substr(prefix.size());
    if (digits.size() > 3 || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
    int height = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        height = height * 10 + (c - '0');
    }
    if (height > 255) return std::nullopt;
    return LevelPattern{LevelKind::switch_, static_cast<std::uint8_t>(height)};
}

}  // namespace strata::topology
