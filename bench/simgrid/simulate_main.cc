// Simulates collectives on a machine: the plugin's own code, fixed algorithms, and SMPI's selectors.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "algorithms/report/plan_listing.h"
#include "command_line.h"
#include "simulation.h"
#include "topology/text.h"

namespace {

using namespace strata;
using algorithms::Collective;
using simulation::Call;
using simulation::Outcome;
using simulation::Study;

constexpr const char* rotate = "rotate";

struct Options {
    Study study;
    std::string ops = "bcast";
    std::string sizes = "8,1k,64k,1M";
    std::string roots = "0";
    std::string contenders = "strata,mpi";
    std::vector<std::string> changes;
    std::string json;
};

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> found;
    for (const std::string_view word : topology::split(text, ','))
        found.emplace_back(topology::trimmed(word));
    return found;
}

Collective collective_of(const std::string& name) {
    std::string known;
    for (const Collective one : algorithms::all_collectives()) {
        if (!algorithms::traits_of(one).sized || one == Collective::allgatherv) continue;
        if (name_of(one) == name) return one;
        known += (known.empty() ? "" : ", ") + std::string(name_of(one));
    }
    throw std::invalid_argument("--op: unknown operation '" + name + "'; known: " + known);
}

std::optional<int> root_of(const std::string& word) {
    if (word == "all") return simulation::every_root;
    if (word == rotate) return simulation::rotating_root;
    const auto root = topology::whole_number<int>(word);
    return root && *root >= 0 ? root : std::nullopt;
}

std::string root_name(const Call& call) {
    return call.root == simulation::rotating_root ? rotate : std::to_string(call.root);
}

std::vector<Call> calls_of(const Options& options) {
    std::vector<Call> calls;
    for (const std::string& op : words(options.ops)) {
        const Collective collective = collective_of(op);
        const bool rooted = algorithms::traits_of(collective).rooted;
        for (const std::string& size : words(options.sizes)) {
            std::size_t bytes = algorithms::parse_level_sizes(size).front().bytes;
            for (const std::string& word : words(options.roots)) {
                const auto root = root_of(word);
                if (!root) throw std::invalid_argument("--roots: '" + word + "' is no rank, all or rotate");
                calls.push_back({collective, collective == Collective::barrier ? 0 : bytes, *root});
                if (!rooted) break;
            }
            if (collective == Collective::barrier) break;
        }
    }
    return calls;
}

nlohmann::json by_level(const Outcome& outcome, std::uint64_t simulation::Traffic::Count::*what) {
    nlohmann::json levels = nlohmann::json::object();
    for (const auto& count : outcome.traffic) {
        if (count.*what > 0) levels[topology::name_of(count.level)] = count.*what;
    }
    return levels;
}

nlohmann::json as_json(const Study& study, const std::vector<Outcome>& outcomes) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Outcome& outcome : outcomes) {
        const Call& call = outcome.call;
        nlohmann::json row{{"op", name_of(call.collective)},
                           {"bytes", call.bytes},
                           {"root", call.root == simulation::rotating_root ? nlohmann::json(rotate)
                                                                           : nlohmann::json(call.root)},
                           {"contender", study.contenders[outcome.contender]},
                           {"us", outcome.us},
                           {"bound_us", outcome.bound_us},
                           {"plan", outcome.plan},
                           {"reason", outcome.reason},
                           {"predicted_us", outcome.predicted_us},
                           {"forward_predicted_us", outcome.forward_us},
                           {"messages", by_level(outcome, &simulation::Traffic::Count::messages)},
                           {"bytes_by_level", by_level(outcome, &simulation::Traffic::Count::bytes)}};
        for (const auto& sent : outcome.sent) {
            nlohmann::json messages = nlohmann::json::array();
            for (const auto& [peer, rail, bytes] : sent) messages.push_back({peer, rail, bytes});
            row["sent"].push_back(messages);
        }
        rows.push_back(row);
    }
    return rows;
}

/// Returns the predictions of the plugin's model.
std::string predictions_of(const Outcome& outcome) {
    if (outcome.reason.empty()) return {};
    char predicted[80];
    std::snprintf(predicted, sizeof predicted, " predicted %.3f us, forward %.3f us: ", outcome.predicted_us,
                  outcome.forward_us);
    return predicted + outcome.reason;
}

void show(const Study& study, const Outcome& outcome, std::size_t done, std::size_t all) {
    const Call& call = outcome.call;
    std::printf("%s %zu root %s %s: %.3f us (%s)%s\n", std::string(name_of(call.collective)).c_str(),
                call.bytes, root_name(call).c_str(), study.contenders[outcome.contender].c_str(), outcome.us,
                outcome.plan.c_str(), study.explain ? predictions_of(outcome).c_str() : "");
    std::fflush(stdout);
    if (isatty(STDERR_FILENO) == 1)
        std::fprintf(stderr, "\r%zu of %zu%s", done, all, done == all ? "\n" : "");
}

void add_options(CLI::App& app, Options& options) {
    app.add_option("MACHINE", options.study.machine_file,
                   "Description of a machine (bench/simgrid/machines/)")
        ->required();
    app.add_option("--op", options.ops, "Operations")->capture_default_str();
    app.add_option("--sizes", options.sizes, "Total bytes, with k, M, G")->capture_default_str();
    app.add_option("--roots", options.roots,
                   "Root ranks; all: each by itself; rotate: every rank in turn, with an\n"
                   "acknowledged barrier after each call, as one measurement")
        ->capture_default_str();
    app.add_option("--contenders", options.contenders,
                   "mpi, tuned, strata, untuned, levels:ALGORITHM, whole:ALGORITHM,\n"
                   "flat:ALGORITHM, all:ALGORITHM (all ranks alike); gathers (a Reduce by\n"
                   "MPI_Gather level by level, combined afterwards); /BYTES after an\n"
                   "algorithm sets its segments; @VIEW sets how they see the ranks:\n"
                   "@lowest (the lowest rank leads wherever NICs are), or levels:\n"
                   "strata@numa/node")
        ->capture_default_str();
    app.add_option("--selector", options.study.selector, "SMPI's selector: ompi, mpich, impi, mvapich2")
        ->capture_default_str();
    app.add_option("--set", options.changes,
                   "NAME=NUMBER: replaces a number of the description, such as\nfar_path_mbytes_per_s=2000");
    app.add_option("--nodes", options.study.job.nodes, "Number of nodes to use");
    app.add_option("--hosts", options.study.job.hosts, "Names of the nodes to use");
    app.add_option("--ppn", options.study.job.ppn, "Ranks per node (one per core)");
    app.add_option("--placement", options.study.job.placement, "Binding as in strata-topo (core)");
    app.add_option("--order", options.study.job.order,
                   "Order of the ranks: block, cyclic, shuffle:SEED, nodes:SEED (nodes shuffled) (block)");
    app.add_option("--json", options.json, "File for all results");
    app.add_flag("--check", options.study.check, "Check the received data on every rank");
    app.add_flag("--explain", options.study.explain,
                 "Print the model's predictions and the reason for the plan too");
    app.add_flag("--traces", options.study.traces, "With --json: write every message of our own engines");
}

int run(Options& options) {
    Study& study = options.study;
    study.calls = calls_of(options);
    study.contenders = words(options.contenders);
    for (const std::string& change : options.changes)
        study.changes.push_back(simulation::machine_change(change));
    const std::vector<Outcome> outcomes = simulation::simulate(
        study,
        [&](const Outcome& outcome, std::size_t done, std::size_t all) { show(study, outcome, done, all); });
    int status = 0;
    for (const Outcome& outcome : outcomes) {
        for (const std::string& fault : outcome.faults) {
            std::fprintf(stderr, "strata_simulate: %s: %s\n", study.contenders[outcome.contender].c_str(),
                         fault.c_str());
            status = 1;
        }
    }
    if (!options.json.empty()) {
        std::ofstream file(options.json);
        file << as_json(study, outcomes).dump(1) << "\n";
        file.close();
        if (!file) throw std::runtime_error("--json: cannot write " + options.json);
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Simulates collectives on a machine with the plugin's own code.", "strata_simulate"};
    app.footer("Exit status: 0; 1 if a rank received wrong data; 2 for bad input.");
    add_options(app, options);
    return simulation::run(app, argc, argv, [&] { return run(options); });
}
