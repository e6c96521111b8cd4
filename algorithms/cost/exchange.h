#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/cost/model.h"

namespace strata::algorithms {

/// Predicts exchange_blocks() over the composed tree: Allgather, Gather and Scatter with equally long blocks.
/// The last byte of each stream is bounded by the bandwidth of every connection and bus on its way, and by
/// the latency of the streams that feed it (docs/design/cost-model.md).
class ExchangeModel final : public CostModel {
public:
    /// `reduced`: the reduced machine whose hierarchy this is, if any.
    ExchangeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                  const CollectiveTraits& traits, std::span<const topology::LevelKey> skipped,
                  const ReducedMachine* reduced = nullptr);

private:
    double predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) override;

    /// The data of one direction of an edge.
    struct Stream {
        int from = -1;
        int to = -1;
        double bytes = 0;
        double message = 0;   ///< bytes of one message
        double messages = 0;  ///< their number
    };
    struct Edge {
        int parent = -1;
        int child = -1;
        int group = -1;          ///< where both ends meet
        double us_per_byte = 0;  ///< of the narrowest connection between the ends
        std::size_t segment_bytes = 0;
        double behind = 0;  ///< of a ring's edge: ranks represented by `parent`, the sender
        // Of a tree's edge, if the collective has this direction:
        Stream up = {};    ///< the blocks of the child's subtree
        Stream down = {};  ///< the same blocks for a Scatter, else all others
    };
    /// The edges of a group. Tree: from parents to children, parents before their children. Ring: in order,
    /// the edge of the group's local root first.
    struct GroupEdges {
        int group = 0;
        std::size_t first = 0;
        std::size_t count = 0;
        bool ring = false;
    };
    /// The blocks of a ring's own members.
    struct RingLoad {
        double ranks = 0;
        double message = 0;   ///< bytes of the longest message
        double messages = 0;  ///< in all, if each piece were sent
    };
    /// The maximum of some times, with or without the time of one rank.
    class Latest {
    public:
        void add(int from, double at);
        double all() const { return first_; }
        double without(int from) const { return from == from_ ? second_ : first_; }

    private:
        double first_ = 0;
        double second_ = 0;
        int from_ = -1;
    };
    /// The streams that have arrived at one rank.
    class Arrivals {
    public:
        /// Adds a stream: its last message arrives at `at` and keeps the processor busy for `busy`; its
        /// connections are not done before `bound`.
        void add(int from, double at, double busy, double bound);
        /// Returns the time when all has arrived and the last messages were received one after the other.
        double all() const;
        /// Takes over another rank's streams without the load of connections.
        void take_messages(const Arrivals& other) {
            *this = other;
            bound_ = {};
        }
        /// Starts over, and keeps the memory.
        void clear() {
            messages_.clear();
            latest_ = bound_ = {};
            queued_ = true;
            queue_ = queue_without_latest_ = 0;
        }
        /// Returns all() without the stream from `from`, whose last message takes the processor `busy`.
        double without(int from, double busy) const;

    private:
        Latest latest_;
        Latest bound_;
        void queue() const;

        mutable std::vector<std::pair<double, double>> messages_;  ///< arrival, processor time
        mutable bool queued_ = true;
        mutable double queue_ = 0;                 ///< when all last messages are received
        mutable double queue_without_latest_ = 0;  ///< the same without the latest message
    };

    void make_edges(std::span<const LevelPlan> plans);
    void count_ranks();
    std::span<Edge> edges_of(const GroupEdges& group) {
        return std::span(edges_).subspan(group.first, group.count);
    }
    void make_streams();
    Stream cut(Stream stream, std::size_t segment_bytes) const;
    const LinkParameters& link_of(const Edge& edge) const { return links_[groups_[edge.group].level]; }
    double copy_us(const Edge& edge, double bytes) const;
    double message_busy_us(const Edge& edge, const Stream& stream) const;
    void add_loads(const Edge& edge, const Stream& stream);
    double acknowledged_us(std::size_t level, const Stream& stream, std::size_t segment_bytes,
                           const Window& window) const;
    double bandwidth_bound(const Edge& edge, const Stream& stream, const Window& window) const;
    double queued_start(const Edge& edge, const Stream& stream, double ready);
    void arrive(const Edge& edge, const Stream& stream, double start, const Window& window);
    double piece_messages(const Edge& edge, double ranks) const;
    RingLoad ring_load(std::span<const Edge> ring) const;
    Stream inner(std::span<const Edge> ring, const RingLoad& load, std::size_t place) const;
    Stream outer(const Edge& edge, const RingLoad& load) const;
    void add_ring_loads(std::span<const Edge> ring);
    void go_round(std::span<const Edge> ring, const Window& window);
    double round_us(const Crossings& crossings, double bytes, double others, const LevelPlan& plan,
                    const Window& window) const;
    double own_us(const Rounds& rounds, std::size_t round, const Crossings& together, std::size_t place,
                  double bytes, double mean, const LevelPlan& plan, const Window& window) const;
    void exchange(const LevelPlan& plan, const Window& window);
    void spread_up(int group);
    void gather_down(int group);
    void hand_on(std::span<const Edge> ring, const Window& window);

    bool up_;
    bool down_;
    std::vector<double> represented_;   ///< represented ranks, by rank; empty: 1
    std::vector<HalvingPlace> places_;  ///< of the topmost group, for an exchange
    double all_ranks_;

    // State of one candidate, kept to avoid allocations.
    struct Direction {
        double out = 0;  ///< us of work
        double in = 0;
    };
    struct RankState {
        double below = 1;           ///< ranks in its subtree
        double processor_load = 0;  ///< us of work
        Direction nic;
        double processor_free = 0;  ///< after the last messages to its children
        double wire_free = 0;
    };
    std::vector<Edge> edges_;  ///< group by group
    std::vector<GroupEdges> group_edges_;
    std::vector<RankState> ranks_;
    std::vector<Arrivals> arrivals_;  ///< by rank
    std::vector<Direction> boundaries_;
    std::vector<double> buses_;  ///< us of work
    double bytes_ = 0;
    bool exchange_ = false;  ///< the topmost level is an exchange
    bool too_late_ = false;  ///< a stream arrives too late for a useful candidate
};

}  // namespace strata::algorithms
