#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/cost/model.h"

namespace strata::algorithms {

/// Predicts collectives that carry one vector along every edge of the composed tree.
///
/// Resources, each busy for overhead or bytes / bandwidth: a rank's processor (every message's overhead at
/// both ends; in a node also the copy; what it combines), the connection of every group to its parent in each
/// direction, and of a rank that hangs directly on a network level its own NIC. The first segment walks
/// down the tree, waiting for the resources that earlier siblings hold; the others follow at the pace of the
/// slowest resource on their way. A composed tree enters each group once and leaves it from one rank, so
/// that no other contention exists. Source: postal and LogP models (latency, overhead, gap), applied per
/// level. What moves inside a group, or through its boundary, shares the group's bus: no stream is faster
/// than all of it together, and no message arrives before the bus has moved all that it was given by then.
///
/// Reduce is the same walk backwards in time, with a local reduction at the upper end of every edge.
/// Allreduce walks up and then down while both streams share the processors; links carry both directions at
/// once, and a rank's connection one vector per neighbour beyond it each way. All segments of a reduction
/// have the size of the topmost level's. With an exchange on the topmost level messages stay whole: up inside
/// its members, rounds among the local roots (core_rounds.cc), down again. Barrier: the same with one byte.
/// With a ring on the topmost level both streams begin and end at its members, whose connections carry
/// 2(k-1)/k vectors each way; a round takes 2(k-1) hops, and none of them less than a message without company
/// (ring.cc).
///
/// Two halves with trees of their own (AlgorithmInfo::halves): each is half as long and walks by itself, at
/// the pace that is left by both.
///
/// A group of a skipped level can be entered and left several times, and its connection is then shared on the
/// way in as well (merged.cc).
class TreeModel final : public CostModel {
public:
    TreeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
              const CollectiveTraits& traits, std::span<const topology::LevelKey> skipped,
              const Sample* sample = nullptr);

    void set_links(const LinkTable& links) override;

private:
    double predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) override;

    /// What all edges of one group have in common for the candidate at hand.
    struct Edges {
        const Shape* shape = nullptr;
        const std::vector<Meeting>* meetings = nullptr;  ///< of a merged group
        const Edges* by_level = nullptr;                 ///< where two of a merged group meet: by level
        double segment = 0;                              ///< bytes
        double tail = 0;                                 ///< bytes of the last segment
        bool whole = true;                               ///< one segment
        bool fits = true;                                ///< all segments are in flight at once
        double latency = 0;                              ///< us
        double overhead = 0;                             ///< us
        double copy_us_per_byte = 0;                     ///< that the processor spends at each end
        double load = 0;         ///< us per byte for which messages, all ways, keep either processor busy
        double handshake = 0;    ///< us
        double window_pace = 0;  ///< us per byte that the window of messages in flight allows
    };
    /// What has reached the top of the tree, and how fast more follows.
    struct Wave {
        double first = 0;    ///< when the first segment is here, us
        double last = 0;     ///< when everything is here
        double segment = 0;  ///< bytes per arriving segment
        double pace = 0;     ///< us per byte between the two
        double burst = 0;    ///< bytes, besides the last segment, that come at the end all at once
    };
    struct Ring;

    Edges edges_on(std::size_t level, std::size_t segment_bytes, const Window& window) const;
    const Edges* edges_by_level(std::size_t segment_bytes, const Window& window);
    void make_edges(std::span<const LevelPlan> plans, const Window& window, Half half);
    void add_loads(int group, const Edges& edges);
    void start(const Wave& wave);
    bool time_groups(double combine_us_per_byte);
    bool time_group(int group, const Edges& all, double combine_us_per_byte);
    void gather_waves(int group);
    Wave arrived() const;
    double tree_us(std::span<const LevelPlan> plans, const Window& window);
    double halves_us(std::span<const LevelPlan> plans, const Window& window);
    double alone_us(double all_us) const;
    double beside_other_half(const Meeting& met, int child) const;
    void add_crossers(int group, const Edges& edges);
    void add_port_loads(int group, const Edges& edges);
    double outward_pace(int rank, int group, double segment, double processor_load) const;
    /// Microseconds per byte of one stream on a group's connection to its parent. Where nobody told how long
    /// one message occupies it at least, that is as long as it does the processors, which count it anyway.
    double boundary_pace(int group, double segment) const {
        return std::max(group_us_per_byte_[group], group_told_gap_us_[group] / segment);
    }
    double inward_pace(int rank, int group, double segment) const;
    double pass_outward(int rank, int group, double start, double bytes);
    double pass_inward(int rank, int group, double start, double bytes);
    void move_on_buses(int from, int to, int group, double vectors);
    double bus_pace(int from, int to, int group) const;
    double pass_buses(int from, int to, int group, double start, double bytes);
    void add_merged_loads(int group, const Edges& edges);
    double rounds_us(const LevelPlan& plan);
    double rounds_by_place_us(const Rounds& rounds, bool halves) const;
    double trade_us(const Crossings& round, double bytes) const;
    template <typename Action>
    void each_hop(Action&& action) const;
    Ring ring_of(const LevelPlan& plan, const Window& window) const;
    void add_ring_loads(const LevelPlan& plan, const Window& window);
    Wave round_the_ring(const LevelPlan& plan, const Window& window, const Wave& local) const;
    /// No tree on the topmost level.
    bool top_apart() const { return exchange_ || ring_; }

    bool up_;
    bool down_;
    bool combines_;
    double combine_us_per_byte_;
    bool any_merged_;

    // One candidate's state, kept to spare allocations.
    struct RankState {
        Wave wave;
        double processor_load = 0;  ///< us per byte of the whole collective
        double served_load = 0;     ///< the part of it that has been looked at
        bool all_fit = true;        ///< what all children send fits into their windows
        double processor_free = 0;
        double nic_free = 0;
        double nic_uses = 0;  ///< vectors that leave through the rank's own NIC
        // Of halves: us per byte for which all that comes in, or goes out, keeps others out.
        double port_in = 0;
        double port_out = 0;
    };
    struct GroupState {
        double uses = 0;  ///< vectors that leave the group
        double free = 0;
        double moved = 0;      ///< vectors that its bus carries
        double bus_free = -1;  ///< of all that it has been given; -1: nothing yet
        // Of groups that a merged one (GroupView) holds:
        double entries = 0;  ///< vectors that come into the group
        double in_free = 0;
    };
    /// Of halves: ranks of a group that have children outside across a network, and such parents.
    struct Crossers {
        std::vector<int> to_children;
        std::vector<int> to_parents;
    };
    std::vector<Crossers> crossers_;
    std::vector<RankState> ranks_;
    std::vector<GroupState> boundaries_;
    struct GroupEdges {
        int group;
        Edges edges;
    };
    std::vector<GroupEdges> group_edges_;  ///< parents before their children
    /// What edges_on() depends on besides the level.
    struct EdgesKey {
        double bytes = 0;
        bool exchange = false;
        std::size_t segment_bytes = 0;
        Window window;
        bool operator==(const EdgesKey&) const = default;
    };
    std::vector<std::pair<EdgesKey, std::vector<Edges>>> edges_;  ///< by level, for the present links
    double bytes_ = 0;
    bool exchange_ = false;   ///< the topmost level exchanges
    bool ring_ = false;       ///< it is a ring
    bool halves_ = false;     ///< two trees carry one half each
    bool all_whole_ = false;  ///< no level cuts anything
    bool loaded_ = false;     ///< the state tells loads
};

}  // namespace strata::algorithms
