#pragma once
#include <string_view>
#include <vector>

namespace strata::topology {

/// A closed range of indices.
struct IndexRange {
    unsigned first = 0;
    unsigned last = 0;
};

/// End of an open range ("8-").
inline constexpr unsigned open_end = ~0U;

/// Parses hwloc's list syntax: "0-3,8", "4-". Throws std::invalid_argument with the reason.
std::vector<IndexRange> parse_index_list(std::string_view text);

/// Returns true for the two spellings of "unbound": "" and "all".
inline bool names_everything(std::string_view text) { return text.empty() || text == "all"; }

}  // namespace strata::topology
