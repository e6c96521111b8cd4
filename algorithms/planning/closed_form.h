#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/plan.h"
#include "algorithms/cost/model.h"

namespace strata::algorithms {

/// Estimates plans level by level from the number of participants of the level's largest group and its link,
/// in a few operations per level: to compare shapes and segments, not to predict times. The critical path is
/// the sum of the levels' paths; further segments follow at the pace of the busiest processor or connection.
/// Within 35 % of the model for a Bcast on one group. Cost: O(levels) per plan. Source: the LogGP formulas of
/// the tree shapes (Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", 2007), with
/// the levels one after the other.
class ClosedForm {
public:
    /// `model`: of the same operation; `bytes`: Operation::bytes.
    ClosedForm(const CostModel& model, const CollectiveTraits& traits, std::size_t bytes);

    /// Returns microseconds. `plans`: as for CostModel::cost_us().
    double us(std::span<const LevelPlan> plans) const;

private:
    /// One level with a group of at least two participants.
    struct Level {
        std::size_t place;   ///< in CostModel::levels()
        int size;            ///< participants
        double group_bytes;  ///< of the blocks of all ranks below a group
        bool network;
        LinkParameters link;
        double copy_us_per_byte;  ///< of a processor
        double wire_us_per_byte;  ///< of a child's connection
    };
    /// The path to the last participant, and the load of the first.
    struct Path;

    Path path_over(const Level& level, const LevelPlan& plan, double message) const;
    double vector_us(std::span<const LevelPlan> plans) const;
    double block_us(std::span<const LevelPlan> plans) const;
    double handed_on(const Level& level, const LevelMethod& method, double segment) const;

    CollectiveTraits traits_;
    double bytes_;
    double combine_us_per_byte_;
    std::vector<Level> levels_;
};

}  // namespace strata::algorithms
