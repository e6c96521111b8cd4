#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/base/arena.h"
#include "algorithms/base/plan.h"
#include "algorithms/base/transport.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/patterns/reduction_links.h"
#include "fabric.h"
#include "random.h"
#include "reduce_operators.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// How a rank's own data and the result share memory.
enum class Placement : std::uint8_t {
    separate,         ///< separate buffers
    in_place,         ///< one buffer for both (MPI_IN_PLACE, contiguous)
    packed_in_place,  ///< both packed, but from and to the same elements (MPI_IN_PLACE, a type with gaps)
};

/// An injected fault: call number `call` (from 1) of one kind on `rank` returns `code`.
struct Mishap {
    enum class Kind : std::uint8_t { produce, consume, combine };
    int rank = -1;
    Kind kind = Kind::produce;
    int call = 1;
    int code = 0;
};

/// One reduction to run on all ranks of a hierarchy.
struct ReduceCase {
    topology::Hierarchy hierarchy;
    algorithms::Plan plan;
    int root = 0;
    std::size_t elements = 0;
    Operator op = Operator::sum_32;
    bool rank_order = false;
    Placement placement = Placement::separate;
    std::vector<int> order;  ///< order of ranks in the expected result; empty: 0, 1, 2, ...
    Mishap mishap;

    std::size_t bytes() const { return elements * bytes_of(op); }
    /// Bytes of the messages of every edge, 0 = one message: segments of the topmost level, in whole
    /// elements.
    std::size_t segment_bytes() const;
};

/// The signature of an engine call for the runner.
using ReduceEngine = std::function<int(int rank, algorithms::Transport&, algorithms::ReduceBuffers,
                                       algorithms::Reduction&, algorithms::Arena&)>;

struct ReduceRun {
    RunReport report;
    std::vector<std::vector<std::byte>> results;  ///< by rank; empty on ranks that get none
};

/// One arena per rank, shared by several runs.
using Arenas = std::deque<algorithms::Arena>;
/// The most bytes that the state of a call takes from an arena, without its data.
inline constexpr std::size_t most_state_bytes = 16384;

/// Runs `engine` on every rank with buffers that check their use and contents. A rank's own bytes do not
/// exist before they are produced and do not change (unless the result shares their memory). Consumed bytes
/// are right (where the operator associates; else only announced once). Combines have whole elements. Adds
/// faults to the report's problems. `everywhere`: every rank has a result, else only the root.
ReduceRun run_reduction(const ReduceCase& reduce, const FabricOptions& options, bool everywhere,
                        const ReduceEngine& engine, Arenas* arenas = nullptr);

ReduceRun run_reduce(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas = nullptr);
ReduceRun run_allreduce(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas = nullptr);
ReduceRun run_exchange(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas = nullptr);
ReduceRun run_halving(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas = nullptr);
ReduceRun run_ring(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas = nullptr);

/// Sees bytes as elements of another size; a local reduction that divides an element returns 99.
class WideElements : public algorithms::Reduction {
public:
    WideElements(algorithms::Reduction& bytes, std::size_t element_bytes)
        : Reduction(element_bytes), bytes_(bytes) {}
    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override {
        return bytes % element_bytes() == 0 ? bytes_.combine(left, right, bytes) : 99;
    }

private:
    algorithms::Reduction& bytes_;
};

/// Repeats the case with each call of each rank failing once (about `per_rank` calls). Every run must end
/// without a deadlock; the failing rank returns the injected code, all others return 0 or fail because a
/// peer gave up; abandon() must have been called where the code is not 0. Returns the deviations and adds
/// the number of failures that occurred to `failures`.
using Runner = std::function<ReduceRun(const ReduceCase&, const FabricOptions&)>;
std::vector<std::string> check_every_failure(const ReduceCase& reduce, FabricOptions options,
                                             const Runner& runner, int per_rank, int& failures);
/// Checks one run in which `rank` failed with `code`.
std::vector<std::string> check_contained(const RunReport& run, int rank, int code);

/// Returns a random case for a reduction: operator, placement, root, plan and a number of elements below
/// `elements`. Operators that do not commute get consecutive groups and rank order.
ReduceCase random_reduction(Random& random, int ranks, std::size_t elements);

/// The same for commuting operators and shapes with at least `members` parts of the topmost group. Shapes
/// alternate between random, consecutive ranks, and equal nodes with cyclically assigned ranks.
ReduceCase random_ring_reduction(Random& random, int ranks, std::size_t elements, std::size_t members);

/// Describes the case for failure messages.
std::string describe(const ReduceCase& reduce);

/// Returns the errors of a run that had to succeed, "" for none: problems, codes other than 0, more
/// unfinished sends of a pair than the window.
std::string faults_of(const ReduceCase& reduce, const ReduceRun& run);

}  // namespace strata::testing
