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
    "bcast, reduce, allreduce: of the vector (reductions sum doubles: rounded up to 8 bytes).\n"
    "allgather, gather, scatter, and with v: of all ranks' blocks together. Equal blocks are\n"
    "rounded up to whole bytes; with v they are as 1:2:3:1:2:3... by rank.\n"
    "barrier: ignored.";

constexpr const char* algorithm_help =
    "Who does it: mpi, or a mock-up, made of other operations of MPI. hierarchical: through a leader per\n"
    "node (not with v). rail: through all ranks of a node, each with its share; needs equally many ranks\n"
    "per node (not barrier, not with v). composed: of what does at least as much: bcast = scatter +\n"
    "allgather, reduce = allreduce, allreduce = reduce + bcast, allgather = gather + bcast, gather =\n"
    "allgather, barrier = allreduce of one byte.";

constexpr const char* order_help =
    "Order of the ranks: world, as they were started; on a communicator of their own: block, node by node;\n"
    "cyclic, one on each node, then the next; shuffle, at random; unequal, node by node, with fewer ranks\n"
    "on some nodes";

constexpr const char* contenders_help =
    "File that names those who do it in turn, repetition by repetition, each on a communicator of its own:\n"
    "[{\"name\": \"han\", \"with\": \"mpi\", \"info\": {\"ompi_comm_coll_preference\": \"han\"},\n"
    "\"sizes\": [8, 65536]}, ...]. Only the name has to be there; no sizes: all";

constexpr const char* cells_help =
    "File in place of --op, --sizes and --root: [{\"op\": \"bcast\", \"root\": \"last\", \"sizes\": [8, "
    "65536],\n"
    "\"except\": {\"han\": [65536]}}, ...], one after another; except: sizes at which a contender is left "
    "out";

// The names of all operations or algorithms.
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
    // In the middle itself often stands the first rank of a node.
    if (text == "middle") return std::min(ranks / 2 + 1, ranks - 1);
    return std::stoi(text);
}

void describe(CLI::App& app, Options& options) {
    app.add_option("--op", options.operations, "The operation, or several, one after another")
        ->delimiter(',')
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
                   "Rank of the root, 'last', 'middle' (the rank after it), or 'rotate': repetition i has\n"
                   "root i mod ranks. Ignored by operations without a root")
        ->check([](const std::string& text) {
            return is_root(text) ? std::string() : "'" + text + "': expected " + root_expected;
        })
        ->capture_default_str();
    app.add_option("--warm-up", options.warm_up, "Repetitions before that are not counted (but checked)")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    describe_number(app, "--min-time", options.min_time_s,
                    "Seconds: repeat until the operation took this long in sum");
    describe_timing(app, options.repetitions, "Repetitions per size, at least", options.spin_us);
    app.add_option("--contenders", options.contenders, contenders_help)->excludes(app.get_option("--with"));
    app.add_option("--cells", options.cells, cells_help)
        ->excludes(app.get_option("--op"))
        ->excludes(app.get_option("--sizes"))
        ->excludes(app.get_option("--root"));
    app.add_option("--json", options.json,
                   "File for one JSON object per size (and contender), with all times");
    app.add_option("--errors", options.errors,
                   "Files PREFIX.RANK for what each rank and MPI in it write to standard error once MPI is\n"
                   "initialised: whole lines, where mpirun passes on pieces. A rank that cannot write there\n"
                   "goes on with standard error")
        ->option_text("PREFIX");
}

}  // namespace bench
