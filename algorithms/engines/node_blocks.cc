#include <algorithm>
#include <cstring>

#include "algorithms/engines/node.h"

namespace strata::algorithms {
namespace node_blocks {  // not anonymous: a coroutine has such variables

/// What the ranks of a call must agree on.
struct Sizes {
    explicit Sizes(std::span<const Block> blocks) {
        for (const Block& block : blocks) {
            longest = std::max(longest, block.bytes);
            sum += block.bytes;
        }
    }
    std::size_t longest = 0;
    std::size_t sum = 0;
};

/// Returns the bytes of a block's piece of at most `most` bytes.
inline std::size_t piece(const Block& block, std::size_t begin, std::size_t most) {
    return begin < block.bytes ? std::min(most, block.bytes - begin) : 0;
}
inline void read(const Block& block, std::size_t begin, const std::byte* from, std::size_t most) {
    const std::size_t bytes = piece(block, begin, most);
    if (bytes > 0) std::memcpy(block.data + begin, from, bytes);
}
inline void write(const Block& block, std::size_t begin, std::byte* to, std::size_t most) {
    const std::size_t bytes = piece(block, begin, most);
    if (bytes > 0) std::memcpy(to, block.data + begin, bytes);
}

}  // namespace node_blocks

using namespace node_blocks;

Task node_allgather(Boards& boards, std::span<const Block> blocks, Arena& /*arena*/) {
    const Sizes sizes(blocks);
    const int ranks = boards.ranks();
    for (std::size_t begin = 0; begin < sizes.longest; begin += Board::most_bytes) {
        const std::size_t bytes = std::min(Board::most_bytes, sizes.longest - begin);
        boards.begin_step(bytes);
        co_await boards.room();
        write(blocks[static_cast<std::size_t>(boards.rank())], begin, boards.own(), bytes);
        boards.publish(sizes.sum);
        bool equal = true;
        for (int i = 1; i < ranks; ++i) {  // at any time, each rank reads from another one
            const int rank = (boards.rank() + i) % ranks;
            co_await boards.published_by(rank);
            equal = equal && boards.call(rank) == sizes.sum;
            if (equal) read(blocks[static_cast<std::size_t>(rank)], begin, boards.data(rank), bytes);
        }
        if (!equal) co_return boards.too_long();
    }
    co_return 0;
}

/// The root publishes, too: so all ranks can compare the sizes.
Task node_gather(Boards& boards, int root, std::span<const Block> blocks, Arena& /*arena*/) {
    const Sizes sizes(blocks);
    const bool is_root = boards.rank() == root;
    int code = 0;
    for (std::size_t begin = 0; begin < sizes.longest && code == 0; begin += Board::most_bytes) {
        const std::size_t bytes = std::min(Board::most_bytes, sizes.longest - begin);
        boards.begin_step(bytes);
        co_await boards.room();
        if (!is_root) write(blocks[static_cast<std::size_t>(boards.rank())], begin, boards.own(), bytes);
        boards.publish(sizes.sum);
        if (!is_root && (begin > 0 || sizes.longest <= Board::most_bytes)) continue;
        for (int rank = 0; rank < boards.ranks(); ++rank) {
            if (rank == boards.rank()) continue;
            co_await boards.published_by(rank);
            if (boards.call(rank) != sizes.sum) code = boards.too_long();
            if (is_root && code == 0)
                read(blocks[static_cast<std::size_t>(rank)], begin, boards.data(rank), bytes);
        }
    }
    if (is_root && sizes.longest > 0) boards.end_reading();
    co_return code;
}

/// The readers take as many steps as the root, whose call may have another size.
Task node_scatter(Boards& boards, int root, std::span<const Block> blocks, Arena& /*arena*/) {
    const auto ranks = static_cast<std::size_t>(boards.ranks());
    const Block own = blocks[static_cast<std::size_t>(boards.rank())];
    const std::size_t most = std::max<std::size_t>(1, Board::most_bytes / ranks);
    std::size_t all = own.bytes;
    for (std::size_t begin = 0; begin < all; begin += most) {
        std::size_t bytes = std::min(most, all - begin);
        boards.begin_step(bytes * ranks);
        if (boards.rank() == root) {
            co_await boards.room();
            for (std::size_t i = 0; i < ranks; ++i) {
                if (static_cast<int>(i) != root) write(blocks[i], begin, boards.own() + i * bytes, bytes);
            }
            boards.publish(all);
            continue;
        }
        co_await boards.published_by(root);
        all = boards.call(root);
        bytes = std::min(most, all - begin);
        boards.resize_step(bytes * ranks);
        read(own, begin, boards.data(root) + static_cast<std::size_t>(boards.rank()) * bytes, bytes);
        boards.end_reading();
    }
    co_return all > own.bytes ? boards.too_long() : 0;
}

}  // namespace strata::algorithms
