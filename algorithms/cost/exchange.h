#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/cost/model.h"

namespace strata::algorithms {

/// Predicts exchange_blocks() over the composed tree: Allgather, where every edge carries the blocks behind
/// either end to the other one, and its halves Gather and Scatter. Blocks count as equally large.
///
/// Two bounds on the last byte of every stream. Bandwidth: a NIC or a group's connection is done when it has
/// worked off all streams through it, so that a shape pays for every time that it sends a block through the
/// same connection: the middle of a star sends everybody's blocks once per neighbour, the inner members of a
/// chain little more than once in all; likewise what moves on the bus of a group. Latency: a stream ends one
/// message after the last of the streams that feed it, and the messages that leave a rank at that moment
/// queue. No processor is done before it has worked off its messages. Messages are counted per stream: short
/// blocks share one. A ring's edges carry two streams, the group's own blocks, a message at least for every
/// participant, and those from outside. With an exchange on the topmost level all that is below its members
/// goes up, then rounds among these, each of which waits for its partner (exchange_rounds.cc), then
/// down; that messages which are cut flow from one round into the next is not counted.
class ExchangeModel final : public CostModel {
public:
    /// `sample`: of which the hierarchy is, where it was thinned out.
    ExchangeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                  const CollectiveTraits& traits, std::span<const topology::LevelKey> skipped,
                  const Sample* sample = nullptr);

private:
    double predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) override;

    /// One direction of an edge.
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
        int group = -1;          ///< in which both meet
        double us_per_byte = 0;  ///< of the narrowest connection on its way
        std::size_t segment_bytes = 0;
        double behind = 0;  ///< of a ring's edge: ranks that the sender, its `parent`, stands for
        // Of a tree's edge, as far as the collective has them:
        Stream up = {};    ///< the blocks of the child's subtree
        Stream down = {};  ///< the same blocks when the root hands them out, else all others
    };
    /// The edges of a group: from parents to children, parents before their children, or once round the ring,
    /// that of the participant who stands for the group first.
    struct GroupEdges {
        int group = 0;
        std::size_t first = 0;
        std::size_t count = 0;
        bool ring = false;
    };
    /// A ring's own blocks.
    struct RingLoad {
        double ranks = 0;
        double message = 0;   ///< bytes of the longest one
        double messages = 0;  ///< if every piece were sent
    };
    /// The latest of some times, with or without that of one rank.
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
    /// What has come in at one rank.
    class Arrivals {
    public:
        /// The stream from `from` has its last message here at `at`, which took the processor for `busy`, but
        /// none of its connections is done before `bound`.
        void add(int from, double at, double busy, double bound);
        /// When all is here, and last messages were taken in one after the other.
        double all() const;
        /// The same streams where connections carry nothing else.
        Arrivals without_bound() const {
            Arrivals own = *this;
            own.bound_ = {};
            return own;
        }
        /// The same without the stream from `from`, whose last message took the processor for `busy`.
        double without(int from, double busy) const;

    private:
        Latest latest_;
        Latest bound_;
        void queue() const;

        mutable std::vector<std::pair<double, double>> messages_;  ///< when each comes, and keeps us busy
        mutable bool queued_ = true;
        mutable double queue_ = 0;                 ///< when all last messages are taken in
        mutable double queue_without_latest_ = 0;  ///< the same but for that which comes last
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
    std::vector<double> stands_for_;    ///< by rank; empty: 1
    std::vector<HalvingPlace> places_;  ///< of the topmost group, once an exchange was asked for
    double all_ranks_;

    // One candidate's state, kept to spare allocations.
    struct Direction {
        double out = 0;  ///< us of work
        double in = 0;
    };
    struct RankState {
        double below = 1;           ///< ranks of its subtree
        double processor_load = 0;  ///< us of work
        Direction nic;
        double processor_free = 0;  ///< while the last messages to its children leave
        double wire_free = 0;
        Arrivals arrivals;
    };
    std::vector<Edge> edges_;  ///< group by group
    std::vector<GroupEdges> group_edges_;
    std::vector<RankState> ranks_;
    std::vector<Direction> boundaries_;
    std::vector<double> buses_;  ///< us of work
    double bytes_ = 0;
    bool exchange_ = false;  ///< the topmost level exchanges
    bool too_late_ = false;  ///< something arrives too late for a candidate that counts
};

}  // namespace strata::algorithms
