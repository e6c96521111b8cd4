// strata-traffic: shows which levels of a machine a program's traffic crosses.
#include <cstdio>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "command_line.h"
#include "input.h"
#include "monitored_run.h"
#include "output.h"
#include "reading.h"
#include "strata/mapping/traffic_files.h"
#include "strata/mapping/traffic_picture.h"

namespace strata::mapping {
namespace {

constexpr const char* formats = "text, svg, json, sparse, dense";

constexpr const char* examples = R"(Examples:
  strata-traffic app_sizes.0.prof --topology node.xml --nodes 4 --ppn 24 --order cyclic --output traffic.svg
      files of a monitoring session, as a picture
  strata-traffic app_sizes.0.prof --from-dump job.json --permutation order.txt --output both.svg
      the same, before and after the order of strata-reorder
  strata-traffic --run --nodes 2 --output traffic.svg -- mpirun -n 8 ./program
      runs any program with Open MPI's own monitoring, and draws its traffic
  mpirun --mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 3 \
         --mca pml_monitoring_filename /tmp/prof ./program
  strata-traffic /tmp/prof --nodes 2
      the same in two steps

With --run the hierarchy is that of the plugin in the job, if it is loaded and no option describes a machine.
If the result cannot be shown, the counts are kept. If the environment lists components (OMPI_MCA_pml,
OMPI_MCA_coll, OMPI_MCA_osc), monitoring is added to the list.
Only one job is supported, without MPI_Comm_spawn: further jobs, and a second one with the same PREFIX
(pml_monitoring_filename), overwrite some of its files. Use a PREFIX that no job has used before.
Exit status: with --run that of the command, unless it is 0 (128 + N after signal N); else 0 on success, 1 if the
result could not be written or the command left no traffic, 2 if an option or the matrix is wrong.)";

struct Options : InputOptions {
    std::string permutation;
    std::string format;
    std::string output;
    bool run = false;
    std::vector<std::string> command;  ///< the words after "--"
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    const tool::TwoCommands words = tool::split_at_dashes(argc, argv);
    options.command = words.behind.value_or(std::vector<std::string>());
    CLI::App app{"Shows which levels of a machine a program's traffic crosses.", "strata-traffic"};
    add_input_options(app, options);
    const tool::OptionMaker option{app};
    option("--permutation", options.permutation, "FILE",
           "Also show the traffic in this order: output of strata-reorder,\n"
           "one number per line");
    option("--format", options.format, "FORMAT",
           "text, svg or json; sparse or dense: the matrix itself (by the\n"
           "ending of --output, else text)",
           formats);
    option("--output", options.output, "FILE", "Output file; - is standard output (-)");
    app.add_flag("--run", options.run, "Run the command behind -- and show its traffic, in place of MATRIX");
    app.set_version_flag("--version", "strata-traffic " STRATA_VERSION, "Print the version");
    app.footer(examples);
    if (!tool::parse_arguments(app, words.argc, argv)) return std::nullopt;
    if (options.run && options.command.empty()) {
        throw tool::UsageError("run", "the command is missing: strata-traffic --run -- mpirun ./program");
    }
    if (options.run && (!options.matrix.empty() || !options.input.empty())) {
        throw tool::UsageError("run", "takes no matrix: it shows the command's traffic");
    }
    if (!options.run && words.behind) throw tool::UsageError("a command behind -- needs --run");
    return options;
}

std::string format_of(const Options& options) {
    if (options.format.empty()) {
        for (const char* ending : {"svg", "json"}) {
            if (options.output.ends_with(std::string(".") + ending)) return ending;
        }
        return "text";
    }
    tool::chosen("format", options.format, formats);  // or throws
    return options.format;
}

/// Returns the order to compare with the old one; empty without one.
std::vector<int> permutation_of(const Options& options) {
    if (options.permutation.empty()) return {};
    return tool::reading("permutation", [&] { return read_permutation(options.permutation); });
}

/// The picture's content and format.
struct Picture {
    std::string format;
    std::vector<int> permutation;
};

/// Throws tool::UsageError unless the order has this number of ranks.
void check_ranks(const Picture& picture, int ranks) {
    tool::reading("permutation", [&] { return inverse_permutation(picture.permutation, ranks); });
}

void show(const Options& options, const Picture& picture, const Input& input) {
    check_ranks(picture, input.traffic.ranks());
    if (picture.format == "sparse") {
        tool::write_output([&](std::ostream& out) { write_sparse(out, input.traffic); }, options.output);
        return;
    }
    if (picture.format == "dense") {
        if (input.traffic.ranks() > most_dense_ranks) {
            throw tool::UsageError("format", "dense is for at most " + std::to_string(most_dense_ranks) +
                                                 " ranks, the matrix has " +
                                                 std::to_string(input.traffic.ranks()) + "; use sparse");
        }
        tool::write_output([&](std::ostream& out) { write_dense(out, input.traffic); }, options.output);
        return;
    }
    const TrafficView view{input.traffic, input.hierarchy, picture.permutation, input.costs, input.namer};
    tool::write_output(picture.format == "svg"    ? draw_svg(view)
                       : picture.format == "json" ? draw_json(view)
                                                  : draw_text(view),
                       options.output);
}

/// Runs the command and shows its traffic at any exit status. Options are checked before the run, which
/// may be long; if its results cannot be shown, they are kept.
void run_and_show(const Options& options, const Picture& picture, int& status) {
    Input input = load_machine(options);
    const bool described = !options.from_dump.empty() || !tool::given_job_option(options.job).empty();
    check_ranks(picture, described ? input.hierarchy.ranks() : static_cast<int>(picture.permutation.size()));
    tool::require_writable(options.output);
    MonitoredRun monitored;
    status = monitored.run(options.command);
    const std::string ended =
        "--run: '" + options.command[0] + "' ended with status " + std::to_string(status);
    if (!monitored.has_traffic()) {
        throw std::runtime_error(
            (status != 0 ? ended + " and" : "--run: '" + options.command[0] + "'") +
            " left no traffic: is it a job of Open MPI, with its component pml/monitoring, "
            "that calls MPI_Finalize?");
    }
    if (status != 0) std::fprintf(stderr, "strata-traffic: %s\n", ended.c_str());
    InputOptions found = options;
    found.matrix = monitored.prefix();
    found.input = "monitoring";
    if (!described) found.from_dump = monitored.dump();
    try {
        monitored.require_one_job();
        if (!described && !found.from_dump.empty()) input = load_machine(found);
        load_traffic(found, input);
        show(options, picture, input);
    } catch (...) {
        monitored.keep();
        const std::string dump = monitored.dump();
        std::fprintf(stderr, "strata-traffic: the traffic of the run stays in %s%s%s\n", found.matrix.c_str(),
                     dump.empty() ? "" : ", its hierarchy in ", dump.c_str());
        throw;
    }
}

/// `status`: that of the command after --.
void perform(const Options& options, int& status) {
    const Picture picture{format_of(options), permutation_of(options)};
    if (options.run) {
        run_and_show(options, picture, status);
    } else {
        show(options, picture, load(options));
    }
}

}  // namespace
}  // namespace strata::mapping

int main(int argc, char** argv) {
    using namespace strata::mapping;
    int status = 0;
    const int own = strata::tool::run_command("strata-traffic", [&] {
        if (const std::optional<Options> options = parse(argc, argv)) perform(*options, status);
    });
    return status != 0 ? status : own;
}
