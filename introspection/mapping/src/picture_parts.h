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

/// "-74.2 %", "x 12.3", "new" for what was nothing; empty where both are nothing.
std::string change_text(double before, double after);

/// A matrix to be seen: the traffic between the cells of a picture, each one process or several that stand
/// next to each other in the hierarchy.
struct Folded {
    std::vector<int> first;     ///< cell -> position of its first process in `order`; and the end
    std::vector<int> order;     ///< all processes, group after group
    std::vector<double> bytes;  ///< row-major, senders in rows
    int cells() const { return static_cast<int>(first.size()) - 1; }
};

/// `process[r]` does what rank r of the matrix does.
Folded fold(const TrafficView& view, const std::vector<int>& process);

/// A line between two cells, at which groups end.
struct Border {
    int cell = 0;   ///< before this one
    int depth = 0;  ///< 1 for groups directly below the top
};

/// Ascending; of several at one place the widest groups'.
std::vector<Border> borders_of(const topology::Hierarchy& hierarchy, const Folded& folded);

}  // namespace strata::mapping
