// Simulates SUMMA on a machine with broadcasts by the plugin's own code and by others.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "command_line.h"
#include "summa.h"
#include "topology/text.h"

namespace {

using namespace strata;
using simulation::SummaOutcome;
using simulation::SummaStudy;

struct Options {
    SummaStudy study;
    std::string contenders = "flat:binary,whole:binary,strata";
    std::string groups;
    std::string json;
};

void read_groups(const std::string& text, SummaStudy& study) {
    const std::vector<std::string_view> sizes = topology::split(text, 'x');
    const auto size = [&](std::size_t place) {
        const auto found = topology::whole_number<int>(topology::trimmed(sizes[place]));
        return sizes.size() == 2 && found && *found > 0 ? *found : 0;
    };
    study.group_rows = size(0);
    study.group_columns = study.group_rows > 0 ? size(1) : 0;
    if (study.group_columns == 0)
        throw std::invalid_argument("--groups: '" + text + "' is no ROWSxCOLUMNS, as 3x8");
}

int run(Options& options) {
    if (!options.groups.empty()) read_groups(options.groups, options.study);
    for (const std::string_view word : topology::split(options.contenders, ','))
        options.study.contenders.emplace_back(topology::trimmed(word));
    nlohmann::json rows = nlohmann::json::array();
    for (const SummaOutcome& outcome : simulation::simulate_summa(options.study)) {
        std::printf(
            "%s: %.3f us (mean of all ranks %.3f us), %.3f us of it computing, %.3f us at least; "
            "product %s\n",
            outcome.contender.c_str(), outcome.us, outcome.mean_us, outcome.computing_us, outcome.bound_us,
            outcome.checked ? "right" : "not checked: a broadcast was passed through");
        rows.push_back({{"op", "summa"},
                        {"bytes", options.study.block_bytes},
                        {"contender", outcome.contender},
                        {"us", outcome.us},
                        {"mean_us", outcome.mean_us},
                        {"computing_us", outcome.computing_us},
                        {"bound_us", outcome.bound_us},
                        {"checked", outcome.checked}});
    }
    if (options.json.empty()) return 0;
    std::ofstream file(options.json);
    file << rows.dump(1) << "\n";
    file.close();
    if (!file) throw std::runtime_error("--json: cannot write " + options.json);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    SummaStudy& study = options.study;
    CLI::App app{"Simulates matrix multiplication by SUMMA on a machine.", "strata_simulate_summa"};
    app.footer("Exit status: 0; 2 for bad input.");
    app.add_option("MACHINE", study.machine_file, "Description of a machine (bench/simgrid/machines/)")
        ->required();
    app.add_option("--rows", study.rows, "Rows of the process grid; a divisor of the number of ranks")
        ->required();
    app.add_option("--groups", options.groups,
                   "Rows and columns of a group of processes, as 3x8; ranks fill one\ngroup after another");
    app.add_option("--outer", study.outer,
                   "Blocks of a process; hsumma: sends them all across groups at once")
        ->capture_default_str();
    app.add_option("--block", study.block_bytes, "Bytes per block")->capture_default_str();
    app.add_option("--multiply-us", study.multiply_us, "CPU time per block, in microseconds")
        ->capture_default_str();
    app.add_flag("--step-barrier", study.step_barrier, "All processes wait for each other after each block");
    app.add_option("--connect-us", study.connect_us,
                   "What the first message between two processes of different nodes\ncosts its sender")
        ->capture_default_str();
    app.add_option("--contenders", options.contenders,
                   "As strata_simulate's; also whole:ALGORITHM@groups:N, N groups\nof neighbours per row and "
                   "column; hsumma:NAME, "
                   "broadcasts across\ngroups first, then inside them")
        ->capture_default_str();
    app.add_option("--selector", study.selector, "SMPI's choices")->capture_default_str();
    app.add_option("--order", study.job.order, "block, cyclic, shuffle:SEED, nodes:SEED (block)");
    app.add_option("--json", options.json, "Write all results there");
    return simulation::run(app, argc, argv, [&] { return run(options); });
}
