#include <charconv>
#include <limits>

#include "algorithms/config/overrides.h"
#include "algorithms/config/parse_text.h"

namespace strata::algorithms {
namespace {

int unit_shift(std::string_view unit) {
    if (unit.empty()) return 0;
    if (unit == "k" || unit == "K") return 10;
    if (unit == "m" || unit == "M") return 20;
    if (unit == "g" || unit == "G") return 30;
    return -1;
}

}  // namespace

std::size_t parse_size(std::string_view entry, std::string_view text) {
    std::size_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error == std::errc::result_out_of_range) reject(entry, "too many bytes");
    const int shift = unit_shift({end, static_cast<std::size_t>(last - end)});
    if (error != std::errc{} || shift < 0) {
        reject(entry, "expected bytes, a whole number with an optional k, M or G (0: the whole message)");
    }
    if (number > (std::numeric_limits<std::size_t>::max() >> shift)) reject(entry, "too many bytes");
    return number << shift;
}

std::vector<LevelSizeRule> parse_level_sizes(std::string_view text) {
    std::vector<LevelSizeRule> rules;
    for (const std::string_view entry : split_entries(text)) {
        if (!rules.empty() && !rules.back().level) {
            reject(entry, "follows a size that already holds for every level; put that one last");
        }
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) {
            rules.push_back({std::nullopt, parse_size(entry, entry)});
            continue;
        }
        const auto level = parse_level_or_throw(entry, trimmed(entry.substr(0, equals)));
        rules.push_back({level, parse_size(entry, trimmed(entry.substr(equals + 1)))});
    }
    return rules;
}

}  // namespace strata::algorithms
