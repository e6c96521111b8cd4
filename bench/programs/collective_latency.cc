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
#include "latency_measurement.h"
#include "latency_options.h"
#include "latency_output.h"
#include "node_split.h"
#include "rank_order.h"

namespace {

constexpr const char* description =
    "Measures a collective operation of MPI and checks every byte of every result.\n\n"
    "All ranks start at an agreed time. A repetition lasts from then until the last rank that has to wait\n"
    "for data returns: for Reduce, Gather and Gatherv the root (the others hand their part on; how soon "
    "they\n"
    "return says more about buffers than about the operation), for all others the last of all ranks. That\n"
    "may be the root of a Broadcast or Scatter: until then its buffer is in use. (Timing from a barrier\n"
    "instead would flatter whoever leaves the barrier late.)\n";

constexpr const char* footer =
    "\nBarrier: after every repetition follows one that is not timed, in which one rank in turn enters a\n"
    "millisecond late; in neither may any rank leave before the last has entered.\n"
    "Exit status: 0 if everything was measured and all results were right.";

// Whether the options suit this number of ranks; opens the file. On rank 0 alone.
bool begin(const bench::Options& options, const bench::Operation& operation, int ranks, std::FILE*& json) {
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
    bench::print_head(operation, ranks, options);
    return true;
}

// Nothing, on all ranks, where it cannot be done; rank 0 then says why.
std::unique_ptr<bench::Calls> make_calls(const bench::Options& options, MPI_Comm comm,
                                         std::span<const int> node_of, bool reporting) {
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
bool measure_all(const bench::Options& options, MPI_Comm comm, std::span<const int> node_of) {
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
        const bench::Result result = bench::Measurement(conductor, operation, *calls, size, options).run();
        if (!reporting) continue;
        good = good && result.right() && !result.times_us.empty();
        if (result.times_us.empty()) {
            std::fprintf(stderr, "collective_latency: %llu bytes: no repetition began in time on all ranks\n",
                         static_cast<unsigned long long>(size));
            continue;
        }
        bench::print_row(result);
        if (json) bench::write_json(json, operation, size, conductor.size(), options, result);
    }
    if (json) std::fclose(json);
    return conductor.agree(good) != 0;
}

// The same on the ranks in the wanted order; true on those that are left out.
bool measure_in_order(const bench::Options& options) {
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
    bench::Options options;
    CLI::App app{description};
    app.footer(footer);
    bench::describe(app, options);
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
