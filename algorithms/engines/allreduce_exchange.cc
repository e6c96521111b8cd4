#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

/// The partners of recursive doubling in the core. If the number of members is no power of two, the first
/// ones form pairs, which keeps the order of the positions; the upper member of a pair takes part in the
/// rounds for both.
class DoublingPartners {
public:
    explicit DoublingPartners(const ExchangeLinks& links)
        : core_(links.core),
          position_(links.position),
          paired_(static_cast<int>(2 * (core_.size() - std::bit_floor(core_.size())))),
          places_(static_cast<int>(core_.size()) - paired_ / 2),
          place_(position_ < paired_ ? position_ / 2 : position_ - paired_ / 2) {}

    /// Returns the other member of the pair; -1: none.
    int pair() const { return is_paired() ? core_[static_cast<std::size_t>(position_ ^ 1)] : -1; }
    /// Returns true for the member of a pair that takes no part in the rounds.
    bool is_lower() const { return is_paired() && position_ % 2 == 0; }
    int places() const { return places_; }
    /// Returns the rank to exchange with in the round of this distance.
    int peer(int distance) const {
        const int place = place_ ^ distance;
        const int position = place < paired_ / 2 ? 2 * place + 1 : place + paired_ / 2;
        return core_[static_cast<std::size_t>(position)];
    }
    /// Returns true if that rank's partial result is the left operand.
    bool peer_is_left(int distance) const { return (place_ ^ distance) < place_; }

private:
    bool is_paired() const { return position_ >= 0 && position_ < paired_; }

    std::span<const int> core_;  ///< empty outside the core
    int position_;
    int paired_;
    int places_;
    int place_;
};

/// The vector reduced so far, and memory to receive another one. The two swap roles.
struct Vectors {
    std::byte* mine;
    std::byte* other;
    std::size_t bytes;

    int combine(Reduction& reduction, bool other_is_left) {
        if (!other_is_left) std::swap(mine, other);
        return bytes == 0 ? 0 : reduction.combine(other, mine, bytes);
    }
    void move_to(std::byte* result) {
        if (mine != result && bytes > 0) std::memcpy(result, mine, bytes);
        mine = result;
    }
};

/// Goes up the trees below the core, through the core, and down again. After each round of recursive
/// doubling a member of the core has the reduction over an aligned block of twice as many places:
///
///   distance 1:  0-1 2-3 4-5 6-7     2:  0-2 1-3 4-6 5-7     4:  0-4 1-5 2-6 3-7
Task exchange(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers, Reduction& reduction,
              Arena& arena) {
    const std::size_t bytes = buffers.own.bytes();
    std::byte* const result = buffers.result->data();
    const DoublingPartners partners(links);
    const int parent = links.below.parent.peer;
    const int above =
        partners.is_lower() ? partners.pair() : parent;  // the rank that reduces for this one, too
    WholeCombine up(transport, links.below, buffers.own, result, reduction, arena);
    PassDown down(transport, links.below, *buffers.result, arena);
    const bool two_at_once = above < 0 && links.core.size() > 1 && bytes > 0;
    std::byte* const spare = two_at_once && !up.in_arena() ? arena.take(bytes) : nullptr;
    Vectors vectors{up.outcome(), nullptr, bytes};
    int code = co_await up;
    if (code == 0 && above >= 0) {
        code = co_await Sent(transport, vectors.mine, bytes, above);
        if (code == 0 && parent < 0) code = co_await Received(transport, result, bytes, above);
    } else if (code == 0) {
        if (vectors.mine == buffers.own.data()) vectors.move_to(result);
        vectors.other = vectors.mine == result ? spare : result;
        if (partners.pair() >= 0) {
            code = co_await Received(transport, vectors.other, bytes, partners.pair());
            if (code == 0) code = vectors.combine(reduction, true);
        }
        if (code == 0 && partners.places() > 1) code = transport.begin(1);
        for (int distance = 1; distance < partners.places() && code == 0; distance *= 2) {
            const int peer = partners.peer(distance);
            code = co_await Exchanged(transport, peer, {vectors.mine, bytes}, {vectors.other, bytes});
            if (code == 0) code = vectors.combine(reduction, partners.peer_is_left(distance));
        }
        if (code == 0 && partners.pair() >= 0) {
            code = co_await Sent(transport, vectors.mine, bytes, partners.pair());
        }
        if (code == 0) vectors.move_to(result);
    }
    if (code == 0) code = co_await down;
    co_return code;
}

/// The reduction of a barrier, whose messages are empty.
class NoReduction final : public Reduction {
public:
    NoReduction() : Reduction(1) {}
    int combine(const std::byte*, std::byte*, std::size_t) override { return 0; }
};

}  // namespace

Task allreduce_exchange(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                        Reduction& reduction, Arena& arena) {
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    return exchange(transport, links, buffers, reduction, arena);
}

Task barrier_exchange(Transport& transport, const ExchangeLinks& links, Arena& arena) {
    static PackedBuffer nothing(nullptr, 0);
    static NoReduction none;
    return exchange(transport, links, {nothing, &nothing}, none, arena);
}

}  // namespace strata::algorithms
