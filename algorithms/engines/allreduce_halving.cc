#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

/// The part of one place, on whole vectors. Of 8 places two share each part and exchange it whole in the
/// last round: halves of it, there and back, would be as many bytes in twice the time.
///
///   round 0, bit 0 of the place:  [0 1|2 3]    the place keeps the left half if the bit is 0
///   round 1, bit 1:               [0|1|2|3]
///   round 2, bit 2:               whole parts, in both directions
///   round 1, round 0 again:       back
class CoreHalving {
public:
    /// Takes all its memory from `arena`.
    CoreHalving(Transport& transport, const ExchangeLinks& links, std::size_t bytes, Reduction& reduction,
                Arena& arena)
        : transport_(transport),
          links_(links),
          rounds_(std::bit_width(links.core.size()) - 1),
          bytes_(bytes),
          reduction_(reduction) {
        const bool whole = links.partner >= 0 || rounds_ == 1;
        const std::size_t most = whole ? bytes : rounds_ == 0 ? 0 : kept(links.position, 1).bytes();
        aside_ = most == 0 ? nullptr : arena.take(most);
    }

    /// Reduces `own` with the vectors of the other places into `result`, which may be the same memory;
    /// otherwise `own` is only read.
    static Task run(CoreHalving& self, const std::byte* own, std::byte* result, Arena& /*arena*/) {
        const std::byte* mine = own;
        int code = 0;
        if (self.links_.partner >= 0) {
            // The partner's vector.
            std::byte* const here = mine != result ? result : self.aside_;
            code = co_await Received(self.transport_, here, self.bytes_, self.links_.partner);
            if (code == 0) code = self.reduction_.combine(mine != result ? mine : here, result, self.bytes_);
            mine = result;
        }
        if (code == 0 && self.rounds_ > 0) code = self.transport_.begin(1);
        int round = 0;
        for (; round + 1 < self.rounds_ && code == 0; ++round) {
            const Step step = self.halving(round, mine, result);
            code = co_await Exchanged(self.transport_, step.peer, step.out, step.in);
            if (code == 0) code = self.combine_half(round, mine, result);
            mine = result;
        }
        if (code == 0 && self.rounds_ > 0) {
            const Step step = self.last_part(mine, result);
            code = co_await Exchanged(self.transport_, step.peer, step.out, step.in);
            if (code == 0) code = self.combine_last(mine, result, step.in.data);
        }
        while (round > 0 && code == 0) {
            const Step step = self.back(--round, result);
            code = co_await Exchanged(self.transport_, step.peer, step.out, step.in);
        }
        if (code == 0 && self.rounds_ == 0 && mine != result) std::memcpy(result, mine, self.bytes_);
        co_return code;
    }

private:
    /// A byte range of the vector.
    struct Range {
        std::size_t begin;
        std::size_t end;
        std::size_t bytes() const { return end - begin; }
    };

    /// Returns the range that `place` reduces after `halvings` rounds, in whole elements.
    Range kept(int place, int halvings) const {
        const std::size_t all = links_.core.size() / 2;
        const std::size_t elements = bytes_ / reduction_.element_bytes();
        std::size_t first = 0;
        std::size_t parts = all;
        for (int round = 0; round < halvings; ++round) {
            parts /= 2;
            first += (place >> round & 1) != 0 ? parts : 0;
        }
        const auto at = [&](std::size_t part) { return elements * part / all * reduction_.element_bytes(); };
        return {at(first), at(first + parts)};
    }

    /// One exchange with a partner. Empty parts are not sent.
    struct Step {
        int peer;
        Exchanged::Out out;
        Exchanged::In in;
    };
    Step step(int place, const std::byte* out, std::size_t out_bytes, std::byte* in,
              std::size_t in_bytes) const {
        return {links_.core[static_cast<std::size_t>(place)],
                {out, out_bytes, out_bytes > 0},
                {in, in_bytes, in_bytes > 0}};
    }

    /// Sends one half to the partner and receives the other half.
    Step halving(int round, const std::byte* mine, std::byte* result) const {
        const int partner = links_.position ^ 1 << round;
        const Range own = kept(links_.position, round + 1);
        const Range given = kept(partner, round + 1);
        std::byte* const here = mine != result ? result + own.begin : aside_;
        return step(partner, mine + given.begin, given.bytes(), here, own.bytes());
    }
    int combine_half(int round, const std::byte* mine, std::byte* result) {
        const Range own = kept(links_.position, round + 1);
        if (own.bytes() == 0) return 0;
        const std::byte* const left = mine != result ? mine + own.begin : aside_;
        return reduction_.combine(left, result + own.begin, own.bytes());
    }

    /// Both partners of the last round reduce the same part. The lower place's operand is the left one, so
    /// that both get the same bits.
    Step last_part(const std::byte* mine, std::byte* result) const {
        const int partner = links_.position ^ 1 << (rounds_ - 1);
        const Range part = kept(links_.position, rounds_ - 1);
        const bool left = links_.position < partner;
        std::byte* const here = left && mine != result ? result + part.begin : aside_;
        return step(partner, mine + part.begin, part.bytes(), here, part.bytes());
    }
    int combine_last(const std::byte* mine, std::byte* result, std::byte* here) {
        const Range part = kept(links_.position, rounds_ - 1);
        if (part.bytes() == 0) return 0;
        const std::byte* const own = mine + part.begin;
        std::byte* const target = result + part.begin;
        const bool left = (links_.position >> (rounds_ - 1) & 1) == 0;
        const int code = left ? reduction_.combine(own, here, part.bytes()) : 0;
        const std::byte* const last = left ? here : own;
        if (code == 0 && last != target) std::memcpy(target, last, part.bytes());
        return code != 0 || left ? code : reduction_.combine(here, target, part.bytes());
    }

    /// Exchanges final ranges with the partner of the halving round `round`.
    Step back(int round, std::byte* result) const {
        const int partner = links_.position ^ 1 << round;
        const Range own = kept(links_.position, round + 1);
        const Range other = kept(partner, round + 1);
        return step(partner, result + own.begin, own.bytes(), result + other.begin, other.bytes());
    }

    Transport& transport_;
    const ExchangeLinks& links_;
    int rounds_;
    std::size_t bytes_;
    Reduction& reduction_;
    std::byte* aside_ = nullptr;  ///< memory of the operands that are combined into the result
};

Task halving(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers, Reduction& reduction,
             Arena& arena) {
    const std::size_t bytes = buffers.own.bytes();
    std::byte* const result = buffers.result->data();
    WholeCombine up(transport, links.below, buffers.own, result, reduction, arena);
    PassDown down(transport, links.below, *buffers.result, arena);
    std::optional<CoreHalving> core;
    if (links.position >= 0) {
        core.emplace(transport, links, bytes, reduction, arena);
    }
    const std::byte* mine = up.outcome();
    Task meet = core ? CoreHalving::run(*core, mine, result, arena) : Task(0);
    int code = co_await up;
    if (code == 0 && links.below.parent.peer >= 0) {
        code = co_await Sent(transport, mine, bytes, links.below.parent.peer);
    } else if (code == 0 && core) {
        code = co_await meet;
        if (code == 0 && links.partner >= 0) code = co_await Sent(transport, result, bytes, links.partner);
    } else if (code == 0) {
        code = co_await Sent(transport, mine, bytes, links.partner);
        if (code == 0) code = co_await Received(transport, result, bytes, links.partner);
    }
    if (code == 0) code = co_await down;
    co_return code;
}

}  // namespace

Task allreduce_halving(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                       Reduction& reduction, Arena& arena) {
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    return buffers.own.bytes() == 0 ? Task(0) : halving(transport, links, buffers, reduction, arena);
}

}  // namespace strata::algorithms
