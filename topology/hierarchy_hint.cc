#include "topology/hierarchy_hint.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "topology/text.h"

namespace strata::topology {
namespace {

struct Alias {
    std::string_view name;
    LevelKind kind;
};
constexpr std::array<Alias, 8> aliases = {{{"flat", LevelKind::node},
                                           {"machine", LevelKind::node},
                                           {"socket", LevelKind::package},
                                           {"l3cache", LevelKind::l3},
                                           {"l2cache", LevelKind::l2},
                                           {"l1cache", LevelKind::l1},
                                           {"hwthread", LevelKind::pu},
                                           {"thread", LevelKind::pu}}};

constexpr std::size_t most_custom_levels = 256;  // LevelKey::height numbers them

[[noreturn]] void reject(std::string_view part, const std::string& reason) {
    throw std::invalid_argument("'" + std::string(part) + "': " + reason);
}

/// Returns the trimmed parts between separators outside brackets.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '[') inside = true;
        if (text[at] == ']') inside = false;
        if (inside || text[at] != separator) continue;
        parts.push_back(trimmed(text.substr(begin, at - begin)));
        begin = at + 1;
    }
    parts.push_back(trimmed(text.substr(begin)));
    return parts;
}

/// Parses a whole number from 0 to the largest int; empty for anything else.
std::optional<int> number(std::string_view digits) {
    const auto value = whole_number<int>(digits);
    return value && *value >= 0 ? value : std::nullopt;
}

LevelPattern parse_name(std::string_view name, std::string_view item) {
    const std::string text = lower_case(name);
    for (const Alias& alias : aliases) {
        if (text == alias.name) return {alias.kind, std::nullopt};
    }
    const auto level = parse_level(text);
    if (level && level->kind != LevelKind::cluster && level->kind != LevelKind::custom) return *level;
    if (text == "none") reject(item, "'none' cannot be combined");
    const std::string what =
        name.empty() ? "a level is missing" : "unknown level '" + std::string(name) + "'";
    reject(item, what + "; known: " + known_hint_levels() + ", or a list of ranks such as [0..9,12]");
}

std::vector<std::pair<int, int>> parse_ranks(std::string_view list, std::string_view item) {
    std::vector<std::pair<int, int>> ranges;
    for (const std::string_view part : split_outside_brackets(list, ',')) {
        const std::size_t dots = part.find("..");
        const auto first = number(trimmed(part.substr(0, dots)));
        const auto last = dots == std::string_view::npos ? first : number(trimmed(part.substr(dots + 2)));
        if (!first || !last) {
            reject(item, "'" + std::string(part) +
                             "' is neither a rank (from 0) nor a range of ranks; write [0..9,12]");
        }
        if (*last < *first) reject(item, "'" + std::string(part) + "' runs backwards");
        ranges.emplace_back(*first, *last);
    }
    return ranges;
}

/// Parses ":n", "?n" and "*", in any order.
void parse_modifiers(std::string_view text, std::string_view word, HintItem& item) {
    bool counted = false;
    while (!text.empty()) {
        const char sign = text.front();
        const std::size_t end = std::min(text.find_first_of(":?*", 1), text.size());
        const std::string_view digits = trimmed(text.substr(1, end - 1));
        text.remove_prefix(end);
        if (sign == '*') {
            if (!item.level) reject(word, "a list of ranks cannot repeat; '*' follows the name of a level");
            if (!digits.empty()) reject(word, "'*' may be followed by :n or ?n only");
            item.repeat = true;
            continue;
        }
        if (sign != ':' && sign != '?') reject(word, "']' may be followed by :n or ?n only");
        if (counted) reject(word, "only one of :n and ?n is possible");
        counted = true;
        const auto count = number(digits);
        if (!count || *count == 0) {
            reject(word,
                   std::string("'") + sign + "' needs a number from 1, not '" + std::string(digits) + "'");
        }
        (sign == ':' ? item.pieces : item.most) = *count;
    }
}

HintItem parse_item(std::string_view word) {
    HintItem item;
    if (!word.starts_with('[')) {
        const std::size_t end = std::min(word.find_first_of(":?*"), word.size());
        item.level = parse_name(trimmed(word.substr(0, end)), word);
        parse_modifiers(word.substr(end), word, item);
        return item;
    }
    const std::size_t end = word.find(']');
    if (end == std::string_view::npos) reject(word, "']' is missing");
    item.ranks = parse_ranks(word.substr(1, end - 1), word);
    parse_modifiers(trimmed(word.substr(end + 1)), word, item);
    return item;
}

HintLevel parse_hint_level(std::string_view word) {
    HintLevel level;
    for (const std::string_view part : split_outside_brackets(word, '+'))
        level.items.push_back(parse_item(part));
    if (std::count_if(level.items.begin(), level.items.end(), [](const HintItem& i) { return i.repeat; }) >
        1) {
        reject(word, "only one item of a level can repeat ('*')");
    }
    return level;
}

}  // namespace

bool HintLevel::plain() const {
    return items.size() == 1 && items.front().level && items.front().pieces == 1 && items.front().most == 0;
}

HintLevel plain_level(LevelPattern level) {
    HintItem item;
    item.level = level;
    return {{item}};
}

HierarchyHint parse_hierarchy_hint(std::string_view text) {
    HierarchyHint hint;
    if (lower_case(trimmed(text)) == "none") return hint;
    std::size_t custom = 0;
    for (const std::string_view word : split_outside_brackets(text, ',')) {
        hint.levels.push_back(parse_hint_level(word));
        if (!hint.levels.back().plain() && ++custom > most_custom_levels) {
            reject(word, "at most " + std::to_string(most_custom_levels) +
                             " levels may have lists, modifiers or '+'");
        }
    }
    return hint;
}

std::string known_hint_levels() {
    std::string names;
    for (int i = static_cast<int>(LevelKind::switch_); i <= static_cast<int>(LevelKind::pu); ++i) {
        const auto kind = static_cast<LevelKind>(i);
        names += (names.empty() ? "" : ", ") + std::string(name_of(kind));
        if (kind == LevelKind::switch_) names += ", " + name_of(LevelKey{kind, 0});
        std::string others;
        for (const Alias& alias : aliases) {
            if (alias.kind == kind) others += (others.empty() ? "" : ", ") + std::string(alias.name);
        }
        if (!others.empty()) names += " (" + others + ")";
    }
    return names;
}

}  // namespace strata::topology
