#pragma once
#include <string>
#include <vector>

#include "strata/mapping/estimate.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"
#include "topology/picture.h"

namespace strata::mapping {

/// What is to be shown. The references must outlive it.
struct TrafficView {
    const TrafficMatrix& traffic;
    const topology::Hierarchy& hierarchy;
    /// k, to show the traffic with that order beside the traffic as it is; empty: only the latter.
    std::vector<int> permutation = {};
    LinkCosts costs = {};
    topology::GroupNamer namer = {};
};

/// A table of the levels with bars: bytes, messages and the busiest link of each, before and after. With
/// `bars` false no bars.
std::string draw_text(const TrafficView& view, bool bars = true);

/// {"ranks":N,"bytes":N,"messages":N,"levels":[{"level":"node","between":...,"network":false,
/// "before":{"bytes":N,"messages":N,"busiest_bytes":N,"busiest_messages":N,"seconds":X},"after":{...}}],
/// "distance":{"before":X,"after":X},"seconds":{"before":X,"after":X}}; "after" only with a permutation.
/// `further` are members to add: "\"name\":VALUE,...".
std::string draw_json(const TrafficView& view, const std::string& further = {});

/// Heat maps of the matrix, before and after, in the order in which the hierarchy groups the processes, with
/// the groups' borders; and a bar of bytes per level. Above 256 ranks a cell stands for a group, or for
/// several. Readable without any tool.
std::string draw_svg(const TrafficView& view);

/// "512 B", "1.5 KiB", "12.0 GiB".
std::string bytes_text(double bytes);
/// "950 ns", "1.23 ms".
std::string seconds_text(double seconds);
/// "1,234,567".
std::string count_text(std::uint64_t count);

}  // namespace strata::mapping
