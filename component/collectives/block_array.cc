#include "component/collectives/block_array.h"

#include <memory>

namespace strata::component {

using algorithms::Arena;
using algorithms::Block;

BlockArray::BlockArray(const void* buffer, compat::Count count, ompi_datatype_t* datatype)
    : buffer_(const_cast<void*>(buffer)),
      count_(static_cast<std::size_t>(count)),
      datatype_(datatype),
      size_(packed_bytes(datatype, 1)),
      one_packed_(is_packed_in_place(datatype, 1)),
      many_packed_(is_packed_in_place(datatype, 2)) {
    ptrdiff_t lower = 0;
    ompi_datatype_get_extent(datatype, &lower, &extent_);
}

BlockArray::BlockArray(const void* buffer, compat::Counts counts, compat::Displacements displacements,
                       ompi_datatype_t* datatype)
    : BlockArray(buffer, 0, datatype) {
    listed_ = true;
    counts_ = counts;
    displacements_ = displacements;
}

void* BlockArray::elements(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    const std::ptrdiff_t first = listed_ ? compat::displacement_at(displacements_, place)
                                         : static_cast<std::ptrdiff_t>(place * count_);
    return static_cast<std::byte*>(buffer_) + first * extent_;
}

Block BlockArray::place(int rank, Arena& arena) const {
    const std::size_t length = bytes(rank);
    if (length == 0) {
        return {};
    }
    return {packed_in_place(rank) ? first_byte(elements(rank), datatype_) : arena.take(length), length};
}

std::span<Block> BlockArray::place_all(int ranks, Arena& arena) const {
    const auto blocks = equal_blocks(ranks, 0, arena);
    std::size_t aside = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        aside += packed_in_place(rank) ? 0 : bytes(rank);
    }
    // Contiguous, so that neighbouring blocks form one message without a copy.
    std::byte* memory = aside > 0 ? arena.take(aside) : nullptr;
    for (int rank = 0; rank < ranks; ++rank) {
        Block& block = blocks[static_cast<std::size_t>(rank)];
        if (packed_in_place(rank)) {
            block = place(rank, arena);
        } else if (bytes(rank) > 0) {
            block = {memory, bytes(rank)};
            memory += block.bytes;
        }
    }
    return blocks;
}

int BlockArray::fetch(int rank, const Block& block) const {
    if (block.bytes == 0 || packed_in_place(rank)) {
        return OMPI_SUCCESS;
    }
    return pack(elements(rank), static_cast<std::size_t>(count(rank)), datatype_, block.data, block.bytes);
}

int BlockArray::contribute(int rank, const Elements& own, const Block& block) const {
    const bool shorter = !own.in_place() && own.bytes() < block.bytes;
    if (own.in_place() || shorter) {
        if (const int rc = fetch(rank, block); rc != OMPI_SUCCESS || own.in_place()) {
            return rc;
        }
    }
    return pack(own.data, static_cast<std::size_t>(own.count), own.datatype, block.data, block.bytes);
}

int BlockArray::store(int rank, const Block& block) const {
    if (block.bytes == 0 || packed_in_place(rank)) {
        return OMPI_SUCCESS;
    }
    return unpack(block.data, block.bytes, elements(rank), static_cast<std::size_t>(count(rank)), datatype_);
}

std::span<Block> equal_blocks(int ranks, std::size_t bytes, Arena& arena) {
    const std::span<Block> blocks = arena.values<Block>(static_cast<std::size_t>(ranks));
    for (Block& block : blocks) {
        block.bytes = bytes;
    }
    return blocks;
}

}  // namespace strata::component
