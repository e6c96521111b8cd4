#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "strata/algorithms/link.h"
#include "strata/algorithms/plan.h"
#include "strata/algorithms/selector.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// Predicts one collective over one hierarchy and root, for many candidate plans. What all models share: the
/// levels with their links, who takes part in each group, and what connects them.
class CostModel {
public:
    virtual ~CostModel() = default;
    CostModel(const CostModel&) = delete;
    CostModel& operator=(const CostModel&) = delete;

    const std::vector<topology::LevelKey>& levels() const { return levels_; }
    const LinkParameters& link(std::size_t level) const { return links_[level]; }
    bool network(std::size_t level) const { return network_[level]; }
    /// Participants of the level's largest group.
    int largest_group(std::size_t level) const { return largest_group_[level]; }
    /// True when the topmost level has no other group than the top.
    bool top_stands_alone() const { return top_stands_alone_; }

    /// Microseconds until the last rank is done. `plans`: one per level, in the order of levels(), none
    /// automatic. Methods that the engine cannot use count as the nearest tree shape. Cost: O(ranks * depth).
    virtual double cost_us(std::span<const LevelPlan> plans, std::size_t bytes, int window) = 0;

protected:
    CostModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root);

    struct Participant {
        int rank;
        double us_per_byte;  ///< of the narrowest connection between this rank and the group
    };
    struct GroupView {
        std::size_t level;
        std::vector<Participant> participants;
    };
    struct Shape {
        std::vector<int> order;  ///< positions, parents before their children
        std::vector<std::vector<int>> children;
    };

    const Shape& shape(const LevelMethod& method, std::size_t size);
    /// Calls action(group) for every boundary that `rank` crosses on its way out to `group`, innermost first.
    template <typename Action>
    void each_boundary(int rank, int group, Action&& action) const {
        for (int c = hierarchy_.stop[rank]; c != group; c = hierarchy_.groups[c].parent) action(c);
    }

    const topology::Hierarchy& hierarchy_;
    int root_;
    std::vector<LinkParameters> links_;  ///< by level
    std::vector<bool> network_;          ///< by level
    std::vector<GroupView> groups_;
    std::vector<double> group_us_per_byte_;  ///< of each group's connection to its parent
    std::vector<double> group_gap_us_;       ///< least time per message on that connection
    std::vector<double> card_us_per_byte_;   ///< of each rank's own card; 0: it has none of its own

private:
    std::vector<topology::LevelKey> levels_;
    std::vector<int> largest_group_;
    bool top_stands_alone_ = false;
    std::map<std::tuple<Algorithm, int, std::size_t>, Shape> shapes_;
};

/// The model of the engine that carries `operation`: whole vectors over a tree (cost_tree.h) or everybody's
/// blocks (cost_exchange.h).
std::unique_ptr<CostModel> make_cost_model(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                           const Operation& operation);

}  // namespace strata::algorithms
