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

// A root as --root takes it: a rank, or a word.
constexpr const char* root_expected = "a rank, 'middle', 'last' or 'rotate'";
bool is_root(const std::string& text);
// Its rank on a communicator of so many, perhaps one that is not there, or rotating_root.
int root_rank(const std::string& text, int ranks);

struct Options {
    std::vector<std::string> operations = {"bcast"};
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
    std::string errors;      // files, before their '.' and rank; empty: standard error is left as it is
    std::string contenders;  // file; empty: one, who is `algorithm`
    std::string cells;       // file; empty: `operations` with `sizes` and `root`

    bool needs_nodes() const { return algorithm != "mpi" || !contenders.empty() || order != "world"; }
    std::int64_t spin_ns() const { return static_cast<std::int64_t>(spin_us * 1e3); }
};

// Options of the command line, to be parsed into `options`.
void describe(CLI::App& app, Options& options);

}  // namespace bench
