// How long a collective operation takes, measured from an agreed start, with every byte of every result
// checked.
//
// An ordinary MPI program: it knows nothing about the library's components, and calls no collective operation
// but the one that it measures (and what makes communicators).

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "agreed_start.h"
#include "calls.h"
#include "collective_operations.h"
#include "node_split.h"
#include "rank_order.h"

namespace {

constexpr int rotating = -1;
constexpr int most_discarded_in_a_row = 50;
constexpr std::int64_t latecomer_ns = 1'000'000;

constexpr const char* description =
    "Measures a collective operation of MPI and checks every byte of every result.\n\n"
    "All ranks start at an agreed time. A repetition lasts from then until the last rank that has to wait\n"
    "for data returns: for Reduce, Gather and Gatherv the root (the others hand their part on; how soon "
    "they\n"
    "return says more about buffers than about the operation), for all others the last of all ranks. That\n"
    "may be the root of a Broadcast or Scatter: until then its buffer is in use. (Timing from a barrier\n"
    "instead would flatter whoever leaves the barrier late.)\n";

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

constexpr const char* footer =
    "\nBarrier: after every repetition follows one that is not timed, in which one rank in turn enters a\n"
    "millisecond late; in neither may any rank leave before the last has entered.\n"
    "Exit status: 0 if everything was measured and all results were right.";

struct Options {
    std::string operation = "bcast";
    std::string algorithm = "mpi";
    std::string order = "world";
    std::uint64_t seed = 7;
    std::vector<int> nodes;  // by rank; empty: as MPI tells
    std::vector<std::uint64_t> sizes = {8, 8192, 65536, 1 << 20, 4 << 20};
    std::string root = "0";
    int repetitions = 10;
    int warm_up = 2;
    double min_time_s = 0;
    double spin_us = 20;
    std::string json;

    int root_rank() const { return root == "rotate" ? rotating : std::stoi(root); }
    bool needs_nodes() const { return algorithm != "mpi" || order != "world"; }
    std::int64_t spin_ns() const { return static_cast<std::int64_t>(spin_us * 1e3); }
};

struct Result {
    std::uint64_t bytes = 0;  // of the data, after rounding
    std::vector<double> times_us;
    std::int64_t wrong_bytes = 0;
    std::int64_t left_early = 0;  // how often a rank left a Barrier before the last one had entered
    std::int64_t discarded = 0;   // repetitions whose start came too late for some rank

    bool right() const { return wrong_bytes == 0 && left_early == 0; }
};

// The names of all operations or algorithms.
template <class Entry>
std::vector<std::string> names_of(std::span<const Entry> entries) {
    std::vector<std::string> names;
    for (const auto& entry : entries) names.emplace_back(entry.name);
    return names;
}

void describe(CLI::App& app, Options& options) {
    app.add_option("--op", options.operation, "The operation")
        ->check(CLI::IsMember(names_of(bench::all_operations())))
        ->capture_default_str();
    app.add_option("--with", options.algorithm, algorithm_help)
        ->check(CLI::IsMember(names_of(bench::all_algorithms())))
        ->capture_default_str();
    app.add_option("--order", options.order, order_help)
        ->check(CLI::IsMember(
            std::vector<std::string>(std::begin(bench::rank_orders), std::end(bench::rank_orders))))
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

// On rank 0: how many ranks left before the last one had entered.
std::int64_t left_early(bench::Conductor& conductor, std::int64_t entered_ns, std::int64_t left_ns) {
    const auto entries = conductor.gather(conductor.common(entered_ns));
    const std::int64_t last = entries.empty() ? 0 : *std::max_element(entries.begin(), entries.end());
    const auto exits = conductor.gather(conductor.common(left_ns));
    return std::count_if(exits.begin(), exits.end(),
                         [&](std::int64_t exit) { return exit + conductor.uncertainty_ns() < last; });
}

// The same for a Barrier which one rank enters late. With a common start alone, a Barrier that does nothing
// would often pass.
std::int64_t left_without(bench::Conductor& conductor, bench::Collective& barrier, int latecomer,
                          std::int64_t spin_ns) {
    conductor.start(true, spin_ns);
    if (conductor.rank() == latecomer) bench::wait_until(bench::now_ns() + latecomer_ns, spin_ns);
    const std::int64_t entered_ns = bench::now_ns();
    barrier.call(0);
    const std::int64_t left_ns = bench::now_ns();
    conductor.finish(left_ns);
    return left_early(conductor, entered_ns, left_ns);
}

// One repetition after another on one size. Every rank takes part; the result is complete on rank 0.
class Measurement {
public:
    Measurement(bench::Conductor& conductor, const bench::Operation& operation, bench::Calls& calls,
                std::uint64_t size, const Options& options)
        : conductor_(conductor),
          operation_(operation),
          options_(options),
          collective_(operation.make(size, calls)) {
        result_.bytes = collective_->bytes();
        conductor_.compare_clocks();
    }

    Result run() {
        for (std::uint64_t repetition = 0; repeat(repetition); ++repetition) {
        }
        return result_;
    }

private:
    int rank_in_turn(std::uint64_t repetition) const {
        return static_cast<int>(repetition % static_cast<std::uint64_t>(conductor_.size()));
    }

    bool enough() const {
        return discarded_in_a_row_ >= most_discarded_in_a_row ||
               (result_.times_us.size() >= static_cast<std::size_t>(options_.repetitions) &&
                total_us_ >= options_.min_time_s * 1e6);
    }

    // False, with nothing done, if it was enough.
    bool repeat(std::uint64_t repetition) {
        const int root = options_.root_rank() == rotating ? rank_in_turn(repetition) : options_.root_rank();
        collective_->prepare(repetition, root);
        if (!conductor_.start(!enough(), options_.spin_ns())) return false;

        const std::int64_t entered_ns = bench::now_ns();
        collective_->call(root);
        const std::int64_t left_ns = bench::now_ns();
        const bench::Outcome outcome = conductor_.finish(left_ns, collective_->awaited(root));

        result_.wrong_bytes += conductor_.sum(collective_->wrong_bytes(repetition, root));
        if (!operation_.sized) {
            result_.left_early += left_early(conductor_, entered_ns, left_ns);
            result_.left_early +=
                left_without(conductor_, *collective_, rank_in_turn(repetition), options_.spin_ns());
        }
        if (repetition >= static_cast<std::uint64_t>(options_.warm_up)) count(outcome);
        return true;
    }

    void count(const bench::Outcome& outcome) {
        if (outcome.late > 0) {
            ++result_.discarded;
            ++discarded_in_a_row_;
            return;
        }
        discarded_in_a_row_ = 0;
        result_.times_us.push_back(static_cast<double>(outcome.duration_ns) / 1e3);
        total_us_ += result_.times_us.back();
    }

    bench::Conductor& conductor_;
    const bench::Operation& operation_;
    const Options& options_;
    std::unique_ptr<bench::Collective> collective_;
    Result result_;
    double total_us_ = 0;
    int discarded_in_a_row_ = 0;
};

// The value below which a share of the sorted values lies, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void print_head(const bench::Operation& operation, int ranks, const Options& options) {
    const std::string who = options.algorithm == "mpi" ? "" : " (" + options.algorithm + ")";
    std::printf(
        "# %s%s, %d ranks%s, microseconds from the agreed start to the end of the last rank awaited\n",
        operation.function.data(), who.c_str(), ranks,
        operation.rooted ? (", root " + options.root).c_str() : "");
    std::printf("#%9s %6s %12s %12s %12s %12s %12s\n", "bytes", "reps", "median", "min", "max", "quartile 1",
                "quartile 3");
}

void print_row(const Result& result) {
    std::vector<double> sorted = result.times_us;
    std::sort(sorted.begin(), sorted.end());
    std::printf("%10llu %6zu %12.1f %12.1f %12.1f %12.1f %12.1f",
                static_cast<unsigned long long>(result.bytes), sorted.size(), quantile(sorted, 0.5),
                sorted.front(), sorted.back(), quantile(sorted, 0.25), quantile(sorted, 0.75));
    if (result.discarded > 0)
        std::printf("  (%lld late starts not counted)", static_cast<long long>(result.discarded));
    if (result.wrong_bytes > 0)
        std::printf("  WRONG: %lld bytes", static_cast<long long>(result.wrong_bytes));
    if (result.left_early > 0)
        std::printf("  WRONG: left %lld times before all had entered",
                    static_cast<long long>(result.left_early));
    std::printf("\n");
    std::fflush(stdout);
}

void write_json(std::FILE* file, const bench::Operation& operation, std::uint64_t size, int ranks,
                const Options& options, const Result& result) {
    const std::string root = !operation.rooted                 ? "null"
                             : options.root_rank() == rotating ? "\"rotate\""
                                                               : std::to_string(options.root_rank());
    std::fprintf(file,
                 "{\"operation\": \"%s\", \"with\": \"%s\", \"order\": \"%s\", \"size\": %llu, "
                 "\"bytes\": %llu, \"ranks\": %d, \"root\": %s, \"reps\": %zu, \"wrong_bytes\": %lld, "
                 "\"left_early\": %lld, \"unit\": \"us\", \"times\": [",
                 operation.name.data(), options.algorithm.c_str(), options.order.c_str(),
                 static_cast<unsigned long long>(size), static_cast<unsigned long long>(result.bytes), ranks,
                 root.c_str(), result.times_us.size(), static_cast<long long>(result.wrong_bytes),
                 static_cast<long long>(result.left_early));
    for (std::size_t i = 0; i < result.times_us.size(); ++i) {
        std::fprintf(file, "%s%.3f", i == 0 ? "" : ", ", result.times_us[i]);
    }
    std::fprintf(file, "]}\n");
    std::fflush(file);
}

// Whether the options suit this number of ranks; opens the file. On rank 0 alone.
bool begin(const Options& options, const bench::Operation& operation, int ranks, std::FILE*& json) {
    if (operation.rooted && options.root_rank() >= ranks) {
        std::fprintf(stderr, "collective_latency: --root %s: there are only %d ranks\n", options.root.c_str(),
                     ranks);
        return false;
    }
    if (!bench::algorithm_named(options.algorithm).has(operation.name)) {
        std::fprintf(stderr, "collective_latency: --with %s: it has no %s\n", options.algorithm.c_str(),
                     operation.name.data());
        return false;
    }
    if (!options.json.empty() && !(json = std::fopen(options.json.c_str(), "w"))) {
        std::perror(options.json.c_str());
        return false;
    }
    print_head(operation, ranks, options);
    return true;
}

// Nothing, on all ranks, where it cannot be done; rank 0 then says why.
std::unique_ptr<bench::Calls> make_calls(const Options& options, MPI_Comm comm, std::span<const int> node_of,
                                         bool reporting) {
    try {
        return bench::algorithm_named(options.algorithm).make(comm, node_of);
    } catch (const std::invalid_argument& error) {
        if (reporting) {
            std::fprintf(stderr, "collective_latency: --with %s: %s\n", options.algorithm.c_str(),
                         error.what());
        }
        return nullptr;
    }
}

// Returns on every rank whether all sizes were measured and all results were right.
bool measure_all(const Options& options, MPI_Comm comm, std::span<const int> node_of) {
    bench::Conductor conductor(comm);
    const bench::Operation& operation = bench::operation_named(options.operation);
    const bool reporting = conductor.rank() == 0;
    std::FILE* json = nullptr;
    bool good = conductor.agree(!reporting || begin(options, operation, conductor.size(), json)) != 0;
    if (!good) return false;
    const auto calls = make_calls(options, comm, node_of, reporting);
    if (!calls) return false;
    const std::vector<std::uint64_t> sizes = operation.sized ? options.sizes : std::vector<std::uint64_t>{0};
    for (const std::uint64_t size : sizes) {
        const Result result = Measurement(conductor, operation, *calls, size, options).run();
        if (!reporting) continue;
        good = good && result.right() && !result.times_us.empty();
        if (result.times_us.empty()) {
            std::fprintf(stderr, "collective_latency: %llu bytes: no repetition began in time on all ranks\n",
                         static_cast<unsigned long long>(size));
            continue;
        }
        print_row(result);
        if (json) write_json(json, operation, size, conductor.size(), options, result);
    }
    if (json) std::fclose(json);
    return conductor.agree(good) != 0;
}

// The same on the ranks in the wanted order; true on those that are left out.
bool measure_in_order(const Options& options) {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> node_of = options.nodes;
    if (node_of.empty()) {
        node_of = options.needs_nodes() ? bench::nodes_by_memory(MPI_COMM_WORLD)
                                        : std::vector<int>(static_cast<std::size_t>(ranks));
    }
    if (static_cast<int>(node_of.size()) != ranks) {
        throw std::invalid_argument("--nodes: " + std::to_string(node_of.size()) + " nodes for " +
                                    std::to_string(ranks) + " ranks");
    }
    const std::vector<int> order = bench::ordered_ranks(node_of, options.order, options.seed);
    std::vector<int> node_of_new;
    for (const int rank : order) node_of_new.push_back(node_of[static_cast<std::size_t>(rank)]);
    MPI_Comm comm = bench::ordered(MPI_COMM_WORLD, order);
    const bool good = comm == MPI_COMM_NULL || measure_all(options, comm, node_of_new);
    if (static_cast<int>(order.size()) < ranks) bench::wait_for_all(MPI_COMM_WORLD);
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Options options;
    CLI::App app{description};
    app.footer(footer);
    describe(app, options);
    int status = 0;
    try {
        app.parse(argc, argv);
        status = measure_in_order(options) ? 0 : 1;
    } catch (const std::invalid_argument& error) {  // the same on all ranks
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) std::fprintf(stderr, "collective_latency: %s\n", error.what());
        status = 1;
    } catch (const CLI::ParseError& error) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        status = rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    MPI_Finalize();
    return status;
}
