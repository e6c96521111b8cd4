#include "latency_output.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

namespace {

using nlohmann::ordered_json;

// Returns the quantile `share` of the sorted values, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Writes whole lines at once, so that a reader finds no partial line while the measurement continues.
void write(std::FILE* file, const ordered_json& line) {
    if (!file) return;
    std::fprintf(file, "%s\n", line.dump().c_str());
    std::fflush(file);
}

}  // namespace

Output::~Output() {
    if (json_) std::fclose(json_);
}

bool Output::open() {
    if (options_.json.empty() || (json_ = std::fopen(options_.json.c_str(), "w"))) return true;
    std::perror(options_.json.c_str());
    return false;
}

void Output::introduce(const std::string& contender, int communicator) {
    write(json_, {{"contender", contender}, {"communicator", communicator}});
}

void Output::begin(const Cell& cell, int number) {
    operation_ = &operation_named(cell.operation);
    root_ = cell.root;
    cell_ = number;
    const std::string who = options_.algorithm == "mpi" ? "" : " (" + options_.algorithm + ")";
    std::printf(
        "# %s%s, %d ranks%s, microseconds from the agreed start to the end of the last rank awaited\n",
        operation_->function.data(), who.c_str(), ranks_,
        operation_->rooted ? (", root " + root_).c_str() : "");
    std::printf("#%9s %6s %12s %12s %12s %12s %12s%s\n", "bytes", "reps", "median", "min", "max",
                "quartile 1", "quartile 3", named() ? "  contender" : "");
}

void Output::skip(const std::string& contender, const std::string& why) {
    std::printf("# %s takes no part: %s\n", contender.c_str(), why.c_str());
    write(json_,
          {{"cell", cell_}, {"operation", operation_->name}, {"contender", contender}, {"skipped", why}});
}

void Output::add(const Contender& contender, std::uint64_t size, const Result& result) {
    if (result.times_us.empty()) {
        std::fprintf(stderr, "collective_latency: %s%llu bytes: no repetition began in time on all ranks\n",
                     named() ? (contender.name + ", ").c_str() : "", static_cast<unsigned long long>(size));
        return;
    }
    print_row(contender.name, result);
    ordered_json line = {{"operation", operation_->name},
                         {"with", contender.algorithm},
                         {"contender", contender.name},
                         {"order", options_.order},
                         {"cell", cell_},
                         {"size", size},
                         {"bytes", result.bytes},
                         {"ranks", ranks_}};
    const int root = root_rank(root_, ranks_);
    line["root"] = !operation_->rooted     ? ordered_json()
                   : root == rotating_root ? ordered_json("rotate")
                                           : ordered_json(root);
    line["reps"] = result.times_us.size();
    line["wrong_bytes"] = result.wrong_bytes;
    line["left_early"] = result.left_early;
    line["unit"] = "us";
    line["times"] = ordered_json::array();
    for (const double time : result.times_us) line["times"].push_back(std::round(time * 1e3) / 1e3);
    write(json_, line);
}

void Output::print_row(const std::string& contender, const Result& result) const {
    std::vector<double> sorted = result.times_us;
    std::sort(sorted.begin(), sorted.end());
    std::printf("%10llu %6zu %12.1f %12.1f %12.1f %12.1f %12.1f",
                static_cast<unsigned long long>(result.bytes), sorted.size(), quantile(sorted, 0.5),
                sorted.front(), sorted.back(), quantile(sorted, 0.25), quantile(sorted, 0.75));
    if (named()) std::printf("  %s", contender.c_str());
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

}  // namespace bench
