#pragma once
#include <memory>
#include <span>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/cost/model.h"
#include "algorithms/planning/planning_facts.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The cost models for planning one operation: one per set of skipped levels, made on first use and switched
/// from one link table to the next. On large machines they use representatives (reduce_by_symmetry()).
class Models {
public:
    /// All must outlive it. `machines`: of the hierarchy.
    Models(const topology::Hierarchy& hierarchy, const Operation& operation, ReducedMachines& machines)
        : hierarchy_(hierarchy), operation_(operation), machines_(machines) {}
    Models(const Models&) = delete;
    Models& operator=(const Models&) = delete;

    /// Returns a model, valid until the next call with the same levels and another table. Tables are
    /// identified by address: a table must not change or move during the lifetime of this object.
    CostModel& at(const LinkTable& links, std::span<const topology::LevelKey> skipped = {});

private:
    struct Entry {
        std::vector<topology::LevelKey> skipped;
        const LinkTable* links;
        std::unique_ptr<CostModel> model;
    };

    /// Representatives, found on first use.
    struct Reduced {
        bool known = false;
        ReducedMachines::Machine machine;  ///< null: the whole machine
    };

    std::unique_ptr<CostModel> make(const LinkTable& links, std::span<const topology::LevelKey> skipped);
    const ReducedMachine* reduced(bool switches);

    const topology::Hierarchy& hierarchy_;
    const Operation& operation_;
    ReducedMachines& machines_;
    Reduced nodes_;     ///< keeps a rank of every node
    Reduced switches_;  ///< may omit nodes below a switch
    std::vector<Entry> entries_;
};

}  // namespace strata::algorithms
