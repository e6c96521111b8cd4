#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/cost/model.h"
#include "algorithms/cost/sample_nodes.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The models that planning one operation takes: one for every set of skipped levels, made when it is first
/// asked for, which takes on one table of links after the other. Large machines are thinned out for it
/// (thin_out()).
class Models {
public:
    /// Hierarchy and operation outlive it.
    Models(const topology::Hierarchy& hierarchy, const Operation& operation)
        : hierarchy_(hierarchy), operation_(operation) {}
    Models(const Models&) = delete;
    Models& operator=(const Models&) = delete;

    /// Valid until the same levels are asked for with other links. Tables are told apart by their addresses:
    /// one that was asked for stays as and where it is as long as others are.
    CostModel& at(const LinkTable& links, std::span<const topology::LevelKey> skipped = {});

private:
    struct Entry {
        std::vector<topology::LevelKey> skipped;
        const LinkTable* links;
        std::unique_ptr<CostModel> model;
    };

    /// Made on first use.
    struct Thinned {
        bool known = false;
        std::optional<Sample> sample;  ///< empty: the machine as it is
    };

    std::unique_ptr<CostModel> make(const LinkTable& links, std::span<const topology::LevelKey> skipped);
    const std::optional<Sample>& thinned(bool switches);

    const topology::Hierarchy& hierarchy_;
    const Operation& operation_;
    Thinned nodes_;     ///< that keeps a rank of every node
    Thinned switches_;  ///< that does not
    std::vector<Entry> entries_;
};

}  // namespace strata::algorithms
