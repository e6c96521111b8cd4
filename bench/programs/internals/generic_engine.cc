// Compares the tree engine with Open MPI's generic pipelined engine on the same tree with the same
// segments. Both run in one program and alternate repetition by repetition, from agreed starts.
#include "component/communicator/pml_transport.h"  // Open MPI's internal headers have to precede mpi.h

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "agreed_start.h"
#include "algorithms/base/collective.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/engines/bcast_tree.h"
#include "command_line.h"
#include "payload.h"
#include "topology/hierarchy.h"

namespace {

using namespace strata;

struct Options {
    std::vector<std::uint64_t> sizes = {8, 1024, 8192, 65536, 1 << 20, 4 << 20};
    int ranks_per_node = 4;
    int repetitions = 20;
    int window = 4;
    std::uint64_t segment = 61440;
    std::string shapes = "cluster=pipeline,node=binomial";
};

/// Returns nodes of `per_node` consecutive ranks under one cluster.
topology::Hierarchy blocks_of(int ranks, int per_node) {
    std::vector<topology::LocalityRecord> records(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        records[static_cast<std::size_t>(rank)].node_id = static_cast<std::uint64_t>(rank / per_node + 1);
    }
    return topology::build_hierarchy(records);
}

algorithms::Plan plan_of(const topology::Hierarchy& hierarchy, const Options& options) {
    algorithms::Plan plan;
    plan.engine = algorithms::Engine::tree;
    plan.window = options.window;
    const auto rules = algorithms::parse_level_methods(options.shapes);
    for (const auto level : hierarchy.levels()) {
        algorithms::LevelPlan chosen{level, {algorithms::Algorithm::binomial, 0, {}}, options.segment};
        for (const auto& rule : rules) {
            if (rule.holds_for(level)) chosen.method = rule.method;
        }
        plan.levels.push_back(chosen);
    }
    return plan;
}

/// Converts the same edges to Open MPI's tree structure.
using GenericTree = std::unique_ptr<ompi_coll_tree_t, decltype(&std::free)>;
GenericTree generic_tree(const algorithms::TreeLinks& links, int root) {
    const std::size_t bytes = sizeof(ompi_coll_tree_t) + sizeof(int32_t) * (links.children.size() + 1);
    GenericTree tree(static_cast<ompi_coll_tree_t*>(std::calloc(1, bytes)), &std::free);
    tree->tree_root = root;
    tree->tree_prev = links.parent.peer;
    tree->tree_nextsize = static_cast<int32_t>(links.children.size());
    for (std::size_t i = 0; i < links.children.size(); ++i) tree->tree_next[i] = links.children[i].peer;
    return tree;
}

class Comparison {
public:
    explicit Comparison(const Options& options)
        : options_(options),
          conductor_(MPI_COMM_WORLD),
          comm_(MPI_COMM_WORLD),
          hierarchy_(blocks_of(conductor_.size(), options.ranks_per_node)),
          links_(algorithms::tree_links(hierarchy_, plan_of(hierarchy_, options), 0, conductor_.rank())),
          tree_(generic_tree(links_, 0)),
          transport_(comm_, counters_),
          module_(OBJ_NEW(mca_coll_base_module_t)) {
        transport_.begin_call(component::Collective::bcast, {});
        module_->base_data = OBJ_NEW(mca_coll_base_comm_t);
    }
    ~Comparison() { OBJ_RELEASE(module_); }
    Comparison(const Comparison&) = delete;
    Comparison& operator=(const Comparison&) = delete;

    /// Times of both engines in microseconds, on rank 0; false after a wrong byte.
    bool measure(std::uint64_t size, std::vector<double> (&times)[2]) {
        std::vector<char> buffer(size);
        std::int64_t wrong = 0;
        for (int turn = 0; turn < 2 * (options_.repetitions + 1); ++turn) {
            const int engine = turn % 2;
            const bench::Pattern pattern(static_cast<std::uint64_t>(turn));
            conductor_.rank() == 0 ? bench::fill(buffer, pattern) : bench::spoil(buffer, pattern);
            conductor_.start(true, 20000);
            const int rc = engine == 0 ? ours(buffer) : generic(buffer);
            const auto outcome = conductor_.finish(bench::now_ns());
            wrong += conductor_.sum(bench::wrong_bytes(buffer, pattern) + (rc != 0 ? 1 : 0));
            if (turn > 1 && outcome.late == 0) {
                times[engine].push_back(static_cast<double>(outcome.duration_ns) / 1e3);
            }
        }
        return wrong == 0;
    }
    bool reporting() const { return conductor_.rank() == 0; }

private:
    int ours(std::vector<char>& data) {
        algorithms::PackedBuffer buffer(reinterpret_cast<std::byte*>(data.data()), data.size());
        const int rc = algorithms::complete(
            transport_, algorithms::bcast_tree(transport_, links_, buffer, arena_, options_.window));
        arena_.reset();
        return rc;
    }
    int generic(std::vector<char>& data) {
        const auto segment = static_cast<uint32_t>(std::min<std::uint64_t>(options_.segment, data.size()));
        return ompi_coll_base_bcast_intra_generic(data.data(), static_cast<int>(data.size()),
                                                  &ompi_mpi_byte.dt, 0, comm_, module_, segment, tree_.get());
    }

    Options options_;
    bench::Conductor conductor_;
    ompi_communicator_t* comm_;
    topology::Hierarchy hierarchy_;
    algorithms::TreeLinks links_;
    GenericTree tree_;
    component::CommunicatorCounters counters_;
    component::PmlTransport transport_;
    algorithms::Arena arena_;
    mca_coll_base_module_t* module_;
};

double quantile(std::vector<double>& values, double share) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0
                          : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

bool compare(const Options& options) {
    Comparison comparison(options);
    bool good = true;
    if (comparison.reporting()) {
        std::printf("# microseconds, median [quartiles] of %d; segments of %llu bytes, %s\n",
                    options.repetitions, static_cast<unsigned long long>(options.segment),
                    options.shapes.c_str());
        std::printf("#%9s  %32s  %32s  %6s\n", "bytes", "strata", "Open MPI's generic engine", "ratio");
    }
    for (const auto size : options.sizes) {
        std::vector<double> times[2];
        good = comparison.measure(size, times) && good;
        if (!comparison.reporting()) continue;
        const double ours = quantile(times[0], 0.5), theirs = quantile(times[1], 0.5);
        std::printf("%10llu  %10.1f [%8.1f-%10.1f]  %10.1f [%8.1f-%10.1f]  %6.3f\n",
                    static_cast<unsigned long long>(size), ours, quantile(times[0], 0.25),
                    quantile(times[0], 0.75), theirs, quantile(times[1], 0.25), quantile(times[1], 0.75),
                    ours / theirs);
        std::fflush(stdout);
    }
    if (comparison.reporting() && !good) std::fprintf(stderr, "generic_engine: wrong data\n");
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Compares the tree engine with Open MPI's generic engine on the same tree"};
    app.add_option("--sizes", options.sizes, "Message sizes in bytes")
        ->delimiter(',')
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--ranks-per-node", options.ranks_per_node, "Consecutive ranks that share a node")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--reps", options.repetitions, "Repetitions of each")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--window", options.window, "Messages in flight per edge")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--segment", options.segment, "Segment in bytes")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
    app.add_option("--shapes", options.shapes, "Tree shape per level")->capture_default_str();
    return bench::run(app, argc, argv, "generic_engine", [&] { return compare(options); });
}
