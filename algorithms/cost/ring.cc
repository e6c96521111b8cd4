// The ring of allreduce_ring(): the part of TreeModel without a tree.
#include <algorithm>
#include <cmath>

#include "algorithms/cost/links.h"
#include "algorithms/cost/tree.h"

namespace strata::algorithms {
namespace {

constexpr double rounding = 1e-9;  // of quotients that should be integers

}  // namespace

/// How the vector travels: `rounds` rounds of reduce-scatter + allgather over k = `members` ranks.
/// Cost: 2 (k - 1) (alpha + piece * beta) per round; later pieces follow at `pace`.
struct TreeModel::Ring {
    double members = 0;
    double vectors = 0;  ///< sent and received by each member
    double piece = 0;    ///< bytes of a full piece
    double round = 0;    ///< bytes of a full round
    double rounds = 0;   ///< the last one may be shorter
    // Mean over the hops: a piece passes all of them, and others use them meanwhile.
    double hop = 0;          ///< us from the start of an empty message until the next one can start
    double us_per_byte = 0;  ///< of one message on its hop
    double combine = 0;      ///< us per byte in the first half of the steps
    double pace = 0;         ///< least us per byte that a member sends
    double last() const { return bytes - (rounds - 1) * round; }
    double bytes = 0;

    double pieces(double part) const { return std::ceil(part / (members * piece) - rounding); }
    /// Returns the time of a round of `part` bytes. A step ends when its pieces have left and the first of
    /// them could go on.
    double round_us(double part) const {
        const double size = part / (members * pieces(part));
        const double message = hop + size * us_per_byte;
        const auto step = [&](double us) { return std::max(us, pieces(part) * size * pace); };
        return (members - 1) * step(message + size * combine) + (members - 2) * step(message) +
               (pieces(part) - 1) * size * pace + message;
    }
};

/// Calls action(from, to, meeting) for each hop of the ring.
template <typename Action>
void TreeModel::each_hop(Action&& action) const {
    const auto& members = groups_.front().participants;
    const Participant* from = &members.back();
    for (const Participant& to : members) {
        action(*from, to, meeting(0, *from, to));
        from = &to;
    }
}

TreeModel::Ring TreeModel::ring_of(const LevelPlan& plan, const Window& window) const {
    const GroupView& top = groups_.front();
    const auto segment = static_cast<double>(plan.segment_bytes);
    Ring ring;
    ring.bytes = bytes_;
    ring.members = static_cast<double>(top.participants.size());
    ring.vectors = 2 * (ring.members - 1) / ring.members;
    ring.piece = segment == 0 || segment * ring.members > bytes_ ? bytes_ / ring.members : segment;
    ring.round =
        std::min(bytes_, ring.members * window.of(network_[top.level], plan.segment_bytes) * ring.piece);
    ring.rounds = std::ceil(bytes_ / ring.round - rounding);
    const auto piece = static_cast<std::size_t>(ring.piece);
    each_hop([&](const Participant& from, const Participant& to, const Meeting& met) {
        const std::size_t level = groups_[met.group].level;
        const LinkParameters& link = links_[level];
        const double moved =
            std::max(outward_pace(from.rank, met.group, ring.piece, ranks_[from.rank].processor_load),
                     bus_pace(from.rank, to.rank, met.group));
        ring.pace = std::max({ring.pace, moved / ring.vectors, met.us_per_byte});
        ring.hop += (2 * link.overhead_us + link.latency_us + handshake_us(link, piece)) / ring.members;
        ring.us_per_byte += (met.us_per_byte + 2 * copy_us_per_byte(level)) / ring.members;
    });
    ring.combine = combine_us_per_byte_;
    return ring;
}

void TreeModel::add_ring_loads(const LevelPlan& plan, const Window& window) {
    const Ring ring = ring_of(plan, window);
    each_hop([&](const Participant& from, const Participant& to, const Meeting& met) {
        const std::size_t level = groups_[met.group].level;
        const double each_end = links_[level].overhead_us / ring.piece + copy_us_per_byte(level);
        move_on_buses(from.rank, to.rank, met.group, ring.vectors);
        ranks_[from.rank].processor_load += ring.vectors * each_end;
        ranks_[to.rank].processor_load += ring.vectors * (each_end + combine_us_per_byte_ / 2);
        ranks_[from.rank].nic_uses += ring.vectors;
        each_boundary(from.rank, met.group, [&](int c) { boundaries_[c].uses += ring.vectors; });
    });
}

/// Returns the result at the members; `local`: what their trees have delivered.
TreeModel::Wave TreeModel::round_the_ring(const LevelPlan& plan, const Window& window,
                                          const Wave& local) const {
    const Ring ring = ring_of(plan, window);
    Wave wave;
    // Rounds follow without a gap, but none is shorter than its steps.
    wave.pace = std::max({local.pace, ring.vectors * ring.pace, ring.round_us(ring.round) / ring.round});
    const double begin = std::min(local.last, local.first + (ring.round - ring.piece) * local.pace);
    const double first_round = begin + ring.round_us(ring.round);
    wave.last =
        std::max(first_round + (bytes_ - ring.round) * wave.pace, local.last + ring.round_us(ring.last()));
    // The first round arrives as a whole; it counts as if it had come at the pace of the others.
    wave.first = std::max(local.first, first_round - (ring.round - ring.piece) * wave.pace);
    wave.segment = ring.piece;
    wave.burst = ring.last() - std::min(ring.last(), ring.piece);
    return wave;
}

}  // namespace strata::algorithms
