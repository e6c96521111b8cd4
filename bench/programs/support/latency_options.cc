#include "latency_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "calls.h"
#include "collective_operations.h"
#include "command_line.h"
#include "rank_order.h"

namespace bench {

namespace {

constexpr const char* size_help =
    "Sizes in bytes; K and M are 1024 and 1024*1024.\n"
    "bcast, reduce, allreduce: size of the vector (reductions sum doubles: rounded up to 8 bytes).\n"
    "allgather, gather, scatter and their v forms: size of all ranks' chunks together. Equal chunks\n"
    "are rounded up to whole bytes; those of the v forms are as 1:2:3:1:2:3... by rank.\n"
    "barrier: ignored.";

constexpr const char* algorithm_help =
    "Implementation: mpi, or a mock-up made of other MPI operations. hierarchical: through a leader\n"
    "per node (no v forms). lane: through all ranks of a node, each with its share; needs the same\n"
    "number of ranks on every node (no barrier, no v forms). hybrid: segments along a chain of leaders,\n"
    "each with MPI's own operation within the nodes (bcast, reduce). composed: of operations that do at "
    "least\n"
    "as much: bcast = scatter + allgather, reduce = allreduce, allreduce = reduce + bcast, allgather =\n"
    "gather + bcast, gather = allgather, barrier = allreduce of one byte.";

constexpr const char* order_help =
    "Order of the ranks: world: as started; on a communicator of their own: block: node by node;\n"
    "cyclic: one on each node, then the next; shuffle: at random; unequal: node by node, with fewer\n"
    "ranks on some nodes";

constexpr const char* contenders_help =
    "File of contenders, which take turns repetition by repetition, each with its own communicator:\n"
    "[{\"name\": \"han\", \"with\": \"mpi\", \"info\": {\"ompi_comm_coll_preference\": \"han\"},\n"
    "\"sizes\": [8, 65536]}, ...]. Only the name is required; without sizes: all";

constexpr const char* cells_help =
    "File in place of --op, --sizes and --root, a list measured in order:\n"
    "[{\"op\": \"bcast\", \"root\": \"last\", \"sizes\": [8, 65536], \"except\": {\"han\": [65536]}}, ...];\n"
    "except: sizes at which a contender is left out";

// Returns the names of all operations or algorithms.
template <class Entry>
std::vector<std::string> names_of(std::span<const Entry> entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) names.emplace_back(entry.name);
    return names;
}

bool is_rank(const std::string& text) {
    return !text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool is_root(const std::string& text) {
    return is_rank(text) || text == "middle" || text == "last" || text == "rotate";
}

int root_rank(const std::string& text, int ranks) {
    if (text == "rotate") return rotating_root;
    if (text == "last") return ranks - 1;
    // The middle rank itself is often the first of a node.
    if (text == "middle") return std::min(ranks / 2 + 1, ranks - 1);
    return std::stoi(text);
}

void describe(CLI::App& app, Options& options) {
    app.add_option("--op", options.operations, "Operations, measured one after another")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of(all_operations())))
        ->capture_default_str();
    app.add_option("--with", options.algorithm, algorithm_help)
        ->check(CLI::IsMember(names_of(all_algorithms())))
        ->capture_default_str();
    app.add_option("--order", options.order, order_help)
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(rank_orders), std::end(rank_orders))))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Seed of --order shuffle")->capture_default_str();
    app.add_option(
           "--nodes", options.nodes,
           "Node of every rank, for what-if questions: 0,0,1,1. By default ranks that can share memory are\n"
           "on one node")
        ->delimiter(',');
    app.add_option("--sizes", options.sizes, size_help)
        ->delimiter(',')
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT32_MAX}))
        ->default_str("8,8K,64K,1M,4M");
    app.add_option(
           "--root", options.root,
           "Rank of the root; 'last'; 'middle', the rank after the middle one; or 'rotate': repetition i\n"
           "has root i mod ranks. Ignored by operations without a root")
        ->check([](const std::string& text) {
            return is_root(text) ? std::string() : "'" + text + "': expected " + root_expected;
        })
        ->capture_default_str();
    app.add_option("--warm-up", options.warm_up, "Warm-up repetitions, which are checked and not counted")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option(
           "--block", options.block,
           "Calls per repetition, one after the other, whose data fit into 1 MiB: the time is that of\n"
           "all divided by their number. For short calls, because an agreed start takes longer than\n"
           "they do")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    describe_number(app, "--min-time", options.min_time_s,
                    "Least sum of the times of the operation, in seconds");
    describe_timing(app, options.repetitions, "Least repetitions per size", options.spin_us);
    app.add_option("--contenders", options.contenders, contenders_help)->excludes(app.get_option("--with"));
    app.add_option("--cells", options.cells, cells_help)
        ->excludes(app.get_option("--op"))
        ->excludes(app.get_option("--sizes"))
        ->excludes(app.get_option("--root"));
    app.add_option("--json", options.json,
                   "File for one JSON object per size (and contender), with all times");
    app.add_option(
           "--errors", options.errors,
           "Redirects what each rank, and MPI in it, writes to standard error after MPI_Init to the file\n"
           "PREFIX.RANK: whole lines, where mpirun passes on pieces. A rank that cannot write there keeps\n"
           "standard error")
        ->option_text("PREFIX");
}

}  // namespace bench
