#pragma once
// Open MPI's coll/tuned, release 4.1: choices from coll_tuned_decision_fixed.c, patterns from
// coll_base_<operation>.c and coll_base_topo.c. The fixed decisions pass segment size 0 and fan-out 0, so
// nothing has segments, and a chain is one chain. The release sets the limits; nothing is fitted.
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/rounds.h"
#include "algorithms/openmpi_cost/steps.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Some patterns need one element per rank and change for shorter vectors. Plans do not know the element
/// size: reduced vectors count as doubles.
inline constexpr std::size_t tuned_element_bytes = 8;

/// Return the algorithm by the size of the communicator and the bytes of the vector, or of one rank's block.
Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes);
Algorithm tuned_reduce_algorithm(int ranks, std::size_t bytes, bool commutes);
Algorithm tuned_allreduce_algorithm(int ranks, std::size_t bytes, bool commutes);
Algorithm tuned_allgather_algorithm(int ranks, std::size_t block);
Algorithm tuned_allgatherv_algorithm(int ranks, std::size_t block);
Algorithm tuned_gather_algorithm(int ranks, std::size_t block);
Algorithm tuned_scatter_algorithm(int ranks, std::size_t block);
Algorithm tuned_barrier_algorithm(int ranks);

/// Return the base algorithm's replacement for an unsuitable number of ranks, or for vectors with fewer
/// elements than pieces.
Algorithm possible_allreduce(Algorithm algorithm, int ranks, std::size_t bytes);
Algorithm possible_allgather(Algorithm algorithm, int ranks);

using TunedCalls = std::vector<TunedCall>;

/// Return coll/tuned's calls for a collective among at least two ranks, one after the other. Empty if not
/// every rank knows the sizes. Blocks of Allgatherv count as equally long.
#define STRATA_COLLECTIVE(op, ...) TunedCalls tuned_##op(const Operation& operation, int ranks);
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
TunedCalls tuned_calls(const Operation& operation, int ranks);

/// The same for given algorithms.
TunedCalls allreduce_calls(Algorithm algorithm, const Operation& operation, int ranks);
TunedCalls allgather_calls(Algorithm algorithm, LevelTask task, const Operation& operation, int ranks);

/// Returns the predicted time of a call, us. `rounds`: shared by the predictions of one operation.
double call_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const TunedCall& call,
               FlatRounds& rounds);

/// A tree over virtual ranks, root 0: the children of each rank in the order of service.
using FlatChildren = std::vector<std::vector<int>>;

/// Return the message schedules of these algorithms, except of those that call other collectives.
MessageSchedule bcast_schedule(const TunedCall& call, int ranks);
MessageSchedule reduce_schedule(const TunedCall& call, int ranks);
MessageSchedule allreduce_schedule(Algorithm algorithm, int ranks, std::size_t bytes);
MessageSchedule allgather_schedule(Algorithm algorithm, int ranks, std::size_t block);
MessageSchedule gather_schedule(Algorithm algorithm, int ranks, std::size_t block, int root);
MessageSchedule scatter_schedule(Algorithm algorithm, int ranks, std::size_t block, int root);
MessageSchedule barrier_schedule(Algorithm algorithm, int ranks);
/// Returns the time of a broadcast that scatters blocks; empty for others.
std::optional<double> scatter_allgather_us(FlatModel& model, const TunedCall& call);
/// Rabenseifner's reduce: recursive halving with doubling distances, then a gather to `root`.
MessageSchedule halving_reduce_schedule(int ranks, std::size_t bytes, int root);

/// forward_cost_us() with the values that predictions of one operation share.
double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation, FlatRounds& rounds);

/// Schedules with more messages are estimated if possible. Limits the time of a plan: a message takes about a
/// tenth of a microsecond.
inline constexpr int most_messages = 4096;

/// Returns true if rounds in which all ranks send are estimated.
constexpr bool many_rounds(int ranks) {
    return ranks * std::bit_width(static_cast<unsigned>(ranks)) > most_messages;
}

/// Returns the estimated time of a tree, us: its messages in the order of the rounds instead of their times.
/// Linear patterns are exact. Empty for other patterns. Of 1,128 trees of 300 to 8,192 ranks in block, cyclic
/// and shuffled order the mean error against run_schedule() is 2 %, the greatest 30 %; it takes a tenth of
/// the time. Cost: O(ranks * depth).
std::optional<double> by_round_us(FlatModel& model, const TunedCall& call);

/// Returns the estimated time (FlatRounds) of a call with doubling or halving distances: of an Allreduce or
/// Barrier, or of an Allgather by recursive doubling or Bruck's algorithm.
FlatRounds::Time rounds_of(FlatModel& model, FlatRounds& rounds, const TunedCall& call);

/// Some hardware serves messages that reach a NIC together one after the other: they are spread in the next
/// round (FlatModel: `in_turn_us`). Other hardware serves them all at the same time, so all wait again.
/// Returns the mean, at least `in_turn_us`.
double in_turn_or_shared_us(double in_turn_us, const FlatRounds::Time& rounds);

/// A row of a decision table: the algorithm for fewer ranks with fewer bytes than its limits.
struct TunedChoice {
    int below_ranks;
    std::size_t below_bytes;
    Algorithm algorithm;
};
inline constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
inline constexpr int any_ranks = std::numeric_limits<int>::max();

/// Returns the algorithm of the first row with both limits above the arguments.
constexpr Algorithm tuned_choice(std::span<const TunedChoice> rows, int ranks, std::size_t bytes) {
    for (const TunedChoice& row : rows) {
        if (ranks < row.below_ranks && (bytes < row.below_bytes || row.below_bytes == any_bytes)) {
            return row.algorithm;
        }
    }
    return Algorithm::linear;
}

/// Returns the bytes of one of `ranks` equal blocks.
constexpr std::size_t block_bytes(std::size_t bytes, int ranks) {
    return (bytes + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
}

FlatChildren linear_children(int size);
FlatChildren pipeline_children(int size);
/// `fanout` chains; the first ones are longer by a rank if they cannot be equal.
FlatChildren chain_children(int size, int fanout);
/// Level k holds 2^k ranks; a rank's children are 2^k and 2 * 2^k further on.
FlatChildren binary_children(int size);
/// The last rank is the root: its left child is the rank before it, with the upper half of the others as
/// subtree; its right child is the last rank of the lower half.
FlatChildren in_order_children(int size);
/// Doubling distances: a rank with the message sends it to the one 2^k further on, k growing.
FlatChildren binomial_children(int size);
/// Distances shrink by the radix: contiguous subtrees, the farthest first.
FlatChildren knomial_children(int size, int radix);

/// Returns the largest power of two up to `ranks`.
int whole_power(int ranks);

/// Each rank sends a block to the next one, `rounds` times; `combined`: bytes combined in each round.
MessageSchedule ring_schedule(int ranks, std::size_t bytes, int rounds, std::size_t combined);
/// Ranks exchange with one neighbour and the other in turn: first their own block, then two blocks each time.
MessageSchedule neighbor_schedule(int ranks, std::size_t block);

/// Returns the estimated time of ring_schedule(): the longest way of a message's bytes round the ring, or the
/// total load of the busiest resource, whichever is longer. Cost: O(ranks * depth).
double ring_estimate_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                        int rounds, std::size_t combined);
/// The same for neighbor_schedule().
double neighbor_estimate_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t block);

}  // namespace strata::algorithms
