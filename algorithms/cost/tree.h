#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/cost/model.h"

namespace strata::algorithms {

/// Predicts collectives that carry one vector along every edge of the composed tree. A message occupies the
/// processors at its ends, the connections of groups on its way and their buses. The first segment waits for
/// earlier siblings, the others follow at the pace of the slowest resource (docs/design/cost-model.md).
/// Source: postal and LogP models (latency, overhead, gap), per level.
///
/// Cost of a Bcast of n bytes in segments of s:
///   sum over the path's edges of (alpha + s beta) + (n - s) slowest beta, alpha = latency + 2 overhead
/// Reduce is the same backwards in time with local reductions; Allreduce goes up, then down.
class TreeModel final : public CostModel {
public:
    TreeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
              const CollectiveTraits& traits, std::span<const topology::LevelKey> skipped,
              const ReducedMachine* reduced = nullptr);

    void set_links(const LinkTable& links) override;

private:
    double predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) override;

    /// The common values of all edges of one group, for one candidate.
    struct Edges {
        const Shape* shape = nullptr;
        const std::vector<Meeting>* meetings = nullptr;  ///< for merged groups
        const Edges* by_level = nullptr;                 ///< for merged groups, by the level of the meeting
        double segment = 0;                              ///< bytes
        double tail = 0;                                 ///< bytes of the last segment
        bool whole = true;                               ///< one segment
        bool far = false;             ///< of a merged group: ranks far from their NICs may take part
        bool in_order = false;        ///< a chain, which enters every node next to its NIC
        bool fits = true;             ///< all segments are in flight at once
        double latency = 0;           ///< us
        double overhead = 0;          ///< us
        double copy_us_per_byte = 0;  ///< processor time at each end
        double load = 0;              ///< us per byte of either processor for messages in all directions
        double handshake = 0;         ///< us
        double window_pace = 0;       ///< us per byte, from the window of messages in flight
    };
    /// Data that has reached the top of the tree, and its continuation.
    struct Wave {
        double first = 0;    ///< arrival of the first segment, us
        double last = 0;     ///< arrival of everything, us
        double segment = 0;  ///< bytes per arriving segment
        double pace = 0;     ///< us per byte between the two
        double burst = 0;    ///< bytes that arrive together at the end, beside the last segment
        /// Returns the time when so many bytes have arrived. A longer segment waits for several of these.
        double has_arrived(double bytes) const {
            if (bytes <= segment) return std::min(last, first);
            const double missing = (std::ceil(bytes / segment) - 1) * segment;
            return std::min(last, first + missing * pace);
        }
    };
    struct Ring;
    /// The path between a process and its node's NIC, if it is far from it, for data in one direction.
    struct FarPath {
        double us_per_byte = 0;
        double weight = 0;  ///< from 0, as wide as the NIC, to 1
    };
    static constexpr double fitted_share = 0.25;  ///< from here on paths count in full
    struct FarRank {
        int node = -1;  ///< its widest group inside the node; -1: near the NIC
        FarPath in;
        FarPath out;
    };
    /// Sender and receiver of a message.
    struct Ends {
        int from;
        int to;
    };

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
    double double_tree_us(std::span<const LevelPlan> plans, const Window& window);
    double alone_us(double all_us) const;
    double beside_other_tree(const Meeting& met, int child) const;
    void add_crossers(int group, const Edges& edges);
    void add_port_loads(int group, const Edges& edges);
    double outward_pace(int rank, int group, double segment, double processor_load) const;
    /// Returns us per byte of one stream on a group's connection to its parent. Without a given gap, a
    /// message occupies the connection as long as the processors, which count that anyway.
    double boundary_pace(int group, double segment) const {
        return std::max(group_us_per_byte_[group], group_given_gap_us_[group] / segment);
    }
    double inward_pace(int rank, int group, double segment) const;
    double pass_outward(int rank, int group, double start, double bytes);
    double pass_inward(int rank, int group, double start, double bytes);
    void move_on_buses(int from, int to, int group, double vectors);
    double bus_pace(int from, int to, int group) const;
    double pass_buses(int from, int to, int group, double start, double bytes);
    void add_merged_loads(int group, const Edges& edges);
    void set_far_links();
    static Ends far_ends(const Edges& edges, int parent, int child, bool upwards);
    void add_far_loads(Ends ends, int group);
    template <typename States, typename Action>
    void each_far(Ends ends, int group, States& nodes, Action&& action) const;
    double pass_far(Ends ends, int group, double start, double bytes);
    double far_us_per_byte(Ends ends, int group) const;
    double beside_far_paths(Ends ends, int group, double pace) const;
    double rounds_us(const LevelPlan& plan);
    double rounds_by_place_us(const Rounds& rounds, bool reduce_scatter) const;
    double trade_us(const Crossings& round, double bytes) const;
    template <typename Action>
    void each_hop(Action&& action) const;
    Ring ring_of(const LevelPlan& plan, const Window& window) const;
    void add_ring_loads(const LevelPlan& plan, const Window& window);
    Wave round_the_ring(const LevelPlan& plan, const Window& window, const Wave& local) const;
    /// Returns true if the topmost level has no tree.
    bool top_apart() const { return exchange_ || ring_; }

    bool up_;
    bool down_;
    bool combines_;
    bool any_merged_;
    std::vector<FarRank> far_;  ///< empty: all are near

    // State of one candidate, kept to avoid allocations.
    struct RankState {
        Wave wave;
        double processor_load = 0;  ///< us per byte of the whole collective
        double served_load = 0;     ///< part of it that has been visited
        bool all_fit = true;        ///< all data of all children fits into their windows
        double processor_free = 0;
        double nic_free = 0;
        double nic_uses = 0;  ///< vectors that leave through the rank's own NIC
        // Of a double tree: us per byte for which incoming or outgoing data blocks the port.
        double port_in = 0;
        double port_out = 0;
    };
    struct FarState {
        double vectors = 0;  ///< that share the path
        double free = 0;
    };
    struct GroupState {
        double uses = 0;  ///< vectors that leave the group
        double free = 0;
        double moved = 0;      ///< vectors on its bus
        double bus_free = -1;  ///< when it has moved all given data; -1: none yet
        // Of groups in a merged group (GroupView):
        double entries = 0;  ///< vectors that enter the group
        double in_free = 0;
        FarState far_in;  ///< of a node: from the NIC to ranks far from it
        FarState far_out;
    };
    /// Of a double tree: ranks of a group with children outside it across a network, and ranks with such a
    /// parent.
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
    /// Arguments of edges_on() besides the level.
    struct EdgesKey {
        double bytes = 0;
        bool exchange = false;
        std::size_t segment_bytes = 0;
        Window window;
        bool operator==(const EdgesKey&) const = default;
    };
    std::vector<std::pair<EdgesKey, std::vector<Edges>>> edges_;  ///< by level, for the present links
    double bytes_ = 0;
    bool exchange_ = false;     ///< the topmost level is an exchange
    bool ring_ = false;         ///< the topmost level is a ring
    bool double_tree_ = false;  ///< a double tree
    bool upwards_ = false;      ///< data flows towards the root
    bool all_whole_ = false;    ///< no level uses segments
    bool loaded_ = false;       ///< `ranks_` and `boundaries_` contain loads
};

}  // namespace strata::algorithms
