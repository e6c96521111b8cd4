#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"

namespace strata::testing {

/// Return codes of the in-process transport besides the injected ones.
enum FabricCode : int {
    code_stopped = 9001,       ///< deadlock or watchdog: the run was ended from outside
    code_peer_aborted = 9002,  ///< the other end gave up
    code_size_mismatch = 9003,
    code_misuse = 9004,  ///< a call that the transport's contract forbids
};

enum class Schedule {
    sequential,  ///< one rank at a time, chosen by the seed: the same run every time
    concurrent,  ///< all threads at once, for race detectors
};

/// Transport call number `operation` (from 1) of `rank` returns `code` and has no other effect.
struct InjectedFailure {
    int rank = -1;
    int operation = 0;
    int code = 0;
};

struct FabricOptions {
    Schedule schedule = Schedule::sequential;
    std::uint64_t seed = 1;
    /// Messages below this size are buffered: they complete without a receiver. 0: every send waits for its
    /// receive, which exposes engines that rely on buffering.
    std::size_t eager_bytes = 0;
    InjectedFailure failure;
    /// All calls of a rank use the same channels, like calls with the same tags.
    bool shared_tags = false;
    std::chrono::milliseconds watchdog{60000};  ///< limit for the whole run, wall clock
};

/// A sequential run.
inline FabricOptions options_for(std::uint64_t seed, std::size_t eager_bytes = 0) {
    FabricOptions options;
    options.seed = seed;
    options.eager_bytes = eager_bytes;
    return options;
}

struct SentMessage {
    int from = -1;
    int to = -1;
    std::size_t bytes = 0;
    int sequence = 0;  ///< position in the stream of this pair and rail
    int rail = 0;
    int call = 0;
    auto operator<=>(const SentMessage&) const = default;
};

/// The result of one run.
struct RunReport {
    std::vector<int> codes;             ///< return value of each rank's body
    std::vector<int> abandons;          ///< calls of Transport::abandon() per rank
    std::vector<int> operations;        ///< transport calls per rank, abandon() left out
    std::vector<SentMessage> messages;  ///< in the order of the sends
    /// (from, to) -> most unfinished sends of one rail at once
    std::map<std::pair<int, int>, int> in_flight;
    /// Faults that a correct engine never causes: deadlock (with the operation that each rank waits for),
    /// unequal sizes, a send buffer changed in flight, busy slots or unreceived messages at the end, misuse
    /// of slots, exceptions.
    std::vector<std::string> problems;
    bool deadlock = false;

    /// Returns all problems in one text; empty for a clean run.
    std::string text() const;
    /// Returns true when some problem contains `words`.
    bool mentions(const std::string& words) const;
};

/// One rank's program. It runs in its own thread; its return value becomes RunReport::codes[rank].
using RankBody = std::function<int(int rank, algorithms::Transport& transport)>;

/// Runs `body` on ranks 0..ranks-1 over a simulated network and returns when all have ended. Messages of a
/// pair and rail match in the order sent, but complete in any order. When a rank returns a code other than
/// 0 or calls abandon(), pending operations of other ranks with it fail. Sequential runs with the same seed
/// are identical. Deadlock detection is exact (no rank can run, nothing is in flight) and ends the run. The
/// watchdog ends a body that never calls the transport again, at worst with std::abort().
RunReport run_ranks(int ranks, const FabricOptions& options, const RankBody& body);

/// The task of one call of a rank, on memory that outlives the run.
using CallBody = std::function<algorithms::Task(int rank, int call, algorithms::Transport& transport,
                                                algorithms::Arena& arena)>;

/// As above, but every rank has several calls in progress at once, each with its own messages. The rank
/// starts them in any order, and advances them in any order as far as they get without waiting. The first
/// error of a call ends the rank.
RunReport run_calls(int ranks, int calls, const FabricOptions& options, const CallBody& body);

}  // namespace strata::testing
