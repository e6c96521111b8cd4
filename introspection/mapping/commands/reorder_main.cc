// strata-reorder: computes an order of ranks that keeps a program's traffic local.
#include <chrono>
#include <cstdio>
#include <optional>

#include "command_line.h"
#include "input.h"
#include "output.h"
#include "strata/mapping/reorder.h"
#include "strata/mapping/traffic_picture.h"
#include "topology/text.h"

namespace strata::mapping {
namespace {

constexpr const char* engines = "scotch, greedy";
constexpr const char* formats = "text, json";

constexpr const char* examples = R"(Examples:
  strata-reorder app_sizes.0.prof --topology node.xml --nodes 4 --ppn 24 --order cyclic
      files of a monitoring session, of a job whose ranks were placed node by node
  strata-reorder traffic.txt --from-dump job.json --output order.txt
      with the hierarchy that the job wrote
  strata-reorder /tmp/prof --nodes 16 --topology "synthetic:package:2 core:16" --costs cluster=25
      files of Open MPI's monitoring, on a slow network

The order is one number per line: process i of the old communicator gets rank k[i] in the new one, as the key of
MPI_Comm_split, and does the work of rank k[i]. The old order is printed unless a new one is estimated to save enough.
The traffic by level is printed to standard error.
Exit status: 0 on success, 1 if the result could not be written, 2 if an option or the matrix is wrong.)";

struct Options : InputOptions {
    std::string engine;
    std::string margin;
    std::string format;
    std::string output;
    bool verbose = false;
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    CLI::App app{"Computes an order of ranks that keeps a program's traffic local.", "strata-reorder"};
    add_input_options(app, options);
    const tool::OptionMaker option{app};
    option("--margin", options.margin, "N%",
           "Keep the order unless a new one saves N % of the estimated time (5%)");
    option("--engine", options.engine, "ENGINE", "scotch, or greedy (faster, less accurate) (scotch)",
           engines);
    option("--format", options.format, "FORMAT", "text or json (by the ending of --output, else text)",
           formats);
    option("--output", options.output, "FILE", "Output file for the order; - is standard output (-)");
    app.add_flag("--verbose", options.verbose, "Print the time of each step");
    app.set_version_flag("--version", "strata-reorder " STRATA_VERSION ", " + engine_version(),
                         "Print the version and the engine");
    app.footer(examples);
    if (!tool::parse_arguments(app, argc, argv)) return std::nullopt;
    return options;
}

ReorderOptions reorder_options(const Options& options, const LinkCosts& costs) {
    ReorderOptions result;
    result.costs = costs;
    if (!options.margin.empty()) {
        std::string text = options.margin;
        if (text.back() == '%') text.pop_back();
        const auto percent = topology::whole_number<unsigned>(text);
        if (!percent || *percent > 100) {
            throw tool::UsageError("margin", "'" + options.margin + "' is no percentage from 0% to 100%");
        }
        result.margin = *percent / 100.0;
    }
    if (!options.engine.empty()) {
        const bool scotch = tool::chosen("engine", options.engine, engines) == 0;
        result.engine = scotch ? Engine::scotch : Engine::greedy;
    }
    if (result.engine && !is_built_in(*result.engine)) {
        throw tool::UsageError("engine", "this strata-reorder was built without Scotch; known: greedy");
    }
    return result;
}

bool as_json(const Options& options) {
    if (options.format.empty()) return options.output.ends_with(".json");
    return tool::chosen("format", options.format, formats) == 1;
}

std::string joined(const std::vector<int>& numbers, char between) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) text += between;
        text += std::to_string(numbers[i]);
    }
    return text;
}

void perform(const Options& options) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const bool json = as_json(options);
    const auto start = Clock::now();
    const Input input = load(options);
    const ReorderOptions how = reorder_options(options, input.costs);
    const double reading = since(start);
    const auto begin = Clock::now();
    const Reordering found = plan_reordering(input.traffic, input.hierarchy, how);
    const double mapping = since(begin);

    const TrafficView view{input.traffic, input.hierarchy, found.permutation, input.costs, input.namer};
    if (json) {
        tool::write_output(draw_json(view, "\"applied\":" + std::string(found.applied ? "true" : "false") +
                                               ",\"why\":" + topology::json_text(found.why) +
                                               ",\n\"permutation\":[" + joined(found.permutation, ',') + "]"),
                           options.output);
    } else {
        tool::write_output(
            "# strata-reorder: process i of the old communicator gets rank k[i] in the new one\n" +
                joined(found.permutation, '\n') + "\n",
            options.output);
    }
    const TrafficView shown{input.traffic, input.hierarchy,
                            found.applied ? found.permutation : std::vector<int>(), input.costs, input.namer};
    std::fprintf(stderr, "%sstrata-reorder: %s\n", draw_text(shown, false).c_str(), found.why.c_str());
    if (options.verbose) {
        std::fprintf(stderr, "strata-reorder: %s; read in %.2f s, mapped in %.2f s\n",
                     how.engine == Engine::greedy ? "greedy" : engine_version().c_str(), reading, mapping);
    }
}

}  // namespace
}  // namespace strata::mapping

int main(int argc, char** argv) {
    using namespace strata::mapping;
    return strata::tool::run_command("strata-reorder", [&] {
        if (const std::optional<Options> options = parse(argc, argv)) perform(*options);
    });
}
