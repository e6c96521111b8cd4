#pragma once
// What the underlying component would do: Open MPI's coll/tuned, release 4.1. Facts from its
// coll_tuned_decision_fixed.c for the choices, from coll_base_<operation>.c and coll_base_topo.c for the
// patterns. The fixed decisions pass segment size 0 and fan-out 0: nothing is segmented, and a chain is one
// chain. Choices follow the ranks and bytes that the release's own tables name; nothing here is fitted.
#include <bit>
#include <cstddef>
#include <limits>
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

/// Some patterns need an element per rank, and change to others for shorter vectors. The element size is no
/// part of a plan: vectors that are reduced count as doubles.
inline constexpr std::size_t tuned_element_bytes = 8;

/// The algorithm of each operation by the size of the communicator and the bytes of the whole vector, or of
/// one rank's block.
Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes);
Algorithm tuned_reduce_algorithm(int ranks, std::size_t bytes, bool commutes);
Algorithm tuned_allreduce_algorithm(int ranks, std::size_t bytes, bool commutes);
Algorithm tuned_allgather_algorithm(int ranks, std::size_t block);
Algorithm tuned_allgatherv_algorithm(int ranks, std::size_t block);
Algorithm tuned_gather_algorithm(int ranks, std::size_t block);
Algorithm tuned_scatter_algorithm(int ranks, std::size_t block);
Algorithm tuned_barrier_algorithm(int ranks);

/// What the base algorithms of that name fall back to: by the number of ranks, and for vectors with fewer
/// elements than they cut them into.
Algorithm possible_allreduce(Algorithm algorithm, int ranks, std::size_t bytes);
Algorithm possible_allgather(Algorithm algorithm, int ranks);

/// Trees over virtual ranks, root 0: the children of each rank in the order in which they are served.
using FlatChildren = std::vector<std::vector<int>>;

/// The messages of these algorithms, except of those that call other collectives.
MessageSchedule bcast_program(Algorithm algorithm, int ranks, std::size_t bytes, int root);
MessageSchedule reduce_program(Algorithm algorithm, int ranks, std::size_t bytes, int root);
MessageSchedule allreduce_program(Algorithm algorithm, int ranks, std::size_t bytes);
/// Rabenseifner's reduce: the vector is halved while the distance doubles, then gathered by `root`.
MessageSchedule halving_reduce_program(int ranks, std::size_t bytes, int root);
/// Up a tree over virtual ranks.
MessageSchedule tree_reduce_program(const FlatChildren& children, std::size_t bytes, int root);
MessageSchedule allgather_program(Algorithm algorithm, int ranks, std::size_t block);
MessageSchedule gather_program(Algorithm algorithm, int ranks, std::size_t block, int root);
MessageSchedule scatter_program(Algorithm algorithm, int ranks, std::size_t block, int root);
MessageSchedule barrier_program(Algorithm algorithm, int ranks);

/// Predicted time in microseconds among at least two ranks.
double bcast_us(const topology::Hierarchy& hierarchy, const LinkTable& links, Algorithm algorithm,
                std::size_t bytes, int root);

/// Predicted time of a collective in microseconds among at least two ranks; 0 where it has no model, since
/// the ranks do not know the sizes alike. Blocks of Allgatherv count as equally large. `rounds`: what several
/// predictions of one operation share.
using TunedTime = double(const topology::Hierarchy& hierarchy, const LinkTable& links,
                         const Operation& operation, FlatRounds& rounds);
/// Its messages among at least two ranks, one program after the other; none where it has no model.
using TunedPrograms = std::vector<MessageSchedule>(const Operation& operation, int ranks);
#define STRATA_COLLECTIVE(op, ...) \
    TunedTime tuned_##op##_us;     \
    TunedPrograms tuned_##op##_programs;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE

/// forward_cost_us() with what several predictions of one operation share.
double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation, FlatRounds& rounds);

/// Of a program: more messages are not run, where there is an estimate. What a plan may cost: a message takes
/// about a tenth of a microsecond.
inline constexpr int most_messages = 4096;

/// True for programs of rounds in which everybody sends that are estimated.
constexpr bool many_rounds(int ranks) {
    return ranks * std::bit_width(static_cast<unsigned>(ranks)) > most_messages;
}

/// Time of allreduce_program(), allgather_program() and barrier_program(), estimated (FlatRounds), where they
/// double or halve distances.
FlatRounds::Time allreduce_rounds(FlatModel& model, FlatRounds& rounds, Algorithm algorithm,
                                  std::size_t bytes);
FlatRounds::Time allgather_rounds(FlatModel& model, FlatRounds& rounds, Algorithm algorithm,
                                  std::size_t block);
double allreduce_estimate_us(FlatModel& model, FlatRounds& rounds, Algorithm algorithm, std::size_t bytes);
double allgather_estimate_us(FlatModel& model, FlatRounds& rounds, Algorithm algorithm, std::size_t block);
double bruck_barrier_estimate_us(FlatModel& model, FlatRounds& rounds);

/// Of messages that reach a NIC together some hardware serves one after the other, so that in the next round
/// nobody waits again (FlatModel: `in_turn_us`), some all at the same time, so that everybody does. The mean,
/// at least the former.
double in_turn_or_shared_us(double in_turn_us, const FlatRounds::Time& rounds);

/// A row of a decision: what is done by fewer ranks with fewer bytes than its limits.
struct TunedChoice {
    int below_ranks;
    std::size_t below_bytes;
    Algorithm algorithm;
};
inline constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
inline constexpr int any_ranks = std::numeric_limits<int>::max();

/// The first row whose two limits are both above.
constexpr Algorithm tuned_choice(std::span<const TunedChoice> rows, int ranks, std::size_t bytes) {
    for (const TunedChoice& row : rows) {
        if (ranks < row.below_ranks && (bytes < row.below_bytes || row.below_bytes == any_bytes)) {
            return row.algorithm;
        }
    }
    return Algorithm::linear;
}

/// Bytes of one of `ranks` equal blocks.
constexpr std::size_t block_bytes(std::size_t bytes, int ranks) {
    return (bytes + static_cast<std::size_t>(ranks) - 1) / static_cast<std::size_t>(ranks);
}

FlatChildren linear_children(int size);
FlatChildren pipeline_children(int size);
/// `fanout` chains, the first ones longer by a rank where they cannot be equal.
FlatChildren chain_children(int size, int fanout);
/// Level k holds 2^k ranks; a rank's children are 2^k and 2 * 2^k further on.
FlatChildren binary_children(int size);
/// Distance doubling: every rank that has the message serves the one 2^k further on, k growing.
FlatChildren binomial_children(int size);
/// Distance shrinking by the radix: contiguous subtrees, the farthest served first.
FlatChildren knomial_children(int size, int radix);

/// The largest power of two up to `ranks`.
int whole_power(int ranks);

/// Every rank sends its blocks to the next one, `rounds` times; `combined`: bytes combined in each round.
MessageSchedule ring_program(int ranks, std::size_t bytes, int rounds, std::size_t combined);
/// Ranks exchange with one neighbour and the other by turns: their own block first, then always two.
MessageSchedule neighbor_program(int ranks, std::size_t block);

/// Time of ring_program(), estimated: the longest way that one message's bytes can take round the ring, or
/// the resource that all rounds keep busy longest, whichever is longer. Cost: O(ranks * depth).
double ring_estimate_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                        int rounds, std::size_t combined);
/// The same for neighbor_program().
double neighbor_estimate_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t block);
/// Either by the program where that has few messages, else by the estimate.
double ring_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes, int rounds,
               std::size_t combined);
double neighbor_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t block);

}  // namespace strata::algorithms
