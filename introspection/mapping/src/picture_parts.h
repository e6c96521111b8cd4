#pragma once
#include <optional>
#include <string>
#include <vector>

#include "strata/mapping/traffic_picture.h"

namespace strata::mapping {

struct BeforeAfter {
    Estimate before;
    std::optional<Estimate> after;
};
BeforeAfter estimates_of(const TrafficView& view);

/// Returns "-74.2 %", "x 12.3", or "new" if there was nothing before; empty if both are 0.
std::string change_text(double before, double after);

/// A matrix to draw: the traffic between the cells of a picture. A cell is one process, or several that
/// are adjacent in the hierarchy.
struct Folded {
    std::vector<int> first;     ///< cell -> position of its first process in `order`; last entry: the end
    std::vector<int> order;     ///< all processes, group by group
    std::vector<double> bytes;  ///< row-major, senders in rows
    int cells() const { return static_cast<int>(first.size()) - 1; }
};

/// `process[r]` does the work of rank r of the matrix.
Folded fold(const TrafficView& view, const std::vector<int>& process);

/// A line between two cells at which groups end.
struct Border {
    int cell = 0;   ///< before this one
    int depth = 0;  ///< 1 for groups directly below the top
};

/// Returns borders in ascending order; of several at one place the widest groups'.
std::vector<Border> borders_of(const topology::Hierarchy& hierarchy, const Folded& folded);

}  // namespace strata::mapping
