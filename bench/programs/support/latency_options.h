// Options of collective_latency.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

constexpr int rotating_root = -1;

// A root as --root takes it: a rank or a word.
constexpr const char* root_expected = "a rank, 'middle', 'last' or 'rotate'";
bool is_root(const std::string& text);
// Returns its rank on a communicator of `ranks` ranks, which may be out of range, or rotating_root.
int root_rank(const std::string& text, int ranks);

struct Options {
    std::vector<std::string> operations = {"bcast"};
    std::string algorithm = "mpi";
    std::string order = "world";
    std::uint64_t seed = 7;
    std::vector<int> nodes;  // by rank; empty: found through MPI
    std::vector<std::uint64_t> sizes = {8, 8192, 65536, 1 << 20, 4 << 20};
    std::string root = "0";
    int repetitions = 10;
    int warm_up = 2;
    int block = 1;
    double min_time_s = 0;
    double spin_us = 20;
    std::string json;
    std::string errors;      // prefix of the files, before '.' and rank; empty: none
    std::string contenders;  // file; empty: the only contender is `algorithm`
    std::string cells;       // file; empty: `operations` with `sizes` and `root`

    bool needs_nodes() const { return algorithm != "mpi" || !contenders.empty() || order != "world"; }
    std::int64_t spin_ns() const { return static_cast<std::int64_t>(spin_us * 1e3); }
};

// Adds to the command line the options, which it parses into `options`.
void describe(CLI::App& app, Options& options);

}  // namespace bench
