#pragma once
#include <map>
#include <utility>

#include "topology/hierarchy.h"

namespace strata::simulation {

/// Connections between processes of different nodes. The first message of a pair, in either direction, makes
/// theirs; its sender waits for that, as does the other process if it sends meanwhile. Counts messages of the
/// plugin's own engines alone.
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
    std::map<std::pair<int, int>, double> made_;  // when, in simulated seconds
};

}  // namespace strata::simulation
