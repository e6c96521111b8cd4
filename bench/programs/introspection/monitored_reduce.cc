// Times Reduce, or a ping-pong, with an active monitoring session, with a suspended one, and without any
// monitoring. Source: the paper on introspection monitoring, section 6.2.

#include <mpi.h>
#include <MPI_Monitoring.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "agreed_start.h"
#include "checked.h"
#include "command_line.h"

namespace {

using bench::check;

constexpr const char* description =
    "Times Reduce of integers to rank 0, or a message from rank 0 to the last rank and back, from an\n"
    "agreed start until rank 0 has the result. With\n"
    "--monitored, which needs Open MPI's monitoring, it times an active and then a suspended session of\n"
    "all processes; otherwise it makes no call of the monitoring library.\n";

struct Options {
    std::vector<int> sizes = {4, 64, 1024, 16384, 65536};
    int repetitions = 15;
    double spin_us = 500;
    bool monitored = false;
    std::string operation = "reduce";
    std::string json;
};

class Measurement {
public:
    Measurement(const Options& options, bench::Conductor& conductor, int bytes)
        : options_(options),
          conductor_(conductor),
          in_(static_cast<std::size_t>(bytes) / sizeof(int), conductor.rank()),
          out_(in_.size()) {}

    void warm_up() {
        constexpr int calls = 5;
        for (int i = 0; i < calls; ++i) call();
    }

    // Returns nanoseconds on rank 0; a late start leaves no time.
    void repeat(std::vector<std::int64_t>& times_ns) {
        conductor_.start(true, static_cast<std::int64_t>(options_.spin_us * 1e3));
        call();
        const bench::Outcome outcome = conductor_.finish(bench::now_ns(), conductor_.rank() == 0);
        if (outcome.late == 0) times_ns.push_back(outcome.duration_ns);
    }

private:
    void call() {
        if (options_.operation == "reduce")
            reduce();
        else
            ping_pong();
    }

    void ping_pong() {
        const auto count = static_cast<int>(in_.size());
        const int last = conductor_.size() - 1;
        const int rank = conductor_.rank();
        if (rank == 0) MPI_Send(in_.data(), count, MPI_INT, last, 0, MPI_COMM_WORLD);
        if (rank == 0 || rank == last)
            MPI_Recv(out_.data(), count, MPI_INT, last - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == last) MPI_Send(in_.data(), count, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }

    void reduce() {
        MPI_Reduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_INT, MPI_SUM, 0,
                   MPI_COMM_WORLD);
    }

    const Options& options_;
    bench::Conductor& conductor_;
    std::vector<int> in_, out_;
};

void write(std::FILE* file, int bytes, const char* state, const std::vector<std::int64_t>& times_ns) {
    std::fprintf(file, "{\"size\": %d, \"state\": \"%s\", \"ns\": [", bytes, state);
    const char* comma = "";
    for (const std::int64_t time : times_ns) {
        std::fprintf(file, "%s%lld", std::exchange(comma, ", "), static_cast<long long>(time));
    }
    std::fprintf(file, "]}\n");
}

void measure_size(const Options& options, bench::Conductor& conductor, int bytes, MPI_M_msid session,
                  std::FILE* file) {
    Measurement measurement(options, conductor, bytes);
    std::vector<std::int64_t> without, active, suspended;
    const auto repeat = [&](std::vector<std::int64_t>& times_ns) {
        measurement.warm_up();
        for (int i = 0; i < options.repetitions; ++i) measurement.repeat(times_ns);
    };
    if (options.monitored) {
        // Every state is timed in rows: a call right after MPI_M_continue, which programs call rarely,
        // finds cold caches.
        check(MPI_M_continue(session), "MPI_M_continue");
        repeat(active);
        check(MPI_M_suspend(session), "MPI_M_suspend");
        repeat(suspended);
    } else {
        repeat(without);
    }
    if (file == nullptr) return;
    if (!options.monitored) return write(file, bytes, "without", without);
    write(file, bytes, "active", active);
    write(file, bytes, "suspended", suspended);
}

bool measure(const Options& options) {
    MPI_M_msid session = 0;
    if (options.monitored) {
        if (MPI_M_init() != MPI_SUCCESS) return false;
        check(MPI_M_start(MPI_COMM_WORLD, &session), "MPI_M_start");
        check(MPI_M_suspend(session), "MPI_M_suspend");
    }
    bench::Conductor conductor(MPI_COMM_WORLD);
    std::FILE* file = conductor.rank() == 0 ? std::fopen(options.json.c_str(), "w") : nullptr;
    if (conductor.rank() == 0 && file == nullptr) std::perror(options.json.c_str());
    if (conductor.agree(conductor.rank() != 0 || file != nullptr) == 0) return false;
    for (const int bytes : options.sizes) measure_size(options, conductor, bytes, session, file);
    if (options.monitored) {
        check(MPI_M_free(session), "MPI_M_free");
        check(MPI_M_finalize(), "MPI_M_finalize");
    }
    return file == nullptr || std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{description};
    app.add_option("--sizes", options.sizes, "Bytes of the vectors: 4,64,...")
        ->delimiter(',')
        ->check(CLI::Range(4, 1 << 30))
        ->capture_default_str();
    bench::describe_timing(app, options.repetitions, "Repetitions at every size", options.spin_us);
    app.add_option("--op", options.operation, "reduce, or pingpong between rank 0 and the last one")
        ->check(CLI::IsMember({"reduce", "pingpong"}))
        ->capture_default_str();
    app.add_flag("--monitored", options.monitored, "With a session");
    app.add_option("--json", options.json, "File for one JSON object per size and state, written by rank 0")
        ->required();
    return bench::run(app, argc, argv, "monitored_reduce", [&] { return measure(options); });
}
