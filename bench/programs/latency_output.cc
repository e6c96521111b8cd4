#include "latency_output.h"

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

namespace {

// The value below which a share of the sorted values lies, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

void print_head(const Operation& operation, int ranks, const Options& options) {
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

void write_json(std::FILE* file, const Operation& operation, std::uint64_t size, int ranks,
                const Options& options, const Result& result) {
    const std::string root = !operation.rooted                      ? "null"
                             : options.root_rank() == rotating_root ? "\"rotate\""
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

}  // namespace bench
