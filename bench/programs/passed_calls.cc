// Measures the overhead of MPI calls that the plugin passes through: blocks of calls alternate between a
// communicator without coll/strata and one that may use it. Under callgrind it makes the calls on the
// second communicator only, with one dump per operation and size.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "agreed_start.h"
#include "calls.h"
#include "collective_operations.h"
#include "command_line.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace {

constexpr int warm_up = 64;  // more calls than lazy set-up waits for

struct Options {
    std::vector<std::string> operations{"bcast",  "reduce",  "allreduce", "allgather", "allgatherv",
                                        "gather", "gatherv", "scatter",   "scatterv",  "barrier"};
    std::vector<std::uint64_t> sizes{8, 64, 512, 4096};
    int calls = 2000;
    int blocks = 40;
};

// Duplicate of MPI_COMM_WORLD with or without coll/strata.
class Side {
public:
    explicit Side(bool with_plugin) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        if (!with_plugin) MPI_Info_set(info, "ompi_comm_coll_preference", "^strata");
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm_);
        MPI_Info_free(&info);
        calls_ = std::make_unique<bench::Calls>(comm_);
    }
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;
    ~Side() { MPI_Comm_free(&comm_); }
    bench::Calls& calls() { return *calls_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::unique_ptr<bench::Calls> calls_;
};

// Returns nanoseconds per call.
double block(bench::Collective& collective, Side& side, int calls) {
    collective.let(side.calls());
    MPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t begin = bench::now_ns();
    for (int i = 0; i < calls; ++i) collective.call(0);
    return static_cast<double>(bench::now_ns() - begin) / calls;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Returns rank 0's time, which leaves no operation before the other ranks have entered it repeatedly.
void compare(const bench::Operation& operation, std::uint64_t size, const Options& options, Side& stock,
             Side& plugin) {
    const auto collective = operation.make(size, stock.calls());
    collective->prepare(0, 0);
    block(*collective, plugin, warm_up);
    if (RUNNING_ON_VALGRIND != 0) {
        CALLGRIND_ZERO_STATS;
        block(*collective, plugin, options.calls);
        const std::string name = "calls " + std::to_string(options.calls) + " " +
                                 std::string(operation.name) + " " + std::to_string(size);
        CALLGRIND_DUMP_STATS_AT(name.c_str());
        return;
    }
    block(*collective, stock, warm_up);
    std::array<std::vector<double>, 2> times;
    for (int i = 0; i < options.blocks; ++i) {
        const std::size_t first = i % 4 == 1 || i % 4 == 2 ? 1 : 0;
        for (const std::size_t side : {first, 1 - first}) {
            times[side].push_back(block(*collective, side == 0 ? stock : plugin, options.calls));
        }
    }
    if (stock.calls().rank() != 0) return;
    const double without = quantile(times[0], 0.25);
    const double with = quantile(times[1], 0.25);
    std::printf("%-10s %5llu B: without %8.1f ns, with %8.1f ns, difference %+7.1f ns, spread %.1f ns\n",
                operation.name.data(), static_cast<unsigned long long>(size), without, with, with - without,
                quantile(times[0], 0.5) - quantile(times[0], 0.05));
    std::fflush(stdout);
}

bool compare_all(const Options& options) {
    Side stock(false), plugin(true);
    for (const std::string& name : options.operations) {
        const bench::Operation& operation = bench::operation_named(name);
        for (const std::uint64_t size : operation.sized ? options.sizes : std::vector<std::uint64_t>{0}) {
            compare(operation, size, options, stock, plugin);
        }
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Compares calls that coll/strata passes through to Open MPI with the same calls without it: lower\n"
        "quartiles over blocks of calls. Spread: from the 5th to the 50th of 100 blocks without it.\n"
        "Under valgrind --tool=callgrind: one dump per operation and size."};
    app.add_option("--op", options.operations, "Operations (all ten)")->delimiter(',');
    app.add_option("--sizes", options.sizes, "Bytes (8,64,512,4096)")->delimiter(',');
    app.add_option("--calls", options.calls, "Calls per block (2000)")->check(CLI::PositiveNumber);
    app.add_option("--blocks", options.blocks, "Blocks of each kind (40)")->check(CLI::PositiveNumber);
    return bench::run(app, argc, argv, "passed_calls", [&] { return compare_all(options); });
}
