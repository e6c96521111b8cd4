#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

/// The part of one place, on whole vectors of one rank. Of 8 places there are two for each part, which
/// exchange it in the last round: halves of it, there and back, would be as many bytes in twice the time.
///
///   round 0, bit 0 of the place:  [0 1|2 3]    kept: the left half where the bit is 0
///   round 1, bit 1:               [0|1|2|3]
///   round 2, bit 2:               whole parts, to both
///   round 1, round 0 again:       back
class CoreHalving {
public:
    /// Takes all its memory.
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

    /// Reduces `mine` with what the others hold, to `result`, which may be the same memory; elsewhere `mine`
    /// is only read.
    int run(const std::byte* mine, std::byte* result) {
        const int code = links_.partner < 0 ? 0 : take_in(mine, result);
        if (code != 0) {
            return code;
        }
        if (rounds_ > 0) {
            return exchange(mine, result);
        }
        if (mine != result) {
            std::memcpy(result, mine, bytes_);
        }
        return 0;
    }

private:
    /// Bytes of the vector.
    struct Range {
        std::size_t begin;
        std::size_t end;
        std::size_t bytes() const { return end - begin; }
    };

    /// What `place` has to reduce after `halvings`, in whole elements.
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

    /// Takes in the vector of the one for which this place stands.
    int take_in(const std::byte*& mine, std::byte* result) {
        const bool direct = mine != result;
        std::byte* const here = direct ? result : aside_;
        const int code = transport_.recv(here, bytes_, links_.partner);
        const std::byte* const left = direct ? mine : here;
        mine = result;
        return code != 0 ? code : reduction_.fold(left, result, bytes_);
    }

    int exchange(const std::byte* mine, std::byte* result) {
        int code = transport_.begin(1);
        int round = 0;
        for (; round + 1 < rounds_ && code == 0; ++round) {
            code = halve(round, mine, result);
            mine = result;
        }
        code = code == 0 ? reduce_part(mine, result) : code;
        while (round > 0 && code == 0) {
            code = put_together(--round, result);
        }
        return code;
    }

    /// Sends one half of what is left to the partner, and reduces the other one with what comes from there.
    int halve(int round, const std::byte* mine, std::byte* result) {
        const int partner = links_.position ^ 1 << round;
        const Range own = kept(links_.position, round + 1);
        const Range given = kept(partner, round + 1);
        if (own.bytes() == 0) {
            return trade(partner, mine + given.begin, given.bytes(), nullptr, 0);
        }
        const bool direct = mine != result;
        std::byte* const here = direct ? result + own.begin : aside_;
        const int code = trade(partner, mine + given.begin, given.bytes(), here, own.bytes());
        const std::byte* const left = direct ? mine + own.begin : here;
        return code != 0 ? code : reduction_.fold(left, result + own.begin, own.bytes());
    }

    /// Both partners reduce the same part. The lower place's is the left operand, so that both get the same
    /// bits.
    int reduce_part(const std::byte* mine, std::byte* result) {
        const int partner = links_.position ^ 1 << (rounds_ - 1);
        const Range part = kept(links_.position, rounds_ - 1);
        if (part.bytes() == 0) {
            return 0;
        }
        const std::byte* const own = mine + part.begin;
        std::byte* const target = result + part.begin;
        const bool left = links_.position < partner;
        std::byte* const here = left && own != target ? target : aside_;
        int code = trade(partner, own, part.bytes(), here, part.bytes());
        if (code == 0 && left) {
            code = reduction_.fold(own, here, part.bytes());
        }
        const std::byte* const last = left ? here : own;
        if (code == 0 && last != target) {
            std::memcpy(target, last, part.bytes());
        }
        return code != 0 || left ? code : reduction_.fold(here, target, part.bytes());
    }

    /// Exchanges what is final with the partner of the round in which the two parted.
    int put_together(int round, std::byte* result) {
        const int partner = links_.position ^ 1 << round;
        const Range own = kept(links_.position, round + 1);
        const Range other = kept(partner, round + 1);
        return trade(partner, result + own.begin, own.bytes(), result + other.begin, other.bytes());
    }

    /// What is empty is not sent. The receive is there before the send, so that none waits for the other.
    int trade(int place, const std::byte* out, std::size_t out_bytes, std::byte* in, std::size_t in_bytes) {
        const int peer = links_.core[static_cast<std::size_t>(place)];
        int code = in_bytes == 0 ? 0 : transport_.irecv(0, in, in_bytes, peer);
        if (code == 0 && out_bytes > 0) {
            code = transport_.send(out, out_bytes, peer);
        }
        std::array<int, 1> done{};
        for (int count = 0; code == 0 && in_bytes > 0 && count == 0;) {
            code = transport_.wait_some(done, count);
        }
        return code;
    }

    Transport& transport_;
    const ExchangeLinks& links_;
    int rounds_;
    std::size_t bytes_;
    Reduction& reduction_;
    std::byte* aside_ = nullptr;  ///< room for what is folded into the result
};

int halving(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers, Reduction& reduction,
            Arena& arena) {
    const std::size_t bytes = buffers.own.bytes();
    std::byte* const result = buffers.result->data();
    std::byte* mine = nullptr;
    // Before the first message: without memory this rank could not leave alone any more.
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    PassDown down(links.below, &pool);
    std::optional<CoreHalving> core;
    if (links.position >= 0) {
        core.emplace(transport, links, bytes, reduction, arena);
    }
    int code = fold_whole(transport, links.below, buffers.own, result, reduction, arena, mine);
    if (code != 0) {
        return code;
    }
    if (links.below.parent.peer >= 0) {
        code = transport.send(mine, bytes, links.below.parent.peer);
    } else if (core) {
        code = core->run(mine, result);
        if (code == 0 && links.partner >= 0) {
            code = transport.send(result, bytes, links.partner);
        }
    } else {
        code = transport.send(mine, bytes, links.partner);
        code = code == 0 ? transport.recv(result, bytes, links.partner) : code;
    }
    return code != 0 ? code : down.run(transport, *buffers.result);
}

}  // namespace

int allreduce_halving(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                      Reduction& reduction, Arena& arena) {
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    if (buffers.own.bytes() == 0) {
        return 0;
    }
    const int code = halving(transport, links, buffers, reduction, arena);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
