#pragma once
#include <cstdint>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::simulation {

/// Messages that ranks have sent to each other, by the widest level that each crossed.
class Traffic {
public:
    struct Count {
        topology::LevelKey level;
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };

    /// Counts by the levels of `hierarchy`, which must outlive this.
    explicit Traffic(const topology::Hierarchy& hierarchy);

    void add(int from, int to, std::size_t bytes);
    void clear();
    /// Topmost level first.
    const std::vector<Count>& by_level() const { return counts_; }

private:
    const topology::Hierarchy* hierarchy_;
    std::vector<std::size_t> level_of_;  // group -> its index in counts_
    std::vector<Count> counts_;
};

}  // namespace strata::simulation
