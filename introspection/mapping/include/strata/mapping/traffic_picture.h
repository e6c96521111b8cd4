#pragma once
#include <string>
#include <vector>

#include "strata/mapping/estimate.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"
#include "topology/picture.h"

namespace strata::mapping {

/// Input of a picture. The referenced objects must outlive it.
struct TrafficView {
    const TrafficMatrix& traffic;
    const topology::Hierarchy& hierarchy;
    /// k, to compare the traffic of that order with the present one; empty: only the present one.
    std::vector<int> permutation = {};
    LinkCosts costs = {};
    topology::GroupNamer namer = {};
};

/// Returns a table of the levels with bars (if `bars`): bytes, messages and the busiest link of each,
/// before and after.
std::string draw_text(const TrafficView& view, bool bars = true);

/// Returns {"ranks":N,"bytes":N,"messages":N,"levels":[{"level":"node","between":...,"network":false,
/// "before":{"bytes":N,"messages":N,"busiest_bytes":N,"busiest_messages":N,"seconds":X},"after":{...}}],
/// "distance":{"before":X,"after":X},"seconds":{"before":X,"after":X}}; "after" only with a permutation.
/// `further` are members to add: "\"name\":VALUE,...".
std::string draw_json(const TrafficView& view, const std::string& further = {});

/// Returns heat maps of the matrix, before and after, with the processes and borders of each group together;
/// and a bar of bytes per level. Above 256 ranks a cell is a group, or several.
std::string draw_svg(const TrafficView& view);

/// Returns "512 B", "1.5 KiB", "12.0 GiB".
std::string bytes_text(double bytes);
/// Returns "950 ns", "1.23 ms".
std::string seconds_text(double seconds);
/// Returns "1,234,567".
std::string count_text(std::uint64_t count);

}  // namespace strata::mapping
