#pragma once
#include <set>
#include <utility>

#include "topology/hierarchy.h"

namespace strata::simulation {

/// Connections between processes of different nodes. The first message of a pair, in either direction, makes
/// theirs, and its sender waits for that.
class Connections {
public:
    /// `hierarchy` must outlive this.
    Connections(const topology::Hierarchy& hierarchy, double setup_us)
        : hierarchy_(&hierarchy), setup_us_(setup_us) {}

    /// Takes simulated time of the process that calls it, the sender's.
    void before_message(int from, int to);
    void forget() { made_.clear(); }

private:
    const topology::Hierarchy* hierarchy_;
    double setup_us_;
    std::set<std::pair<int, int>> made_;
};

}  // namespace strata::simulation
