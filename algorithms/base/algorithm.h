#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/base/level_task.h"

namespace strata::algorithms {

/// Ways to carry data over one level of a hierarchy. One table (algorithm.cc) names them as Open MPI does and
/// says which engine can use them.
enum class Algorithm : std::uint8_t {
    automatic,      ///< the cost model chooses
    linear,         ///< the first member sends to every other one
    chain,          ///< `radix` chains that start at the first member
    pipeline,       ///< one chain
    split_binary,   ///< one half down each side of a binary tree, exchanged between pairs
    binary,         ///< complete binary tree
    binomial,       ///< binomial tree
    knomial,        ///< k-nomial tree, `radix` = k
    double_binary,  ///< two binary trees, each for one half: who passes on in one has no child in the other
    scatter_allgather,       ///< binomial scatter, then recursive doubling
    scatter_allgather_ring,  ///< binomial scatter, then a ring
    recursive_doubling,      ///< pairwise exchanges among all: topmost level of what has no root
    in_order_binary,         ///< binary tree whose every subtree is a run of positions
    rabenseifner,            ///< reduce-scatter, then gather or allgather: topmost level of allreduce
    ring,                    ///< every member sends to the next one
    segmented_ring,          ///< the same in segments
    nonoverlapping,          ///< reduce, then broadcast, by whatever the members' communicator offers
    bruck,                   ///< to and from distances of powers of two
    neighbor,                ///< neighbour exchange
    two_proc,                ///< one exchange, between two
    double_ring,             ///< twice around the ring
    recursive_tree,          ///< up and down a binomial tree
    linear_sync,             ///< from everybody, synchronised
    linear_nb,               ///< to everybody, without waiting
    skip,       ///< nothing of its own: its participants take part in the group around (Plan::skipped)
    component,  ///< whatever the named coll component does
};

struct AlgorithmInfo {
    Algorithm id;
    std::string_view name;
    bool tree_shape;        ///< usable by the tree engine
    LevelTasks tasks;       ///< what Open MPI does by an algorithm of this name
    bool keeps_rank_order;  ///< as a reduction can combine it in the order of the ranks (reduction_links.h)
    int default_radix;      ///< 0: takes none
    bool halves = false;    ///< a tree shape that is two trees, each for one half of every vector
};

/// All algorithms a user can name, `component` excluded.
std::span<const AlgorithmInfo> all_algorithms();
const AlgorithmInfo& info(Algorithm id);
std::optional<Algorithm> algorithm_from_name(std::string_view name);
std::string known_algorithm_names();

/// What one level does.
struct LevelMethod {
    Algorithm algorithm = Algorithm::automatic;
    int radix = 0;          ///< for chain and knomial; 0 = the algorithm's default
    std::string component;  ///< for Algorithm::component
    bool operator==(const LevelMethod&) const = default;
};

/// "binomial", "chain:2", or the component's name: as a user writes it.
std::string name_of(const LevelMethod& method);

}  // namespace strata::algorithms
