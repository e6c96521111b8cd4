// Watches a program that sends now and then, every few milliseconds, with a monitoring session and with
// the counters of its node's NIC. Source: the paper on introspection monitoring, section 6.1.

#include <mpi.h>
#include <MPI_Monitoring.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agreed_start.h"
#include "nic.h"
#include "checked.h"
#include "command_line.h"

namespace {

using bench::check;

constexpr const char* description =
    "Rank 0 sends messages of random sizes at random times to rank 1 on another node. A thread in each\n"
    "process reads a monitoring session every --period-ms, on rank 0 also the NIC. Needs Open MPI's\n"
    "monitoring.\n";

constexpr int data_tag = 1;
constexpr int end_tag = 2;
constexpr std::int64_t second = 1'000'000'000;
constexpr auto receiver_sleeps = std::chrono::microseconds(100);

struct Options {
    std::string nic = "eth0";
    std::string json;
    double seconds = 40;
    double period_ms = 10;
    int least_bytes = 1000, most_bytes = 800'000;
    int least_ms = 50, most_ms = 1000;

    std::int64_t period_ns() const { return static_cast<std::int64_t>(period_ms * 1e6); }
    int ticks() const { return static_cast<int>(seconds * 1e3 / period_ms); }
};

struct Tick {
    std::int64_t time_ns = 0;     // seconds since the start
    unsigned long monitored = 0;  // to rank 1 since the last tick
    bench::NicCounters nic;       // seconds since the boot
};

struct Sent {
    std::int64_t time_ns = 0;
    int bytes = 0;
};

// A message that begins while the session is suspended is in none: a thread holds this while it sends or
// reads.
std::mutex sending_or_reading;

// Runs in a thread of each process, because reading a session is collective.
std::vector<Tick> read_often(const Options& options, MPI_M_msid session, std::int64_t start_ns) {
    std::vector<Tick> ticks(static_cast<std::size_t>(options.ticks()));
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        // Leaves time to send between two readings even on an overloaded machine.
        const std::int64_t due_ns = start_ns + static_cast<std::int64_t>(i) * options.period_ns();
        bench::wait_until(std::max(due_ns, bench::now_ns() + options.period_ns() / 10), 0);
        unsigned long sizes[2] = {0, 0};
        const std::lock_guard guard(sending_or_reading);
        ticks[i].nic = bench::read_nic(options.nic);
        ticks[i].time_ns = bench::now_ns() - start_ns;
        check(MPI_M_suspend(session), "MPI_M_suspend");
        check(MPI_M_get_data(session, MPI_M_DATA_IGNORE, sizes, MPI_M_P2P_ONLY), "MPI_M_get_data");
        check(MPI_M_reset(session), "MPI_M_reset");
        check(MPI_M_continue(session), "MPI_M_continue");
        ticks[i].monitored = sizes[1];
    }
    return ticks;
}

std::vector<Sent> send(const Options& options, std::int64_t start_ns) {
    std::vector<char> buffer(static_cast<std::size_t>(options.most_bytes), 'x');
    std::vector<Sent> sent;
    std::mt19937 draw(1);
    std::uniform_int_distribution<int> bytes(options.least_bytes, options.most_bytes);
    std::uniform_int_distribution<int> pause_ms(options.least_ms, options.most_ms);
    // The last message arrives before the last tick.
    const std::int64_t end_ns = start_ns + static_cast<std::int64_t>(options.seconds * second) - second;
    for (;;) {
        const std::int64_t next_ns = bench::now_ns() + pause_ms(draw) * std::int64_t{1'000'000};
        if (next_ns > end_ns) break;
        bench::wait_until(next_ns, 0);
        const int size = bytes(draw);
        MPI_Request request = MPI_REQUEST_NULL;
        {
            const std::lock_guard guard(sending_or_reading);
            sent.push_back({bench::now_ns() - start_ns, size});
            MPI_Isend(buffer.data(), size, MPI_BYTE, 1, data_tag, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Send(nullptr, 0, MPI_BYTE, 1, end_tag, MPI_COMM_WORLD);
    return sent;
}

void receive(const Options& options) {
    std::vector<char> buffer(static_cast<std::size_t>(options.most_bytes));
    MPI_Status status;
    do {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(buffer.data(), options.most_bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        // MPI_Recv would occupy a core all the time.
        for (int arrived = 0; arrived == 0;) {
            MPI_Test(&request, &arrived, &status);
            if (arrived == 0) std::this_thread::sleep_for(receiver_sleeps);
        }
    } while (status.MPI_TAG != end_tag);
}

bool write(const Options& options, const std::vector<Tick>& ticks, const std::vector<Sent>& sent) {
    std::FILE* file = std::fopen(options.json.c_str(), "w");
    if (file == nullptr) {
        std::perror(options.json.c_str());
        return false;
    }
    std::fprintf(
        file, "{\"period_ms\": %g, \"header_bytes\": %d, \"resent\": %lld,\n\"ticks\": [", options.period_ms,
        bench::packet_header_bytes(),
        static_cast<long long>(ticks.back().nic.resent_segments - ticks.front().nic.resent_segments));
    const char* comma = "";
    for (const Tick& tick : ticks) {
        std::fprintf(file, "%s[%.6f, %lu, %lld, %lld]", std::exchange(comma, ",\n"),
                     static_cast<double>(tick.time_ns) / second, tick.monitored,
                     static_cast<long long>(tick.nic.sent_bytes),
                     static_cast<long long>(tick.nic.sent_packets));
    }
    std::fprintf(file, "],\n\"sent\": [");
    comma = "";
    for (const Sent& one : sent) {
        std::fprintf(file, "%s[%.6f, %d]", std::exchange(comma, ",\n"),
                     static_cast<double>(one.time_ns) / second, one.bytes);
    }
    std::fprintf(file, "]}\n");
    return std::fclose(file) == 0;
}

void refuse_what_cannot_be(const Options& options) {
    int ranks = 0, level = MPI_THREAD_SINGLE;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Query_thread(&level);
    if (ranks != 2) throw std::invalid_argument("it needs two ranks");
    if (level < MPI_THREAD_MULTIPLE) throw std::invalid_argument("this MPI has no MPI_THREAD_MULTIPLE");
    if (options.seconds < 2) throw std::invalid_argument("--seconds: expected 2 at least");
    if (options.least_bytes > options.most_bytes || options.least_ms > options.most_ms) {
        throw std::invalid_argument("the least size or pause is greater than the greatest");
    }
    bench::read_nic(options.nic);
}

bool measure(const Options& options) {
    refuse_what_cannot_be(options);
    if (MPI_M_init() != MPI_SUCCESS) return false;
    bench::Conductor conductor(MPI_COMM_WORLD);
    MPI_M_msid session = 0;
    check(MPI_M_start(MPI_COMM_WORLD, &session), "MPI_M_start");
    std::vector<char> warm(static_cast<std::size_t>(options.most_bytes));  // opens the connections
    if (conductor.rank() == 0)
        MPI_Send(warm.data(), options.most_bytes, MPI_BYTE, 1, data_tag, MPI_COMM_WORLD);
    if (conductor.rank() == 1) {
        MPI_Recv(warm.data(), options.most_bytes, MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const std::int64_t start_ns = conductor.agree(bench::now_ns() + second / 10);
    std::vector<Tick> ticks;
    std::vector<Sent> sent;
    std::thread reader([&] { ticks = read_often(options, session, start_ns); });
    conductor.rank() == 0 ? static_cast<void>(sent = send(options, start_ns)) : receive(options);
    reader.join();
    check(MPI_M_suspend(session), "MPI_M_suspend");
    check(MPI_M_free(session), "MPI_M_free");
    check(MPI_M_finalize(), "MPI_M_finalize");
    return conductor.rank() != 0 || write(options, ticks, sent);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{description};
    bench::describe_number(app, "--seconds", options.seconds, "How long");
    app.add_option("--period-ms", options.period_ms, "Milliseconds between two readings")
        ->check(CLI::Range(1.0, 1000.0))
        ->capture_default_str();
    app.add_option("--least-bytes", options.least_bytes, "Least bytes of a message")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--most-bytes", options.most_bytes, "Most bytes of a message")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--least-ms", options.least_ms, "Between messages")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--most-ms", options.most_ms, "Between messages")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--nic", options.nic, "Network interface to read on the node")->capture_default_str();
    app.add_option("--json", options.json, "File for the readings, written by rank 0")->required();
    return bench::run(
        app, argc, argv, "wire_series", [&] { return measure(options); }, MPI_THREAD_MULTIPLE);
}
