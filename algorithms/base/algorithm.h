#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/base/level_task.h"

namespace strata::algorithms {

/// Algorithms that carry data over one level of a hierarchy. The table in algorithm.cc has Open MPI's
/// names for them and the engines that can use each.
///
/// What a new one needs: docs/developer/adding-a-collective.md#a-tree-shape.
enum class Algorithm : std::uint8_t {
    automatic,          ///< the cost model chooses
    linear,             ///< the first member sends to every other one
    chain,              ///< `radix` chains that start at the first member
    pipeline,           ///< one chain
    split_binary,       ///< one half down each side of a binary tree, exchanged between pairs
    binary,             ///< complete binary tree
    binomial,           ///< binomial tree
    knomial,            ///< k-nomial tree, `radix` = k
    double_binary,      ///< two binary trees, each for one half: an inner node of one is a leaf of the other
    scatter_allgather,  ///< binomial scatter, then recursive doubling
    scatter_allgather_ring,  ///< binomial scatter, then a ring
    recursive_doubling,      ///< pairwise exchanges among all: topmost level of collectives without a root
    in_order_binary,         ///< binary tree whose every subtree is a run of positions
    rabenseifner,            ///< reduce-scatter, then gather or allgather: topmost level of allreduce
    ring,                    ///< every member sends to the next one
    segmented_ring,          ///< a ring in segments
    nonoverlapping,          ///< reduce, then broadcast, both by the members' communicator
    bruck,                   ///< exchanges at distances of powers of two
    neighbor,                ///< neighbour exchange
    two_proc,                ///< one exchange between two members
    double_ring,             ///< twice around the ring
    recursive_tree,          ///< up and down a binomial tree
    linear_sync,             ///< from all members, synchronised
    linear_nb,               ///< to all members, non-blocking
    skip,       ///< no step of its own: its participants take part in the group around (Plan::skipped)
    component,  ///< the algorithm of the named coll component
};

struct AlgorithmInfo {
    Algorithm id;
    std::string_view name;
    bool tree_shape;        ///< usable by the tree engine
    LevelTasks tasks;       ///< tasks for which Open MPI has an algorithm of this name
    bool keeps_rank_order;  ///< combines in rank order; of a tree shape: every subtree is a run of positions
    int default_radix;      ///< 0: takes no radix
    bool double_tree = false;  ///< a tree shape of two trees, each for one half of every vector
};

/// All algorithms a user can name, `component` excluded.
std::span<const AlgorithmInfo> all_algorithms();
const AlgorithmInfo& info(Algorithm id);
std::optional<Algorithm> algorithm_from_name(std::string_view name);
std::string known_algorithm_names();

/// The method of one level.
struct LevelMethod {
    Algorithm algorithm = Algorithm::automatic;
    int radix = 0;          ///< for chain and knomial; 0 = the algorithm's default
    std::string component;  ///< for Algorithm::component
    bool operator==(const LevelMethod&) const = default;
};

/// Returns "binomial", "chain:2", or the component's name: as a user writes it.
std::string name_of(const LevelMethod& method);

}  // namespace strata::algorithms
