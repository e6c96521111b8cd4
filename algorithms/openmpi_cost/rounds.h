#pragma once
#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/openmpi_cost/flat.h"
#include "algorithms/openmpi_cost/message_schedule.h"

namespace strata::algorithms {

/// Estimates patterns of rounds in which all ranks exchange messages of one size at the same time (recursive
/// doubling, Bruck), for too many ranks to simulate each message. A round lasts until the last message has
/// passed the connection that most messages share. Ranks that waited there reach the next round later and do
/// not wait again, but no connection carries two rounds at once. Which messages cross which connection does
/// not depend on links, so it is counted once for all tables.
class FlatRounds {
public:
    explicit FlatRounds(const topology::Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

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

    /// Adds a round in which rank r sends `bytes` to partner(r) (-1: nothing) and combines `combined` of the
    /// received bytes. `name` identifies the round in its pattern: partner() is called once per name. Cost:
    /// O(ranks * depth) the first time, then O(depth).
    template <typename Partner>
    void add(Time& time, FlatModel& model, int name, std::size_t bytes, std::size_t combined,
             Partner&& partner) {
        const auto [entry, added] = rounds_.try_emplace(name);
        if (added) {
            std::vector<int> to(hierarchy_.stop.size());
            for (std::size_t rank = 0; rank < to.size(); ++rank) to[rank] = partner(static_cast<int>(rank));
            entry->second = count(to);
        }
        add(time, entry->second, model, bytes, combined);
    }

    /// Returns the message schedule of a call among all ranks, made once for all link tables.
    const MessageSchedule& schedule(const TunedCall& call);

private:
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

    Round count(const std::vector<int>& to) const;
    static void add(Time& time, const Round& round, FlatModel& model, std::size_t bytes,
                    std::size_t combined);

    const topology::Hierarchy& hierarchy_;
    std::map<int, Round> rounds_;
    std::deque<std::pair<TunedCall, MessageSchedule>> schedules_;
};

}  // namespace strata::algorithms
