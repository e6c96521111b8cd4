// Compares what a monitoring session records of a message pattern with the counters of the nodes' NICs.

#include <mpi.h>
#include <MPI_Monitoring.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nic.h"
#include "checked.h"
#include "command_line.h"

namespace {

using bench::check;

constexpr const char* description =
    "Watches a pattern of messages with a monitoring session and with the counters of the nodes' NICs.\n\n"
    "Patterns: shift (each rank to the rank one node further on), random (each rank to another one,\n"
    "with other sizes and pairs in every call), bcast, reduce, allgather, alltoall. Needs Open MPI's\n"
    "monitoring.\n";

constexpr std::int64_t least_random_bytes = 256 << 10;
constexpr auto quiet_time = std::chrono::milliseconds(50);  // time until the NIC has sent all data

struct Options {
    std::string pattern = "shift";
    std::string nic = "eth0";
    std::string json;
    std::int64_t bytes = 1 << 20;
    int calls = 4;
};

// Placement of ranks; nodes are numbered in the order of their lowest ranks.
struct Places {
    int rank = 0, size = 1, ranks_here = 1;
    bool leads = false;  // the lowest rank of its node
    std::vector<int> node_of;

    Places() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
        int leader = rank;
        MPI_Bcast(&leader, 1, MPI_INT, 0, node);
        MPI_Comm_size(node, &ranks_here);
        MPI_Comm_free(&node);
        leads = leader == rank;
        node_of.resize(static_cast<std::size_t>(size));
        MPI_Allgather(&leader, 1, MPI_INT, node_of.data(), 1, MPI_INT, MPI_COMM_WORLD);
        std::vector<int> leaders = node_of;
        std::ranges::sort(leaders);
        leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
        for (int& node_number : node_of) {
            const auto found = std::ranges::lower_bound(leaders, node_number);
            node_number = static_cast<int>(found - leaders.begin());
        }
    }
};

class Pattern {
public:
    Pattern(const Options& options, const Places& places) : options_(options), places_(places) {
        const auto blocks = static_cast<std::size_t>(options.pattern.starts_with("all") ? places.size : 1);
        const auto bytes = static_cast<std::size_t>(options.bytes);
        out_.assign(options.pattern == "alltoall" ? blocks * bytes : bytes, 'x');
        in_.assign(blocks * bytes, 'y');
        MPI_Allreduce(&places.ranks_here, &most_here_, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }

    void call(int number) {
        const int n = static_cast<int>(options_.bytes);
        const int root = number % places_.size;
        if (options_.pattern == "shift") {
            const int distance = most_here_ % places_.size;
            exchange((places_.rank + distance) % places_.size, n,
                     (places_.rank + places_.size - distance) % places_.size, n);
        } else if (options_.pattern == "random") {
            random(static_cast<unsigned>(number));
        } else if (options_.pattern == "bcast") {
            MPI_Bcast(out_.data(), n, MPI_BYTE, root, MPI_COMM_WORLD);
        } else if (options_.pattern == "reduce") {
            MPI_Reduce(out_.data(), in_.data(), n, MPI_BYTE, MPI_BOR, root, MPI_COMM_WORLD);
        } else if (options_.pattern == "allgather") {
            MPI_Allgather(out_.data(), n, MPI_BYTE, in_.data(), n, MPI_BYTE, MPI_COMM_WORLD);
        } else {
            MPI_Alltoall(out_.data(), n, MPI_BYTE, in_.data(), n, MPI_BYTE, MPI_COMM_WORLD);
        }
    }

private:
    void exchange(int to, int to_bytes, int from, int from_bytes) {
        MPI_Request requests[2];
        MPI_Irecv(in_.data(), from_bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out_.data(), to_bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }

    // All ranks draw the same numbers.
    void random(unsigned number) {
        std::mt19937 draw(number);
        std::vector<int> to(static_cast<std::size_t>(places_.size)), bytes(to.size());
        std::iota(to.begin(), to.end(), 0);
        std::shuffle(to.begin(), to.end(), draw);
        std::uniform_int_distribution<int> size(least_random_bytes, static_cast<int>(options_.bytes));
        for (int& one : bytes) one = size(draw);
        const auto own = static_cast<std::size_t>(places_.rank);
        const auto from = static_cast<std::size_t>(std::ranges::find(to, places_.rank) - to.begin());
        exchange(to[own], bytes[own], static_cast<int>(from), bytes[from]);
    }

    const Options& options_;
    const Places& places_;
    int most_here_ = 1;  // ranks of a node
    std::vector<char> out_, in_;
};

struct Watched {
    std::vector<unsigned long> messages, bytes;  // on rank 0: [sender * ranks + receiver]
    std::vector<std::int64_t> nics;              // on rank 0: five counters per rank; zero except for leaders
};

bench::NicCounters read_when_quiet(const Options& options) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::this_thread::sleep_for(quiet_time);
    const bench::NicCounters counters = bench::read_nic(options.nic);
    // No rank continues before all have read. Messages of this and the other barriers cross the wire
    // outside any session: some kilobytes.
    MPI_Barrier(MPI_COMM_WORLD);
    return counters;
}

Watched watch(const Options& options, const Places& places) {
    Pattern pattern(options, places);
    for (int i = 0; i < options.calls; ++i) pattern.call(i);  // opens the connections
    MPI_M_msid session = 0;
    check(MPI_M_start(MPI_COMM_WORLD, &session), "MPI_M_start");
    check(MPI_M_suspend(session), "MPI_M_suspend");
    const bench::NicCounters before = read_when_quiet(options);
    check(MPI_M_continue(session), "MPI_M_continue");
    for (int i = 0; i < options.calls; ++i) pattern.call(i);
    check(MPI_M_suspend(session), "MPI_M_suspend");
    const bench::NicCounters nic = read_when_quiet(options) - before;

    Watched watched;
    const auto n = static_cast<std::size_t>(places.rank == 0 ? places.size : 0);
    watched.messages.resize(n * n);
    watched.bytes.resize(n * n);
    check(MPI_M_rootgather_data(session, 0, watched.messages.data(), watched.bytes.data(), MPI_M_P2P_ONLY),
          "MPI_M_rootgather_data");
    check(MPI_M_free(session), "MPI_M_free");
    const std::int64_t mine[] = {nic.sent_bytes, nic.sent_packets, nic.received_bytes, nic.received_packets,
                                 nic.resent_segments};
    const std::int64_t nothing[] = {0, 0, 0, 0, 0};
    watched.nics.resize(5 * n);
    MPI_Gather(places.leads ? mine : nothing, 5, MPI_INT64_T, watched.nics.data(), 5, MPI_INT64_T, 0,
               MPI_COMM_WORLD);
    return watched;
}

template <class Numbers>
void write_numbers(std::FILE* file, const char* name, const Numbers& numbers) {
    std::fprintf(file, ", \"%s\": [", name);
    const char* comma = "";
    for (const auto number : numbers) {
        std::fprintf(file, "%s%s", std::exchange(comma, ", "), std::to_string(number).c_str());
    }
    std::fprintf(file, "]");
}

bool write(const Options& options, const Places& places, const Watched& watched) {
    std::FILE* file = std::fopen(options.json.c_str(), "w");
    if (file == nullptr) {
        std::perror(options.json.c_str());
        return false;
    }
    std::fprintf(file, "{\"pattern\": \"%s\", \"bytes\": %lld, \"calls\": %d, \"header_bytes\": %d",
                 options.pattern.c_str(), static_cast<long long>(options.bytes), options.calls,
                 bench::packet_header_bytes());
    write_numbers(file, "node_of", places.node_of);
    write_numbers(file, "messages", watched.messages);
    write_numbers(file, "matrix", watched.bytes);
    write_numbers(file, "nics", watched.nics);
    std::fprintf(file, "}\n");
    return std::fclose(file) == 0;
}

bool measure(const Options& options) {
    bench::read_nic(options.nic);  // every node has one, or the option is refused
    if (options.pattern == "random" && options.bytes < least_random_bytes) {
        throw std::invalid_argument("--bytes: messages of the pattern random have 256 KiB at least");
    }
    const Places places;
    if (MPI_M_init() != MPI_SUCCESS) return false;
    const Watched watched = watch(options, places);
    check(MPI_M_finalize(), "MPI_M_finalize");
    return places.rank != 0 || write(options, places, watched);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{description};
    app.add_option("--pattern", options.pattern, "Pattern to send")
        ->check(CLI::IsMember({"shift", "random", "bcast", "reduce", "allgather", "alltoall"}))
        ->capture_default_str();
    app.add_option("--bytes", options.bytes,
                   "Bytes per message (the most for random) or per rank's chunk (allgather, alltoall)")
        ->check(CLI::Range(1, 1 << 30))
        ->capture_default_str();
    app.add_option("--calls", options.calls, "How often")->check(CLI::Range(1, 1000))->capture_default_str();
    app.add_option("--nic", options.nic, "Network interface to read on every node")->capture_default_str();
    app.add_option("--json", options.json, "File for the counters, written by rank 0")->required();
    return bench::run(app, argc, argv, "wire_patterns", [&] { return measure(options); });
}
