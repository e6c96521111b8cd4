#pragma once
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/engines/block_exchange.h"
#include "component/openmpi/ompi_compat.h"
#include "component/openmpi/packed_datatype.h"

namespace strata::component {

/// One rank's send or receive argument of MPI.
struct Elements {
    const void* data;  ///< or MPI_IN_PLACE
    compat::Count count;
    ompi_datatype_t* datatype;

    bool in_place() const { return data == MPI_IN_PLACE; }
    std::size_t bytes() const { return packed_bytes(datatype, static_cast<std::size_t>(count)); }
};

/// The blocks (chunks per rank) of all ranks in one application buffer, in rank order or by displacements.
class BlockArray {
public:
    /// Block i is elements [i * count, (i + 1) * count).
    BlockArray(const void* buffer, compat::Count count, ompi_datatype_t* datatype);
    /// Block i is counts[i] elements, displacements[i] extents from the buffer's start.
    BlockArray(const void* buffer, compat::Counts counts, compat::Displacements displacements,
               ompi_datatype_t* datatype);

    std::size_t bytes(int rank) const { return size_ * count(rank); }
    /// Returns the place of the packed block: in the buffer itself if its elements are packed, else new
    /// memory of the arena.
    algorithms::Block place(int rank, algorithms::Arena& arena) const;
    std::span<algorithms::Block> place_all(int ranks, algorithms::Arena& arena) const;
    /// Pack a block to its place(), and unpack it from there; no-ops for blocks that are packed in place.
    /// Return Open MPI's error code.
    int fetch(int rank, const algorithms::Block& block) const;
    int store(int rank, const algorithms::Block& block) const;

    /// Fills the block of `rank` with its own contribution; with MPI_IN_PLACE it is in this buffer already.
    /// If the program gives another length, copies no more than the block and leaves the rest of the block
    /// unchanged.
    int contribute(int rank, const Elements& own, const algorithms::Block& block) const;

private:
    std::size_t count(int rank) const {
        return listed_ ? compat::count_at(counts_, static_cast<std::size_t>(rank)) : count_;
    }
    void* elements(int rank) const;
    bool packed_in_place(int rank) const { return count(rank) > 1 ? many_packed_ : one_packed_; }

    void* buffer_;
    std::size_t count_ = 0;
    bool listed_ = false;  ///< uses counts_ and displacements_
    compat::Counts counts_{};
    compat::Displacements displacements_{};
    ompi_datatype_t* datatype_;
    std::size_t size_;
    std::ptrdiff_t extent_ = 0;
    bool one_packed_;   ///< a single element is packed in memory
    bool many_packed_;  ///< several elements are
};

/// Returns `ranks` blocks of `bytes` bytes without memory.
std::span<algorithms::Block> equal_blocks(int ranks, std::size_t bytes, algorithms::Arena& arena);

}  // namespace strata::component
