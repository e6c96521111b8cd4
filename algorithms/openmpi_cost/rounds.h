#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "algorithms/openmpi_cost/flat.h"
#include "algorithms/openmpi_cost/message_schedule.h"

namespace strata::algorithms {

/// Counts, per round of a flat pattern, the messages on the busiest connections and buses, and keeps the
/// counts: they depend on the hierarchy only, so all link tables and plans share them. Thread-safe.
class RoundCounts {
public:
    explicit RoundCounts(const topology::Hierarchy& hierarchy) : hierarchy_(hierarchy) {}
    RoundCounts(const RoundCounts&) = delete;
    RoundCounts& operator=(const RoundCounts&) = delete;

    enum class Where { level, out, in, bus };
    /// A message and the messages that share a resource with it.
    struct Shared {
        int from;
        int to;
        Where where;  ///< ends meet on the same level, or both pass the connection or bus of a group
        int group;    ///< the group; -1: a level
        int messages;
        int works;  ///< messages on its receiver's processor: this one, and one of the receiver's own
    };
    using Round = std::vector<Shared>;
    /// Patterns of rounds; in `other` ones the rounds have names of their own.
    enum class Pattern { allreduce_doubling, allreduce_halving, allgather_doubling, allgather_bruck, other };
    /// A pattern, and the round in it.
    using Name = std::pair<Pattern, int>;

    /// Returns the round in which rank r sends to partner(r) (-1: nothing), counted once per name. Throws
    /// std::bad_alloc without a change. Cost: O(ranks * depth) the first time.
    template <typename Partner>
    const Round& at(Name name, Partner&& partner) {
        if (const Round* const known = find(name)) return *known;
        std::vector<int> to(hierarchy_.stop.size());
        for (std::size_t rank = 0; rank < to.size(); ++rank) to[rank] = partner(static_cast<int>(rank));
        return add(name, count(to));
    }

    /// Returns heap bytes.
    std::size_t memory() const { return bytes_; }

private:
    const Round* find(Name name) const;
    const Round& add(Name name, Round round);
    Round count(const std::vector<int>& to) const;

    const topology::Hierarchy& hierarchy_;
    mutable std::mutex mutex_;
    std::map<Name, Round> rounds_;
    std::atomic<std::size_t> bytes_{0};
};

/// Estimates patterns of rounds in which all ranks exchange messages of one size at the same time (recursive
/// doubling, Bruck), for too many ranks to simulate each message. A round lasts until the last message has
/// passed the connection that most messages share. Ranks that waited there reach the next round later and do
/// not wait again, but no connection carries two rounds at once.
class FlatRounds {
public:
    /// `known`: the rounds that earlier plans have counted, of the same hierarchy. `trees_by_round`:
    /// by_round_us() for more than most_ranks_in_order ranks.
    explicit FlatRounds(const topology::Hierarchy& hierarchy, RoundCounts* known = nullptr,
                        bool trees_by_round = false)
        : hierarchy_(hierarchy),
          own_(hierarchy),
          counts_(known != nullptr ? *known : own_),
          by_round_(trees_by_round) {}
    FlatRounds(const FlatRounds&) = delete;
    FlatRounds& operator=(const FlatRounds&) = delete;

    /// Up to this number of ranks trees are simulated message by message.
    static constexpr int most_ranks_in_order = 256;
    bool trees_by_round() const { return by_round_ && hierarchy_.ranks() > most_ranks_in_order; }

    /// The time of consecutive rounds, us.
    class Time {
    public:
        /// `at_nics`: the part of `queue` at connections between nodes.
        void add(double hop, double queue, double at_nics) {
            hops_ += hop;
            at_nics_ += at_nics;
            queues_ += queue;
            longest_hop_ = std::max(longest_hop_, hop);
            longest_queue_ = std::max(longest_queue_, queue);
        }
        double us() const { return std::max(hops_ + longest_queue_, queues_ + longest_hop_); }
        /// The same if a round's messages through one NIC all arrive with the last one.
        double shared_us() const { return hops_ + at_nics_; }

    private:
        double hops_ = 0;
        double queues_ = 0;
        double at_nics_ = 0;
        double longest_hop_ = 0;
        double longest_queue_ = 0;
    };

    /// Adds a round (RoundCounts::at()) of messages of `bytes`, whose receivers combine `combined` of them.
    /// Cost: O(depth), after the first time.
    template <typename Partner>
    void add(Time& time, FlatModel& model, RoundCounts::Name name, std::size_t bytes, std::size_t combined,
             Partner&& partner) {
        add(time, counts_.at(name, partner), model, bytes, combined);
    }

    /// Returns the message schedule of a call among all ranks, made once for all link tables.
    const MessageSchedule& schedule(const TunedCall& call);

private:
    static void add(Time& time, const RoundCounts::Round& round, FlatModel& model, std::size_t bytes,
                    std::size_t combined);

    const topology::Hierarchy& hierarchy_;
    RoundCounts own_;
    RoundCounts& counts_;
    bool by_round_;
    std::deque<std::pair<TunedCall, MessageSchedule>> schedules_;
};

}  // namespace strata::algorithms
