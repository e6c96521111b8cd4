#pragma once
#include <string>
#include <vector>

#include "algorithms/base/collective.h"
#include "random.h"

namespace strata::testing {

/// A user's complete settings for a communicator: the cost model decides nothing.
struct RandomSettings {
    std::vector<int> ranks;    ///< ranks of MPI_COMM_WORLD, in the order of the communicator
    std::string hierarchy;     ///< coll_strata_hierarchy: nested lists of ranks
    std::string methods;       ///< coll_strata_OP_level_algorithms
    std::string double_trees;  ///< the same for vectors, often with double trees
    std::string segments;      ///< coll_strata_OP_segsize
    bool ring = false;         ///< for Allgather and Allreduce
    int root = 0;
    std::size_t elements = 1;  ///< doubles of a vector, or of a block
};

RandomSettings random_settings(Random& random, int world);

}  // namespace strata::testing
