#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata::algorithms {

/// Ways to carry data over one level of a hierarchy. One table (algorithm.cc) names them and says which
/// engine can use them.
enum class Algorithm : std::uint8_t {
    automatic,               ///< the cost model chooses
    linear,                  ///< the first member sends to every other one
    chain,                   ///< `radix` chains that start at the first member
    pipeline,                ///< one chain
    split_binary,            ///< two halves down a binary tree, exchanged at the end
    binary,                  ///< complete binary tree
    binomial,                ///< binomial tree
    knomial,                 ///< k-nomial tree, `radix` = k
    scatter_allgather,       ///< binomial scatter, then recursive doubling
    scatter_allgather_ring,  ///< binomial scatter, then a ring
    recursive_doubling,      ///< pairwise exchanges among all: topmost level of allreduce and barrier
    component,               ///< whatever the named coll component does
};

struct AlgorithmInfo {
    Algorithm id;
    std::string_view name;
    bool tree_shape;        ///< usable by the tree engine
    bool keeps_rank_order;  ///< as a reduction can fold it in the order of the ranks (reduction_links.h)
    int default_radix;      ///< 0: takes none
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

}  // namespace strata::algorithms
