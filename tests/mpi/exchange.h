#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "collective_cases.h"

namespace strata::testing {

/// Calls of one collective on a communicator, with data words that encode rank, iteration and place. Unlike
/// run_case(), leaves errors to the caller and prints nothing.
class Exchange {
public:
    /// `bytes`: total over all ranks, or size of a vector; `root` is taken modulo the number of ranks.
    Exchange(Collective collective, std::size_t bytes, int root, MPI_Comm comm);
    void prepare(int iteration);
    /// Open MPI's return code.
    int call();
    /// Returns the first place where the result is wrong; -1 if all is right.
    int first_difference() const;
    void spoil() { out_[0] ^= 1; }

private:
    using Word = std::uint64_t;
    /// Consecutive words: the word at place i is `first + i * growth`.
    struct Block {
        int offset;
        int count;
        Word first;
        Word growth;
    };
    static void put(std::vector<Word>& where, const Block& block);
    Word key(int rank) const {
        return mix(static_cast<Word>(collective_), static_cast<Word>(iteration_), rank);
    }
    int count(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }
    int displacement(int rank) const { return displacements_[static_cast<std::size_t>(rank)]; }
    std::vector<Block> expected() const;

    Collective collective_;
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    int root_ = 0;
    int words_ = 0;
    int iteration_ = 0;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<Word> in_;
    std::vector<Word> out_;
};

}  // namespace strata::testing
