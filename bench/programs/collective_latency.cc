// Measures the time of a collective operation from an agreed start and checks every byte of every
// result.
//
// The program is plain MPI: it does not know the library's components, and it calls no collective
// operation except the measured one and those that make communicators.

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "agreed_start.h"
#include "calls.h"
#include "collective_operations.h"
#include "command_line.h"
#include "job_files.h"
#include "latency_measurement.h"
#include "latency_options.h"
#include "latency_output.h"
#include "node_split.h"
#include "parties.h"
#include "rank_order.h"

namespace {

constexpr const char* description =
    "Measures a collective operation of MPI and checks every byte of every result.\n\n"
    "All ranks start at an agreed time. A repetition ends when the last rank that waits for data returns:\n"
    "the root for Reduce, Gather and Gatherv (the others only send their part, and their return depends\n"
    "on buffers more than on the operation), the last of all ranks for all others. That may be the root\n"
    "of a Broadcast or Scatter, whose buffer is in use until then. (Timing from a barrier would flatter\n"
    "an operation whose ranks leave the barrier late.)\n";

constexpr const char* footer =
    "\nBarrier: an untimed repetition follows every timed one; in it one rank in turn enters a\n"
    "millisecond late. In both, no rank may leave before the last one has entered.\n"
    "Exit status: 0 if all sizes were measured and all results were right.";

using Parties = std::vector<std::unique_ptr<bench::Party>>;

// Returns, on all ranks, the text of a file that rank 0 reads. Throws on all ranks if rank 0 cannot read
// it.
std::string read_file(bench::Conductor& conductor, const std::string& path) {
    std::string text;
    bool good = true;
    if (conductor.rank() == 0) {
        std::ifstream file(path, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(file), {});
        good = file.good() || file.eof();
        good = good && file.is_open();
    }
    if (conductor.agree(good) == 0) throw std::invalid_argument(path + ": cannot be read");
    return conductor.share(text);
}

std::vector<bench::Cell> cells_of(const bench::Options& options, bench::Conductor& conductor) {
    if (!options.cells.empty()) return bench::parse_cells(read_file(conductor, options.cells), options.cells);
    std::vector<bench::Cell> cells;
    for (const auto& name : options.operations) {
        const bool sized = bench::operation_named(name).sized;
        cells.push_back({name, options.root, sized ? options.sizes : std::vector<std::uint64_t>{0}, {}});
    }
    return cells;
}

// Returns the contenders, each to be given its own communicator, or the single algorithm that runs on
// the ranks' own communicator.
std::vector<bench::Contender> contenders_of(const bench::Options& options, bench::Conductor& conductor) {
    if (options.contenders.empty()) {
        return {{.name = options.algorithm, .algorithm = options.algorithm, .info = {}, .sizes = {}}};
    }
    return bench::parse_contenders(read_file(conductor, options.contenders), options.contenders);
}

// Throws on all ranks if the options do not suit this number of ranks.
void check(const bench::Options& options, const std::vector<bench::Cell>& cells, int ranks) {
    for (const auto& cell : cells) {
        if (bench::operation_named(cell.operation).rooted && bench::root_rank(cell.root, ranks) >= ranks) {
            throw std::invalid_argument("--root " + cell.root + ": there are only " + std::to_string(ranks) +
                                        " ranks");
        }
        if (options.contenders.empty() && !bench::algorithm_named(options.algorithm).has(cell.operation)) {
            throw std::invalid_argument("--with " + options.algorithm + ": it has no " + cell.operation);
        }
    }
}

// Measures one size of a cell with all parties that take part.
struct SizeRun {
    std::uint64_t size = 0;
    std::vector<const bench::Party*> taking_part;
    std::vector<bench::Calls*> calls;
    std::vector<bench::Result> results;

    SizeRun(const bench::Cell& cell, std::uint64_t bytes, const Parties& parties) : size(bytes) {
        for (const auto& party : parties) {
            if (!party->obstacle(cell.operation).empty() || !cell.wants(party->contender(), size)) continue;
            taking_part.push_back(party.get());
            calls.push_back(party->calls());
        }
    }
    void measure(const bench::Options& options, bench::Conductor& conductor, const bench::Cell& cell,
                 int repetitions, double share) {
        if (calls.empty()) return;
        bench::Measurement measurement(conductor, bench::operation_named(cell.operation), calls,
                                       bench::root_rank(cell.root, conductor.size()), size, options,
                                       std::move(results));
        results = measurement.run(repetitions, share);
    }
    // Prints on rank 0. Returns whether all results were right.
    bool report(bench::Output& output) const {
        bool good = true;
        for (std::size_t place = 0; place < results.size(); ++place) {
            good = good && results[place].right() && !results[place].times_us.empty();
            output.add(taking_part[place]->contender(), size, results[place]);
        }
        return good;
    }
};

// Measures all sizes of a cell; returns, on rank 0, whether all results were right. With contenders,
// half of the repetitions go up through the sizes and the others back down, so that a machine that
// changes its speed meanwhile affects all sizes alike.
bool measure_cell(const bench::Options& options, bench::Conductor& conductor, const bench::Cell& cell,
                  const Parties& parties, bench::Output& output) {
    std::vector<SizeRun> runs;
    for (const std::uint64_t size : cell.sizes) runs.emplace_back(cell, size, parties);
    if (!options.contenders.empty() && runs.size() > 1 && options.repetitions > 1) {
        for (SizeRun& run : runs) run.measure(options, conductor, cell, (options.repetitions + 1) / 2, 0.5);
        std::reverse(runs.begin(), runs.end());
    }
    bool good = true;
    for (SizeRun& run : runs) {
        run.measure(options, conductor, cell, options.repetitions, 1);
        good = (conductor.rank() != 0 || run.report(output)) && good;
    }
    return good;
}

// Returns on every rank whether all sizes were measured and all results were right.
bool measure_all(const bench::Options& options, MPI_Comm comm, std::span<const int> node_of) {
    bench::Conductor conductor(comm);
    const auto cells = cells_of(options, conductor);
    const auto contenders = contenders_of(options, conductor);
    check(options, cells, conductor.size());
    const bool reporting = conductor.rank() == 0;
    bench::Output output(options, conductor.size());
    if (conductor.agree(!reporting || output.open()) == 0) return false;
    Parties parties;
    for (const auto& one : contenders) {
        parties.push_back(std::make_unique<bench::Party>(one, comm, node_of, !options.contenders.empty()));
        if (reporting && !options.contenders.empty())
            output.introduce(one.name, parties.back()->communicator());
    }
    bool good = true;
    for (std::size_t number = 0; number < cells.size(); ++number) {
        const bench::Cell& cell = cells[number];
        if (reporting) output.begin(cell, static_cast<int>(number));
        for (const auto& party : parties) {
            const std::string why = party->obstacle(cell.operation);
            if (why.empty()) continue;
            if (options.contenders.empty())
                throw std::invalid_argument("--with " + options.algorithm + ": " + why);
            if (reporting) output.skip(party->contender().name, why);
        }
        good = measure_cell(options, conductor, cell, parties, output) && good;
    }
    return conductor.agree(good) != 0;
}

void complain(MPI_Comm comm, const std::exception& error) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) std::fprintf(stderr, "collective_latency: %s\n", error.what());
}

bool measured(const bench::Options& options, MPI_Comm comm, std::span<const int> node_of) {
    try {
        return measure_all(options, comm, node_of);
    } catch (const std::invalid_argument& error) {  // all ranks throw the same error
        complain(comm, error);
        return false;
    }
}

// Redirects this process's standard error to a file of its own. Leaves it as it is where the file cannot
// be created: a node may not see the folder.
void redirect_errors(const std::string& prefix) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string path = prefix + "." + std::to_string(rank);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    dup2(file, STDERR_FILENO);
    close(file);
}

// Measures on the ranks in the wanted order. Returns true on ranks that the order leaves out.
bool measure_in_order(const bench::Options& options) {
    if (!options.errors.empty()) redirect_errors(options.errors);
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> node_of = options.nodes;
    if (node_of.empty()) {
        node_of = options.needs_nodes() ? bench::nodes_by_memory(MPI_COMM_WORLD)
                                        : std::vector<int>(static_cast<std::size_t>(ranks));
    }
    if (static_cast<int>(node_of.size()) != ranks) {
        throw std::invalid_argument("--nodes: " + std::to_string(node_of.size()) + " nodes for " +
                                    std::to_string(ranks) + " ranks");
    }
    const std::vector<int> order = bench::ordered_ranks(node_of, options.order, options.seed);
    std::vector<int> node_of_new;
    for (const int rank : order) node_of_new.push_back(node_of[static_cast<std::size_t>(rank)]);
    MPI_Comm comm = bench::ordered(MPI_COMM_WORLD, order);
    const bool good = comm == MPI_COMM_NULL || measured(options, comm, node_of_new);
    if (static_cast<int>(order.size()) < ranks) bench::wait_for_all(MPI_COMM_WORLD);
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Options options;
    CLI::App app{description};
    app.footer(footer);
    bench::describe(app, options);
    return bench::run(app, argc, argv, "collective_latency", [&] { return measure_in_order(options); });
}
