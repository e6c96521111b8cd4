// How long MPI_Bcast takes, measured from an agreed start to the latest end, with every byte checked.
//
// An ordinary MPI program: it knows nothing about the library's components. All ranks must share one kernel
// (see agreed_start.h), as on one machine or on bench/cluster.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "agreed_start.h"
#include "payload.h"

namespace {

constexpr int rotating = -1;
constexpr int most_discarded_in_a_row = 50;

struct Options {
    std::vector<std::uint64_t> sizes = {8, 8192, 65536, 1 << 20, 4 << 20};
    std::string root = "0";
    int repetitions = 10;
    int warm_up = 2;
    double min_time_s = 0;
    double spin_us = 20;
    std::string json;

    int root_rank() const { return root == "rotate" ? rotating : std::stoi(root); }
};

struct Result {
    std::vector<double> times_us;
    std::int64_t wrong_bytes = 0;
    std::int64_t discarded = 0;  // repetitions whose start came too late for some rank
};

void describe(CLI::App& app, Options& options) {
    app.add_option("--sizes", options.sizes, "Message sizes in bytes; K and M are 1024 and 1024*1024")
        ->delimiter(',')
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT32_MAX}))
        ->default_str("8,8K,64K,1M,4M");
    app.add_option("--root", options.root, "Rank of the root, or 'rotate': repetition i has root i mod ranks")
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

// Every rank takes part; the result is complete on rank 0.
Result measure(bench::Conductor& conductor, std::uint64_t size, const Options& options) {
    std::vector<char> buffer(size);
    Result result;
    double total_us = 0;
    int discarded_in_a_row = 0;
    const auto spin_ns = static_cast<std::int64_t>(options.spin_us * 1e3);
    const auto wanted = static_cast<std::size_t>(options.repetitions);
    for (std::uint64_t repetition = 0;; ++repetition) {
        const int root = options.root_rank() == rotating
                             ? static_cast<int>(repetition % static_cast<std::uint64_t>(conductor.size()))
                             : options.root_rank();
        if (conductor.rank() == root) {
            bench::fill(buffer, repetition);
        } else {
            bench::spoil(buffer, repetition);
        }
        const bool more = result.times_us.size() < wanted || total_us < options.min_time_s * 1e6;
        if (!conductor.start(more && discarded_in_a_row < most_discarded_in_a_row, spin_ns)) return result;

        MPI_Bcast(buffer.data(), static_cast<int>(size), MPI_BYTE, root, MPI_COMM_WORLD);
        const bench::Outcome outcome = conductor.finish(bench::now_ns());

        result.wrong_bytes += conductor.sum(bench::wrong_bytes(buffer, repetition));
        if (repetition < static_cast<std::uint64_t>(options.warm_up)) continue;
        if (outcome.late > 0) {
            ++result.discarded;
            ++discarded_in_a_row;
            continue;
        }
        discarded_in_a_row = 0;
        result.times_us.push_back(static_cast<double>(outcome.duration_ns) / 1e3);
        total_us += result.times_us.back();
    }
}

// The value below which a share of the sorted values lies, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void print_row(std::uint64_t size, const Result& result) {
    std::vector<double> sorted = result.times_us;
    std::sort(sorted.begin(), sorted.end());
    std::printf("%10llu %6zu %12.1f %12.1f %12.1f %12.1f %12.1f", static_cast<unsigned long long>(size),
                sorted.size(), quantile(sorted, 0.5), sorted.front(), sorted.back(), quantile(sorted, 0.25),
                quantile(sorted, 0.75));
    if (result.discarded > 0)
        std::printf("  (%lld late starts not counted)", static_cast<long long>(result.discarded));
    if (result.wrong_bytes > 0)
        std::printf("  WRONG: %lld bytes", static_cast<long long>(result.wrong_bytes));
    std::printf("\n");
    std::fflush(stdout);
}

void write_json(std::FILE* file, std::uint64_t size, int ranks, const Options& options,
                const Result& result) {
    const std::string root =
        options.root_rank() == rotating ? "\"rotate\"" : std::to_string(options.root_rank());
    std::fprintf(file,
                 "{\"operation\": \"bcast\", \"size\": %llu, \"ranks\": %d, \"root\": %s, \"reps\": %zu, "
                 "\"wrong_bytes\": %lld, \"unit\": \"us\", \"times\": [",
                 static_cast<unsigned long long>(size), ranks, root.c_str(), result.times_us.size(),
                 static_cast<long long>(result.wrong_bytes));
    for (std::size_t i = 0; i < result.times_us.size(); ++i) {
        std::fprintf(file, "%s%.3f", i == 0 ? "" : ", ", result.times_us[i]);
    }
    std::fprintf(file, "]}\n");
    std::fflush(file);
}

// Returns on every rank whether all sizes were measured and all bytes were right.
bool measure_all(const Options& options) {
    bench::Conductor conductor(MPI_COMM_WORLD);
    const bool reporting = conductor.rank() == 0;
    std::FILE* json = nullptr;
    int good = options.root_rank() < conductor.size();
    if (!good && reporting) {
        std::fprintf(stderr, "bcast_latency: --root %s: there are only %d ranks\n", options.root.c_str(),
                     conductor.size());
    }
    if (good && reporting && !options.json.empty() && !(json = std::fopen(options.json.c_str(), "w"))) {
        std::perror(options.json.c_str());
        good = false;
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!good) return false;
    if (reporting) {
        std::printf("# MPI_Bcast, %d ranks, root %s, microseconds from the agreed start to the latest end\n",
                    conductor.size(), options.root.c_str());
        std::printf("#%9s %6s %12s %12s %12s %12s %12s\n", "bytes", "reps", "median", "min", "max",
                    "quartile 1", "quartile 3");
    }
    for (const std::uint64_t size : options.sizes) {
        const Result result = measure(conductor, size, options);
        if (!reporting) continue;
        good = good && result.wrong_bytes == 0 && !result.times_us.empty();
        if (result.times_us.empty()) {
            std::fprintf(stderr, "bcast_latency: %llu bytes: no repetition started in time on all ranks\n",
                         static_cast<unsigned long long>(size));
            continue;
        }
        print_row(size, result);
        if (json) write_json(json, size, conductor.size(), options, result);
    }
    if (json) std::fclose(json);
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Options options;
    CLI::App app{"Measures MPI_Bcast from an agreed start to the latest end and checks every byte"};
    describe(app, options);
    int status = 0;
    try {
        app.parse(argc, argv);
        status = measure_all(options) ? 0 : 1;
    } catch (const CLI::ParseError& error) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        status = rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    MPI_Finalize();
    return status;
}
