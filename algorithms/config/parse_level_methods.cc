#include <algorithm>
#include <charconv>

#include "algorithms/config/overrides.h"
#include "algorithms/config/parse_text.h"

namespace strata::algorithms {
namespace {

constexpr int largest_radix = 65536;

bool is_component_word(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

int parse_radix(std::string_view entry, Algorithm algorithm, std::string_view digits) {
    const AlgorithmInfo& about = info(algorithm);
    if (about.default_radix == 0) reject(entry, "'" + std::string(about.name) + "' takes no radix");
    const int smallest = algorithm == Algorithm::chain ? 1 : 2;
    int radix = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), radix);
    if (error != std::errc{} || end != digits.data() + digits.size() || radix < smallest ||
        radix > largest_radix) {
        reject(entry, "the radix of '" + std::string(about.name) + "' must be a number from " +
                          std::to_string(smallest) + " to " + std::to_string(largest_radix));
    }
    return radix;
}

LevelMethod parse_component(std::string_view entry, std::string_view word,
                            const std::vector<std::string>& components) {
    const bool listed =
        components.empty() || std::find(components.begin(), components.end(), word) != components.end();
    if (is_component_word(word) && listed) return {Algorithm::component, 0, std::string(word)};
    std::string reason = "unknown algorithm or component '" + std::string(word) +
                         "'; known algorithms: " + known_algorithm_names();
    if (!components.empty()) {
        reason += "; known components: ";
        for (std::size_t i = 0; i < components.size(); ++i) reason += (i != 0 ? ", " : "") + components[i];
    }
    reject(entry, reason);
}

}  // namespace

LevelMethod parse_level_method(std::string_view entry, std::string_view text,
                               const std::vector<std::string>& components) {
    const std::size_t colon = text.find(':');
    const std::string_view word = trimmed(text.substr(0, colon));
    const auto algorithm = algorithm_from_name(word);
    if (!algorithm && colon == std::string_view::npos) return parse_component(entry, word, components);
    if (!algorithm && std::find(components.begin(), components.end(), word) != components.end()) {
        reject(entry, "the component '" + std::string(word) + "' takes no radix; only chain and knomial do");
    }
    if (!algorithm) {
        reject(entry, "unknown algorithm '" + std::string(word) + "'; known: " + known_algorithm_names());
    }
    LevelMethod method{*algorithm, 0, {}};
    if (colon != std::string_view::npos) {
        method.radix = parse_radix(entry, *algorithm, trimmed(text.substr(colon + 1)));
    }
    return method;
}

std::vector<LevelMethodRule> parse_level_methods(std::string_view text,
                                                 const std::vector<std::string>& components) {
    std::vector<LevelMethodRule> rules;
    for (const std::string_view entry : split_entries(text)) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos)
            reject(entry, "expected LEVEL=ALGORITHM[:RADIX] or LEVEL=COMPONENT");
        const auto level = parse_level_or_throw(entry, trimmed(entry.substr(0, equals)));
        rules.push_back({level, parse_level_method(entry, trimmed(entry.substr(equals + 1)), components)});
    }
    return rules;
}

}  // namespace strata::algorithms
