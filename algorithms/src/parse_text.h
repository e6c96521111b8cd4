#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "strata/topology/level.h"
#include "strata/topology/text.h"

namespace strata::algorithms {

using topology::trimmed;

/// The comma-separated entries of `text`, trimmed. Throws std::invalid_argument for an empty entry; a blank
/// text has none.
std::vector<std::string_view> split_entries(std::string_view text);

/// Throws std::invalid_argument that names the entry and the known levels.
topology::LevelPattern parse_level_or_throw(std::string_view entry, std::string_view name);

/// Throws std::invalid_argument("'ENTRY': REASON").
[[noreturn]] void reject(std::string_view entry, const std::string& reason);

}  // namespace strata::algorithms
