#pragma once
// What the underlying component would do: Open MPI's coll/tuned, release 4.1. Facts from its
// coll_tuned_decision_fixed.c for the choices, from coll_base_<operation>.c and coll_base_topo.c for the
// patterns. The fixed decisions pass segment size 0 and fan-out 0: nothing is segmented, and a chain is one
// chain. Choices follow the ranks and bytes that the release's own tables name; nothing here is fitted.
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

using TunedCalls = std::vector<TunedCall>;

/// What coll/tuned calls for a collective among at least two ranks, one after the other. Nothing for a
/// collective without a model, since the ranks do not know the sizes alike. Blocks of Allgatherv count as
/// equally large.
#define STRATA_COLLECTIVE(op, ...) TunedCalls tuned_##op(const Operation& operation, int ranks);
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
TunedCalls tuned_calls(const Operation& operation, int ranks);

/// The same where these algorithms are given.
TunedCalls allreduce_calls(Algorithm algorithm, const Operation& operation, int ranks);
TunedCalls allgather_calls(Algorithm algorithm, LevelTask task, const Operation& operation, int ranks);

/// Predicted time of a call in microseconds. `rounds`: what several predictions of one operation share.
double call_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const TunedCall& call,
               FlatRounds& rounds);

/// Trees over virtual ranks, root 0: the children of each rank in the order in which they are served.
using FlatChildren = std::vector<std::vector<int>>;

/// The messages of these algorithms, except of those that call other collectives.
MessageSchedule bcast_program(const TunedCall& call, int ranks);
MessageSchedule reduce_program(const TunedCall& call, int ranks);
MessageSchedule allreduce_program(Algorithm algorithm, int ranks, std::size_t bytes);
MessageSchedule allgather_program(Algorithm algorithm, int ranks, std::size_t block);
MessageSchedule gather_program(Algorithm algorithm, int ranks, std::size_t block, int root);
MessageSchedule scatter_program(Algorithm algorithm, int ranks, std::size_t block, int root);
MessageSchedule barrier_program(Algorithm algorithm, int ranks);
/// Time of a broadcast that scatters blocks; empty for others.
std::optional<double> scatter_allgather_us(FlatModel& model, const TunedCall& call);
/// Rabenseifner's reduce: the vector is halved while the distance doubles, then gathered by `root`.
MessageSchedule halving_reduce_program(int ranks, std::size_t bytes, int root);

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

/// Time of a call whose distances double or halve, estimated (FlatRounds): of an Allreduce or a Barrier, and
/// of an Allgather by recursive doubling or Bruck's algorithm.
FlatRounds::Time rounds_of(FlatModel& model, FlatRounds& rounds, const TunedCall& call);

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

}  // namespace strata::algorithms
