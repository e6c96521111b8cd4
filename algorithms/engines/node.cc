#include "algorithms/engines/node.h"

#include <algorithm>
#include <cstring>

namespace strata::algorithms {
namespace {

constexpr int every_rank = -1;  ///< as a root: all get the result

/// The bytes of a step: whole elements.
std::size_t step_bytes(std::size_t element_bytes) {
    return Board::most_bytes / element_bytes * element_bytes;
}

void note(int& code, int next) { code = code != 0 ? code : next; }

/// Keeps its first error.
void publish(Boards& boards, PackedBuffer& own, std::size_t begin, std::size_t bytes, int& code) {
    note(code, own.produce(begin + bytes));
    std::memcpy(boards.own(), own.data() + begin, bytes);
    boards.publish();
}

/// Combines the data of a rank, which has published, with those of the ranks after it in `result`.
int combine(const Boards& boards, int rank, std::byte* result, std::size_t bytes, Reduction& reduction) {
    if (rank < boards.ranks() - 1) return reduction.combine(boards.data(rank), result, bytes);
    std::memcpy(result, boards.data(rank), bytes);
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

Task node_bcast(Boards& boards, int root, PackedBuffer& buffer, Arena& /*arena*/) {
    int code = 0;
    for (std::size_t begin = 0; begin < buffer.bytes(); begin += Board::most_bytes) {
        const std::size_t bytes = std::min(Board::most_bytes, buffer.bytes() - begin);
        boards.begin_step(bytes);
        if (boards.rank() == root) {
            co_await boards.room();
            publish(boards, buffer, begin, bytes, code);
        } else {
            co_await boards.published_by(root);
            std::memcpy(buffer.data() + begin, boards.data(root), bytes);
            boards.end_reading();
            note(code, buffer.consume(begin + bytes));
        }
    }
    co_return code;
}

/// Every rank publishes: a vector of its own may be overwritten by the result.
Task node_reduce(Boards& boards, int root, ReduceBuffers buffers, Reduction& reduction, Arena& /*arena*/) {
    const std::size_t all = buffers.own.bytes();
    const std::size_t step = step_bytes(reduction.element_bytes());
    const bool gets_result = root == every_rank || root == boards.rank();
    int code = 0;
    for (std::size_t begin = 0; begin < all; begin += step) {
        const std::size_t bytes = std::min(step, all - begin);
        boards.begin_step(bytes);
        co_await boards.room();
        publish(boards, buffers.own, begin, bytes, code);
        if (!gets_result) continue;
        for (int rank = boards.ranks() - 1; rank >= 0; --rank) {
            co_await boards.published_by(rank);
            note(code, combine(boards, rank, buffers.result->data() + begin, bytes, reduction));
        }
        note(code, buffers.result->consume(begin + bytes));
    }
    if (root == boards.rank() && all > 0) boards.end_reading();
    co_return code;
}

Task node_allreduce(Boards& boards, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
    return node_reduce(boards, every_rank, buffers, reduction, arena);
}

}  // namespace strata::algorithms
