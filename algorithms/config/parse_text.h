#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "topology/level.h"
#include "topology/text.h"

namespace strata::algorithms {

using topology::trimmed;

/// Returns the comma-separated entries of `text`, trimmed; a blank text has none. Throws
/// std::invalid_argument for an empty entry.
std::vector<std::string_view> split_entries(std::string_view text);

/// Throws std::invalid_argument with the entry and the known levels.
topology::LevelPattern parse_level_or_throw(std::string_view entry, std::string_view name);

/// Parses "binomial", "chain:2" or a coll component (one of `components`, if that is not empty). Throws
/// std::invalid_argument with the entry and the known words.
LevelMethod parse_level_method(std::string_view entry, std::string_view text,
                               const std::vector<std::string>& components);

/// Parses bytes with an optional k, M or G (powers of 1024). Throws std::invalid_argument with the entry.
std::size_t parse_size(std::string_view entry, std::string_view text);

/// Throws std::invalid_argument("'ENTRY': REASON").
[[noreturn]] void reject(std::string_view entry, const std::string& reason);

}  // namespace strata::algorithms
