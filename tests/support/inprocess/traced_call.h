#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/engines/perform.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// A call of a collective by a plan.
struct TracedCall {
    topology::Hierarchy hierarchy;
    algorithms::Plan plan;
    algorithms::Operation operation;
    std::size_t bytes = 0;  ///< of the vector, or of every block
};

/// Those of which calls can be traced.
inline constexpr algorithms::Collective traced_collectives[] = {
    algorithms::Collective::bcast,  algorithms::Collective::reduce,  algorithms::Collective::allreduce,
    algorithms::Collective::gather, algorithms::Collective::scatter, algorithms::Collective::allgather,
    algorithms::Collective::barrier};

/// A random plan on a random shape of up to 24 ranks, some of them for halves.
TracedCall random_traced_call(std::uint64_t seed, algorithms::Collective collective);

/// One rank's part, on memory of its own. What reductions make of it is left out. Returns the engine's code.
int perform(const TracedCall& call, int rank, algorithms::Transport& transport);

/// Sizes of the messages from a rank to a rank in a lane, in the order sent.
using Streams = std::map<std::tuple<int, int, int>, std::vector<std::size_t>>;

/// Of all ranks, over the in-process transport; `problem` says what went wrong, and is empty where nothing
/// did.
Streams in_process_streams(const TracedCall& call, std::uint64_t seed, std::string& problem);

}  // namespace strata::testing
