// What collective_latency is told.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

constexpr int rotating_root = -1;

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

    int root_rank() const { return root == "rotate" ? rotating_root : std::stoi(root); }
    bool needs_nodes() const { return algorithm != "mpi" || order != "world"; }
    std::int64_t spin_ns() const { return static_cast<std::int64_t>(spin_us * 1e3); }
};

// Options of the command line, to be parsed into `options`.
void describe(CLI::App& app, Options& options);

}  // namespace bench
