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

/// The comma-separated entries of `text`, trimmed. Throws std::invalid_argument for an empty entry; a blank
/// text has none.
std::vector<std::string_view> split_entries(std::string_view text);

/// Throws std::invalid_argument that names the entry and the known levels.
topology::LevelPattern parse_level_or_throw(std::string_view entry, std::string_view name);

/// "binomial", "chain:2" or a coll component (one of `components`, when that is not empty). Throws
/// std::invalid_argument that names the entry and the known words.
LevelMethod parse_level_method(std::string_view entry, std::string_view text,
                               const std::vector<std::string>& components);

/// Bytes with an optional k, M or G (powers of 1024). Throws std::invalid_argument that names the entry.
std::size_t parse_size(std::string_view entry, std::string_view text);

/// Throws std::invalid_argument("'ENTRY': REASON").
[[noreturn]] void reject(std::string_view entry, const std::string& reason);

}  // namespace strata::algorithms
