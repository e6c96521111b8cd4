#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

/// Members of the core, from the first, that pair up: what is left for the rounds is a power of two.
int paired_members(const ExchangeLinks& links) {
    return static_cast<int>(2 * (links.core.size() - std::bit_floor(links.core.size())));
}

/// True of a member that receives vectors of others to fold them: not the lower one of a pair.
bool folds_in_rounds(const ExchangeLinks& links) {
    return links.core.size() > 1 && (links.position >= paired_members(links) || links.position % 2 == 1);
}

/// The core's part, on whole vectors of one rank. Two pieces of memory take turns: one holds what is reduced
/// so far, the other receives.
class CoreExchange {
public:
    CoreExchange(Transport& transport, const ExchangeLinks& links, std::size_t bytes, Reduction& reduction)
        : transport_(transport),
          links_(links),
          bytes_(bytes),
          reduction_(reduction),
          paired_(paired_members(links)) {}

    /// Reduces `mine` with what the others hold; `mine` then tells where the result lies: at `other` or where
    /// it was. `result` is one of the two; `other` is needed where the member folds_in_rounds().
    int run(std::byte*& mine, std::byte* other, std::byte* result) {
        if (links_.position >= paired_) {
            return exchange(links_.position - paired_ / 2, mine, other);
        }
        // Neighbours pair up, so that the order of the positions is kept; the upper one goes on for both.
        const int partner = links_.core[static_cast<std::size_t>(links_.position ^ 1)];
        if (links_.position % 2 == 0) {
            const int code = transport_.send(mine, bytes_, partner);
            mine = result;
            return code != 0 ? code : transport_.recv(result, bytes_, partner);
        }
        int code = transport_.recv(other, bytes_, partner);
        code = code == 0 ? fold(other, mine) : code;
        code = code == 0 ? exchange(links_.position / 2, mine, other) : code;
        return code == 0 ? transport_.send(mine, bytes_, partner) : code;
    }

private:
    int fold(const std::byte* left, std::byte* right) {
        return bytes_ == 0 ? 0 : reduction_.fold(left, right, bytes_);
    }

    /// The rank at `place` among those that take part in the rounds.
    int peer_at(int place) const {
        const int position = place < paired_ / 2 ? 2 * place + 1 : place + paired_ / 2;
        return links_.core[static_cast<std::size_t>(position)];
    }

    /// Recursive doubling: after each round `mine` is the reduction over an aligned block of twice as many
    /// places.
    int exchange(int place, std::byte*& mine, std::byte* other) {
        const int places = static_cast<int>(links_.core.size()) - paired_ / 2;
        int code = places > 1 ? transport_.begin(1) : 0;
        for (int distance = 1; distance < places && code == 0; distance *= 2) {
            const int partner = place ^ distance;
            code = trade(peer_at(partner), mine, other);
            if (code != 0) {
                break;
            }
            if (partner < place) {
                code = fold(other, mine);
            } else {
                code = fold(mine, other);
                std::swap(mine, other);
            }
        }
        return code;
    }

    int trade(int peer, const std::byte* mine, std::byte* other) {
        int code = transport_.irecv(0, other, bytes_, peer);
        if (code == 0) {
            code = transport_.send(mine, bytes_, peer);
        }
        std::array<int, 1> done{};
        for (int count = 0; code == 0 && count == 0;) {
            code = transport_.wait_some(done, count);
        }
        return code;
    }

    Transport& transport_;
    const ExchangeLinks& links_;
    std::size_t bytes_;
    Reduction& reduction_;
    int paired_;
};

int exchange(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers, Reduction& reduction,
             Arena& arena) {
    const std::size_t bytes = buffers.own.bytes();
    std::byte* const result = buffers.result->data();
    std::byte* mine = nullptr;
    // Taken before the first message: without it this rank could not leave alone any more.
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    PassDown down(links.below, &pool);
    const bool two_at_once = links.below.parent.peer < 0 && folds_in_rounds(links) && bytes > 0;
    const bool result_is_free = folds_into_arena(links.below, buffers.own.data(), result);
    std::byte* const spare = two_at_once && !result_is_free ? arena.take(bytes) : nullptr;
    int code = fold_whole(transport, links.below, buffers.own, result, reduction, arena, mine);
    if (code != 0) {
        return code;
    }
    if (links.below.parent.peer >= 0) {
        code = transport.send(mine, bytes, links.below.parent.peer);
    } else {
        if (bytes > 0 && mine == buffers.own.data() && mine != result) {
            std::memcpy(result, mine, bytes);
            mine = result;
        }
        std::byte* const other = mine == result ? spare : result;
        code = CoreExchange(transport, links, bytes, reduction).run(mine, other, result);
        if (code == 0 && mine != result && bytes > 0) {
            std::memcpy(result, mine, bytes);
        }
    }
    return code != 0 ? code : down.run(transport, *buffers.result);
}

/// Of a barrier, whose messages are empty.
class NoReduction final : public Reduction {
public:
    NoReduction() : Reduction(1) {}
    int fold(const std::byte*, std::byte*, std::size_t) override { return 0; }
};

}  // namespace

int allreduce_exchange(Transport& transport, const ExchangeLinks& links, ReduceBuffers buffers,
                       Reduction& reduction, Arena& arena) {
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    const int code = exchange(transport, links, buffers, reduction, arena);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

int barrier_exchange(Transport& transport, const ExchangeLinks& links, Arena& arena) {
    PackedBuffer nothing(nullptr, 0);
    NoReduction none;
    const int code = exchange(transport, links, {nothing, &nothing}, none, arena);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
