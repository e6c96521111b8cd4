#include "latency_options.h"

#include <CLI/CLI.hpp>
#include <span>

#include "calls.h"
#include "collective_operations.h"
#include "rank_order.h"

namespace bench {

namespace {

constexpr const char* size_help =
    "Sizes in bytes; K and M are 1024 and 1024*1024.\n"
    "bcast, reduce, allreduce: of the vector (reductions sum doubles: rounded up to 8 bytes).\n"
    "allgather, gather, scatter, and with v: of all ranks' blocks together. Equal blocks are\n"
    "rounded up to whole bytes; with v they are as 1:2:3:1:2:3... by rank.\n"
    "barrier: ignored.";

constexpr const char* algorithm_help =
    "Who does it: mpi, or a mock-up, made of other operations of MPI. hierarchical: through a leader per\n"
    "node (not with v). lane: through all ranks of a node, each with its share; needs equally many ranks\n"
    "per node (not barrier, not with v). composed: of what does at least as much: bcast = scatter +\n"
    "allgather, reduce = allreduce, allreduce = reduce + bcast, allgather = gather + bcast, gather =\n"
    "allgather, barrier = allreduce of one byte.";

constexpr const char* order_help =
    "Order of the ranks: world, as they were started; on a communicator of their own: block, node by node;\n"
    "cyclic, one on each node, then the next; shuffle, at random; unequal, node by node, with fewer ranks\n"
    "on some nodes";

// The names of all operations or algorithms.
template <class Entry>
std::vector<std::string> names_of(std::span<const Entry> entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) names.emplace_back(entry.name);
    return names;
}

}  // namespace

void describe(CLI::App& app, Options& options) {
    app.add_option("--op", options.operation, "The operation")
        ->check(CLI::IsMember(names_of(all_operations())))
        ->capture_default_str();
    app.add_option("--with", options.algorithm, algorithm_help)
        ->check(CLI::IsMember(names_of(all_algorithms())))
        ->capture_default_str();
    app.add_option("--order", options.order, order_help)
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(rank_orders), std::end(rank_orders))))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Of the order shuffle")->capture_default_str();
    app.add_option("--nodes", options.nodes,
                   "The node of every rank, for what-if questions: 0,0,1,1. If not given, ranks that can\n"
                   "share memory are on one node")
        ->delimiter(',');
    app.add_option("--sizes", options.sizes, size_help)
        ->delimiter(',')
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT32_MAX}))
        ->default_str("8,8K,64K,1M,4M");
    app.add_option("--root", options.root,
                   "Rank of the root, or 'rotate': repetition i has root i mod ranks.\n"
                   "Ignored by operations without a root")
        ->check([](const std::string& text) {
            const bool number =
                !text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == std::string::npos;
            return number || text == "rotate" ? std::string() : "'" + text + "': expected a rank or 'rotate'";
        })
        ->capture_default_str();
    app.add_option("--reps", options.repetitions, "Repetitions per size, at least")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--warm-up", options.warm_up, "Repetitions before that are not counted (but checked)")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--min-time", options.min_time_s,
                   "Seconds: repeat until the operation took this long in sum")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--spin-us", options.spin_us,
                   "Microseconds before a start in which a rank waits without sleeping")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--json", options.json, "File for one JSON object per size, with all times");
}

}  // namespace bench
