// The ring of allreduce_ring(): the part of TreeModel that has no tree.
#include <algorithm>
#include <cmath>

#include "cost_links.h"
#include "cost_tree.h"

namespace strata::algorithms {
namespace {

constexpr double rounding = 1e-9;  // of quotients that should be whole

}  // namespace

/// How the vector goes round.
struct TreeModel::Ring {
    double members = 0;
    double vectors = 0;      ///< that each member sends, as many as it receives
    double piece = 0;        ///< bytes of a full one
    double round = 0;        ///< bytes of a full one
    double rounds = 0;       ///< the last one may be shorter
    double hop = 0;          ///< us from the start of a message without bytes until the next one can start
    double us_per_byte = 0;  ///< of one message on its hop, folded
    double pace = 0;         ///< us per byte that a member sends, at least
    double last() const { return bytes - (rounds - 1) * round; }
    double bytes = 0;

    double pieces(double part) const { return std::ceil(part / (members * piece) - rounding); }
    /// One round of `part` bytes. A step is done when its pieces have left and the first of them could go on.
    double round_us(double part) const {
        const double size = part / (members * pieces(part));
        const double message = hop + size * us_per_byte;
        const double step = std::max(message, pieces(part) * size * pace);
        return (2 * members - 3) * step + (pieces(part) - 1) * size * pace + message;
    }
};

TreeModel::Ring TreeModel::ring_of(const LevelPlan& plan, const Window& window) const {
    const GroupView& top = groups_.front();
    const LinkParameters& link = links_[top.level];
    const auto segment = static_cast<double>(plan.segment_bytes);
    const double copy = 2 * copy_us_per_byte(top.level);
    Ring ring;
    ring.bytes = bytes_;
    ring.members = static_cast<double>(top.participants.size());
    ring.vectors = 2 * (ring.members - 1) / ring.members;
    ring.piece = segment == 0 || segment * ring.members > bytes_ ? bytes_ / ring.members : segment;
    ring.round =
        std::min(bytes_, ring.members * window.of(network_[top.level], plan.segment_bytes) * ring.piece);
    ring.rounds = std::ceil(bytes_ / ring.round - rounding);
    ring.hop =
        2 * link.overhead_us + link.latency_us + handshake_us(link, static_cast<std::size_t>(ring.piece));
    const Participant* before = &top.participants.back();
    for (const Participant& member : top.participants) {
        ring.us_per_byte = std::max(ring.us_per_byte, member.us_per_byte);
        const double shared = bus_pace(before->rank, member.rank, 0);
        ring.pace = std::max(ring.pace, std::max(outward_pace(member.rank, 0), shared) / ring.vectors);
        before = &member;
    }
    ring.pace = std::max(ring.pace, ring.us_per_byte);
    ring.us_per_byte += copy + fold_us_per_byte_;
    return ring;
}

void TreeModel::add_ring_loads(const LevelPlan& plan, const Window& window) {
    const GroupView& top = groups_.front();
    const LinkParameters& link = links_[top.level];
    const Ring ring = ring_of(plan, window);
    const double copy = copy_us_per_byte(top.level);
    const double each_end = link.overhead_us / ring.piece + copy;
    const Participant* before = &top.participants.back();
    for (const Participant& member : top.participants) {
        move_on_buses(before->rank, member.rank, 0, ring.vectors);
        before = &member;
        RankState& state = ranks_[member.rank];
        state.processor_load += ring.vectors * (2 * each_end + fold_us_per_byte_ / 2);
        state.card_uses += ring.vectors;
        each_boundary(member.rank, 0, [&](int c) { boundaries_[c].uses += ring.vectors; });
    }
}

/// What the members have of the result, when `local` is what the trees have brought them.
TreeModel::Wave TreeModel::round_the_ring(const LevelPlan& plan, const Window& window,
                                          const Wave& local) const {
    const Ring ring = ring_of(plan, window);
    Wave wave;
    // Rounds follow each other without a gap, but none is shorter than its steps.
    wave.pace = std::max({local.pace, ring.vectors * ring.pace, ring.round_us(ring.round) / ring.round});
    const double begin = std::min(local.last, local.first + (ring.round - ring.piece) * local.pace);
    const double first_round = begin + ring.round_us(ring.round);
    wave.last =
        std::max(first_round + (bytes_ - ring.round) * wave.pace, local.last + ring.round_us(ring.last()));
    // The first round comes as a whole: as if it had come at the pace of the others.
    wave.first = std::max(local.first, first_round - (ring.round - ring.piece) * wave.pace);
    wave.segment = ring.piece;
    wave.burst = ring.last() - std::min(ring.last(), ring.piece);
    return wave;
}

}  // namespace strata::algorithms
