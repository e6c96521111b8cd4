#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "strata/algorithms/link.h"
#include "strata/algorithms/plan.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// Predicts broadcasts through the composed tree of one hierarchy and root, for many candidate plans.
///
/// Resources, each busy for overhead or bytes / bandwidth: a rank's processor (every message's overhead at
/// both ends; in a node also the copy), the connection of every group to its parent in each direction, and of
/// a rank that hangs directly on a network level its own card. The first segment walks down the tree, waiting
/// for the resources that earlier siblings hold; the others follow at the pace of the slowest resource on
/// their way. A composed tree enters each group once and leaves it from one rank, so that no other contention
/// exists. Source: postal and LogP models (latency, overhead, gap), applied per level.
class TreeModel {
public:
    TreeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root);

    const std::vector<topology::LevelKey>& levels() const { return levels_; }
    const LinkParameters& link(std::size_t level) const { return links_[level]; }
    bool network(std::size_t level) const { return network_[level]; }
    /// Participants of the level's largest group.
    int largest_group(std::size_t level) const { return largest_group_[level]; }

    /// Microseconds until the last rank has all `bytes`. `plans`: one per level, in the order of levels(),
    /// none automatic. Methods that are no tree shape count as the nearest one. Cost: O(ranks * depth).
    double cost_us(std::span<const LevelPlan> plans, std::size_t bytes, int window);

private:
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
    struct Edges;

    const Shape& shape(const LevelMethod& method, int size);
    Edges edges_of(int group, const LevelPlan& plan) const;
    void add_loads(int group, const Edges& edges);
    void time_group(int group, const Edges& edges);
    double outward_pace(int rank, int group) const;
    double pass_outward(int rank, int group, double start, double bytes);

    const topology::Hierarchy& hierarchy_;
    int root_;
    std::vector<topology::LevelKey> levels_;
    std::vector<LinkParameters> links_;  ///< by level
    std::vector<bool> network_;          ///< by level
    std::vector<int> largest_group_;
    std::vector<GroupView> groups_;
    std::vector<double> group_us_per_byte_;  ///< of each group's connection to its parent
    std::vector<double> group_gap_us_;       ///< least time per message on that connection
    std::vector<double> card_us_per_byte_;   ///< of each rank's own card; 0: it has none of its own
    std::map<std::tuple<Algorithm, int, int>, Shape> shapes_;

    // One candidate's state, kept to spare allocations.
    struct RankState {
        double first = 0;           ///< when the first segment is here
        double last = 0;            ///< when everything is here
        double segment = 0;         ///< bytes per arriving segment
        double pace = 0;            ///< us per byte between the two
        double processor_load = 0;  ///< us per byte of the whole broadcast
        double processor_free = 0;
        double card_free = 0;
        int card_uses = 0;  ///< messages that leave through the rank's own card, per segment
    };
    struct GroupState {
        int uses = 0;  ///< edges that leave the group
        double free = 0;
    };
    std::vector<RankState> ranks_;
    std::vector<GroupState> boundaries_;
    double bytes_ = 0;
};

}  // namespace strata::algorithms
