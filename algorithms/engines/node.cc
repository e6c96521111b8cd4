#include "algorithms/engines/node.h"

#include <algorithm>
#include <cstring>

namespace strata::algorithms {
namespace node_reduction {  // not anonymous: a coroutine has such variables

/// A part of a step's data.
struct Part {
    std::size_t begin = 0;
    std::size_t bytes = 0;
};

/// The elements of a step that a rank combines for all.
inline Part slice(int rank, int ranks, std::size_t bytes, std::size_t element_bytes) {
    const auto place = static_cast<std::size_t>(rank);
    const auto count = static_cast<std::size_t>(ranks);
    const std::size_t elements = bytes / element_bytes;
    const std::size_t begin = elements * place / count * element_bytes;
    return {begin, elements * (place + 1) / count * element_bytes - begin};
}

}  // namespace node_reduction

namespace {

using node_reduction::Part;
using node_reduction::slice;

constexpr int every_rank = -1;  ///< as a root: all get the result

/// The bytes of a step: whole elements.
std::size_t step_bytes(std::size_t element_bytes) {
    return Board::most_bytes / element_bytes * element_bytes;
}

/// Returns true if slices save more than their second step costs. Directly, a rank reads `bytes` from each of
/// k ranks; by slices it reads twice `bytes` in all. A step takes as long as some 8 KiB.
bool pays_by_slices(int ranks, std::size_t bytes) {
    constexpr std::size_t step_in_bytes = 8192;
    return ranks > 2 && static_cast<std::size_t>(ranks - 2) * bytes >= step_in_bytes;
}

/// The bytes of the largest slice, or more.
std::size_t most_in_slice(int ranks, std::size_t bytes, std::size_t element_bytes) {
    return (bytes / element_bytes / static_cast<std::size_t>(ranks) + 1) * element_bytes;
}

void note(int& code, int next) { code = code != 0 ? code : next; }

/// `call`: to compare with that of other ranks. Keeps its first error.
void publish(Boards& boards, PackedBuffer& own, std::size_t begin, std::size_t bytes, std::size_t call,
             int& code) {
    note(code, own.produce(begin + bytes));
    std::memcpy(boards.own(), own.data() + begin, bytes);
    boards.publish(call);
}

/// A number that is different for reductions of other steps: of other bytes, or of other elements.
std::size_t reduction_call(std::size_t bytes, std::size_t element_bytes) {
    static_assert(Board::most_bytes < std::size_t{1} << 20);
    return bytes ^ (element_bytes << 44);
}

/// Combines a part of the data of a rank, which has published, with those of the ranks after it in `result`.
int combine(const Boards& boards, int rank, Part part, std::byte* result, Reduction& reduction) {
    const std::byte* const data = boards.data(rank) + part.begin;
    if (rank < boards.ranks() - 1) return reduction.combine(data, result, part.bytes);
    std::memcpy(result, data, part.bytes);
    return 0;
}

}  // namespace

Task node_barrier(Boards& boards, Arena& /*arena*/) {
    boards.begin_step(0);
    co_await boards.room();
    boards.publish();
    for (int rank = 0; rank < boards.ranks(); ++rank) co_await boards.published_by(rank);
    co_return 0;
}

/// The readers take as many steps as the root, whose call may have another size.
Task node_bcast(Boards& boards, int root, PackedBuffer& buffer, Arena& /*arena*/) {
    const bool reads = boards.rank() != root;
    std::size_t all = buffer.bytes();
    int code = 0;
    for (std::size_t begin = 0; begin < all; begin += Board::most_bytes) {
        boards.begin_step(std::min(Board::most_bytes, all - begin));
        if (!reads) {
            co_await boards.room();
            publish(boards, buffer, begin, std::min(Board::most_bytes, all - begin), all, code);
            continue;
        }
        co_await boards.published_by(root);
        all = boards.call(root);
        const std::size_t bytes = std::min(Board::most_bytes, all - begin);
        boards.resize_step(bytes);
        const std::size_t end = std::min(begin + bytes, buffer.bytes());
        if (begin < end) std::memcpy(buffer.data() + begin, boards.data(root), end - begin);
        boards.end_reading();
        note(code, buffer.consume(end));
    }
    if (all > buffer.bytes()) note(code, boards.too_long());
    co_return code;
}

/// Every rank publishes: a vector of its own may be overwritten by the result. A rank whose call has more
/// than one step, or that gets a result, compares the sizes in the first one. If they differ it ends there,
/// as do all such ranks; the others have no further step.
Task node_reduce(Boards& boards, int root, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
    const std::size_t all = buffers.own.bytes();
    const std::size_t element = reduction.element_bytes();
    const int ranks = boards.ranks();
    const std::size_t call = reduction_call(all, element);
    const bool by_slices = pays_by_slices(ranks, all);
    const std::size_t step = step_bytes(element);
    const bool gets_result = root == every_rank || root == boards.rank();
    std::byte* const scratch =
        by_slices && !gets_result ? arena.take(most_in_slice(ranks, std::min(step, all), element)) : nullptr;
    int code = 0;
    for (std::size_t begin = 0; begin < all; begin += step) {
        const std::size_t bytes = std::min(step, all - begin);
        boards.begin_step(bytes);
        co_await boards.room();
        publish(boards, buffers.own, begin, bytes, call, code);
        if (begin == 0 && (gets_result || by_slices || all > step)) {
            bool equal = true;
            for (int rank = 0; rank < ranks; ++rank) {
                co_await boards.published_by(rank);
                equal = equal && boards.call(rank) == call;
            }
            if (!equal) {
                note(code, boards.too_long());
                break;
            }
        }
        std::byte* const result = gets_result ? buffers.result->data() + begin : nullptr;
        const Part whole{0, gets_result ? bytes : 0};
        const Part own = by_slices ? slice(boards.rank(), ranks, bytes, element) : whole;
        std::byte* const combined = gets_result ? result + own.begin : scratch;
        for (int rank = ranks - 1; rank >= 0 && own.bytes > 0; --rank) {
            co_await boards.published_by(rank);
            note(code, combine(boards, rank, own, combined, reduction));
        }
        if (by_slices) {
            boards.begin_step(most_in_slice(ranks, bytes, element));
            co_await boards.room();
            std::memcpy(boards.own(), combined, own.bytes);
            boards.publish();
            for (int rank = 0; rank < ranks && gets_result; ++rank) {
                if (rank == boards.rank()) continue;
                co_await boards.published_by(rank);
                const Part theirs = slice(rank, ranks, bytes, element);
                std::memcpy(result + theirs.begin, boards.data(rank), theirs.bytes);
            }
        }
        if (gets_result) note(code, buffers.result->consume(begin + bytes));
    }
    if (root == boards.rank() && all > 0) boards.end_reading();
    co_return code;
}

Task node_allreduce(Boards& boards, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
    return node_reduce(boards, every_rank, buffers, reduction, arena);
}

}  // namespace strata::algorithms
