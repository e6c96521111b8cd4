// Measures the cost of a new communicator up to the end of its first collective operation, by contender.

#include <malloc.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "agreed_start.h"
#include "command_line.h"
#include "job_files.h"

namespace {

constexpr const char* description =
    "Measures the cost of a communicator: the time to make it (MPI_Comm_dup_with_info), of its first\n"
    "collective operation and of a later one, and the memory up to then. Contenders take turns, each\n"
    "with a new communicator per repetition. Its ranks are evenly spread over the job: the same ranks,\n"
    "in the same order or, with --reorder, in another one every time.\n";

struct Options {
    std::string contenders;
    std::string operation = "bcast";
    std::vector<int> sizes = {8};
    std::vector<int> ranks = {2, 4, 8, 16};
    bool reorder = false;
    int repetitions = 20;
    double spin_us = 500;
    std::string json;
};

// Times of the slowest rank and greatest heap of any rank in one repetition.
struct Cost {
    std::int64_t making_ns = 0, first_ns = 0, both_ns = 0, later_ns = 0, heap_bytes = 0;
    std::int64_t leading_rank = 0;  // job rank that was rank 0 of the communicator
};

std::int64_t heap_in_use() {
    const auto info = mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

// Returns a communicator of `wanted` ranks, evenly spread over the world; MPI_COMM_NULL on other ranks.
MPI_Comm spread(int wanted) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool member = false;
    for (int i = 0; i < wanted; ++i) {
        member = member || rank == static_cast<int>(static_cast<std::int64_t>(i) * size / wanted);
    }
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &made);
    return made;
}

// Returns the same ranks in an order that follows from `number`.
MPI_Comm reordered(MPI_Comm comm, std::uint32_t number) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::seed_seq seed{number, static_cast<std::uint32_t>(rank)};
    std::mt19937 random(seed);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(comm, 0, static_cast<int>(random() >> 1U), &made);
    return made;
}

class Measurement {
public:
    Measurement(const Options& options, MPI_Comm comm, int bytes)
        : options_(options),
          comm_(comm),
          conductor_(comm),
          in_((static_cast<std::size_t>(bytes) + sizeof(double) - 1) / sizeof(double)),
          out_(in_.size()),
          bytes_(bytes) {}

    bool is_first() const { return conductor_.rank() == 0; }

    // `number` is that of the repetition; all contenders use the same order of ranks in it.
    Cost repeat(const bench::Contender& contender, std::uint32_t number) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        for (const auto& [key, value] : contender.info) MPI_Info_set(info, key.c_str(), value.c_str());
        MPI_Comm original = options_.reorder ? reordered(comm_, number) : comm_;
        const std::int64_t heap = heap_in_use();
        MPI_Comm made = MPI_COMM_NULL;
        conductor_.start(true, static_cast<std::int64_t>(options_.spin_us * 1e3));
        const std::int64_t begin = bench::now_ns();
        MPI_Comm_dup_with_info(original, info, &made);
        const std::int64_t is_made = bench::now_ns();
        call(made);
        const std::int64_t is_used = bench::now_ns();
        const bench::Outcome both = conductor_.finish(is_used);
        const std::int64_t taken = heap_in_use() - heap;
        conductor_.start(true, static_cast<std::int64_t>(options_.spin_us * 1e3));
        call(made);
        const bench::Outcome later = conductor_.finish(bench::now_ns());
        const Cost cost{greatest(is_made - begin),
                        greatest(is_used - is_made),
                        both.late == 0 ? both.duration_ns : 0,
                        later.late == 0 ? later.duration_ns : 0,
                        greatest(taken),
                        greatest(is_first_of(made) ? conductor_.rank() : -1)};
        MPI_Comm_free(&made);
        if (original != comm_) MPI_Comm_free(&original);
        MPI_Info_free(&info);
        return cost;
    }

private:
    void call(MPI_Comm comm) {
        if (options_.operation == "barrier") {
            MPI_Barrier(comm);
        } else if (options_.operation == "allreduce") {
            MPI_Allreduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_DOUBLE, MPI_SUM, comm);
        } else {
            MPI_Bcast(in_.data(), bytes_, MPI_BYTE, 0, comm);
        }
    }

    static bool is_first_of(MPI_Comm comm) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        return rank == 0;
    }

    std::int64_t greatest(std::int64_t own) {
        const auto all = conductor_.gather(own);
        return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
    }

    const Options& options_;
    MPI_Comm comm_;
    bench::Conductor conductor_;
    std::vector<double> in_, out_;  // Allreduce works on whole elements
    int bytes_;
};

void write(std::FILE* file, int ranks, int bytes, const std::string& name, const std::vector<Cost>& costs) {
    std::fprintf(file, "{\"ranks\": %d, \"bytes\": %d, \"contender\": \"%s\"", ranks, bytes, name.c_str());
    const auto list = [&](const char* what, std::int64_t Cost::*member, bool positive) {
        std::fprintf(file, ", \"%s\": [", what);
        const char* comma = "";
        for (const Cost& cost : costs) {
            if (positive && cost.*member <= 0) continue;  // a rank started late
            std::fprintf(file, "%s%lld", comma, static_cast<long long>(cost.*member));
            comma = ", ";
        }
        std::fprintf(file, "]");
    };
    list("making_ns", &Cost::making_ns, true);
    list("first_ns", &Cost::first_ns, true);
    list("both_ns", &Cost::both_ns, true);
    list("later_ns", &Cost::later_ns, true);
    list("heap_bytes", &Cost::heap_bytes, false);
    list("leading_rank", &Cost::leading_rank, false);
    std::fprintf(file, "}\n");
}

void measure_cell(const Options& options, const std::vector<bench::Contender>& contenders, int ranks,
                  int bytes, std::FILE* file) {
    MPI_Comm comm = spread(ranks);
    if (comm != MPI_COMM_NULL) {
        {
            Measurement measurement(options, comm, bytes);
            std::map<std::string, std::vector<Cost>> costs;
            constexpr int warm_up = 2;
            for (int i = -warm_up; i < options.repetitions; ++i) {
                for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
                    const auto number = static_cast<std::uint32_t>(i + warm_up);
                    const auto& contender = contenders[(turn + number) % contenders.size()];
                    const Cost cost = measurement.repeat(contender, number);
                    if (i >= 0) costs[contender.name].push_back(cost);
                }
            }
            for (const auto& contender : contenders) {
                if (file != nullptr) write(file, ranks, bytes, contender.name, costs[contender.name]);
            }
        }
        MPI_Comm_free(&comm);
    }
    // Other ranks sleep, because a rank that waits for a message occupies a core.
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int done = 0; done == 0;) {
        MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        if (done == 0) bench::wait_until(bench::now_ns() + 5'000'000, 0);
    }
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument(path + ": cannot be read");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool measure(const Options& options) {
    bench::Conductor conductor(MPI_COMM_WORLD);
    if (conductor.size() < *std::max_element(options.ranks.begin(), options.ranks.end())) {
        throw std::invalid_argument("--ranks: the job has " + std::to_string(conductor.size()));
    }
    const auto contenders = bench::parse_contenders(text_of(options.contenders), options.contenders);
    std::FILE* file = conductor.rank() == 0 ? std::fopen(options.json.c_str(), "w") : nullptr;
    if (conductor.rank() == 0 && file == nullptr) std::perror(options.json.c_str());
    if (conductor.agree(conductor.rank() != 0 || file != nullptr) == 0) return false;
    for (const int ranks : options.ranks) {
        for (const int bytes : options.sizes) measure_cell(options, contenders, ranks, bytes, file);
    }
    return file == nullptr || std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{description};
    app.add_option("--contenders", options.contenders,
                   "File of contenders: [{\"name\": \"han\", \"info\": {\"ompi_comm_coll_preference\": "
                   "\"han\"}}, ...]")
        ->required();
    app.add_option("--op", options.operation, "Operation")
        ->check(CLI::IsMember({"bcast", "allreduce", "barrier"}))
        ->capture_default_str();
    app.add_option("--sizes", options.sizes, "Bytes of the operation: 8,65536,...")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 30))
        ->capture_default_str();
    app.add_option("--ranks", options.ranks, "Ranks of the communicators: 2,4,...")
        ->delimiter(',')
        ->check(CLI::Range(2, 1 << 20))
        ->capture_default_str();
    app.add_flag("--reorder", options.reorder, "Gives every communicator another order of its ranks");
    bench::describe_timing(app, options.repetitions, "Repetitions of every contender", options.spin_us);
    app.add_option(
           "--json", options.json,
           "File for one JSON object per communicator size, message size and contender, written by rank 0")
        ->required();
    return bench::run(app, argc, argv, "communicator_cost", [&] { return measure(options); });
}
