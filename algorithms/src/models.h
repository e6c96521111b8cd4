#pragma once
#include <memory>
#include <span>
#include <vector>

#include "cost_model.h"
#include "sample_nodes.h"
#include "strata/algorithms/selector.h"

namespace strata::algorithms {

/// The models that planning one operation takes: one for every set of skipped levels, made when it is first
/// asked for, which takes on one table of links after the other.
class Models {
public:
    /// Hierarchy and operation outlive it.
    Models(const topology::Hierarchy& hierarchy, const Operation& operation)
        : hierarchy_(hierarchy), operation_(operation) {}

    /// Valid until the same levels are asked for with other links. Tables are told apart by their addresses:
    /// one that was asked for stays as and where it is as long as others are.
    CostModel& at(const LinkTable& links, std::span<const topology::LevelKey> skipped = {});

private:
    struct Entry {
        std::vector<topology::LevelKey> skipped;
        const LinkTable* links;
        std::unique_ptr<CostModel> model;
    };

    const topology::Hierarchy& hierarchy_;
    const Operation& operation_;
    std::vector<Entry> entries_;
};

}  // namespace strata::algorithms
