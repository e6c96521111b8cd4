// strata-traffic: shows which levels of a machine a program's traffic crosses.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>
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

constexpr const char* examples = R"(Examples:
  strata-traffic app_sizes.0.prof --topology node.xml --nodes 4 --ppn 24 --order cyclic --output traffic.svg
      what a monitoring session wrote, as a picture
  strata-traffic app_sizes.0.prof --from-dump job.json --permutation order.txt --output both.svg
      the same, before and after the order that strata-reorder found
  strata-traffic --run --nodes 2 --output traffic.svg -- mpirun -n 8 ./program
      runs any program with Open MPI's own monitoring, and draws what it sent
  mpirun --mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 3 \
         --mca pml_monitoring_filename /tmp/prof ./program
  strata-traffic /tmp/prof --nodes 2
      the same by hand

With --run the hierarchy is what the plugin writes in the job, where it is loaded and no option tells of a machine.
Exit status: 0 when done, 1 when the result could not be written or the command failed, 2 when an option or the matrix
is wrong.)";

struct Options : InputOptions {
    std::string permutation;
    std::string format;
    std::string output;
    bool run = false;
    std::vector<std::string> command;  ///< what stands behind "--"
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    char** const dashes = std::find(argv, argv + argc, std::string_view("--"));
    if (dashes != argv + argc) options.command.assign(dashes + 1, argv + argc);
    CLI::App app{"Shows which levels of a machine a program's traffic crosses.", "strata-traffic"};
    add_input_options(app, options);
    const tool::OptionMaker option{app};
    option("--permutation", options.permutation, "FILE",
           "Show the traffic with this order beside it: what strata-reorder\n"
           "wrote, one number per line");
    option("--format", options.format, "FORMAT",
           "text, svg or json; sparse or dense: the matrix itself (by the\n"
           "ending of --output, else text)");
    option("--output", options.output, "FILE", "Where to write it; - is standard output (-)");
    app.add_flag("--run", options.run, "Run the command behind -- and show its traffic, in place of MATRIX");
    app.set_version_flag("--version", "strata-traffic " STRATA_VERSION, "Print the version");
    app.footer(examples);
    if (!tool::parse_arguments(app, static_cast<int>(dashes - argv), argv)) return std::nullopt;
    if (options.run && options.command.empty()) {
        throw tool::UsageError("run", "the command is missing: strata-traffic --run -- mpirun ./program");
    }
    if (options.run && (!options.matrix.empty() || !options.input.empty())) {
        throw tool::UsageError("run", "takes no matrix: the command's traffic is shown");
    }
    if (!options.run && dashes != argv + argc) throw tool::UsageError("a command behind -- needs --run");
    return options;
}

std::string format_of(const Options& options) {
    if (options.format.empty()) {
        for (const char* ending : {"svg", "json"}) {
            if (options.output.ends_with(std::string(".") + ending)) return ending;
        }
        return "text";
    }
    tool::chosen("format", options.format, {"text", "svg", "json", "sparse", "dense"});  // or it complains
    return options.format;
}

/// Reads the matrix, after a run with --run.
Input input_of(const Options& options) {
    if (!options.run) return load(options);
    MonitoredRun monitored;
    monitored.run(options.command);
    InputOptions found = options;
    found.matrix = monitored.prefix();
    found.input = "monitoring";
    if (found.from_dump.empty() && tool::given_job_option(found.job).empty())
        found.from_dump = monitored.dump();
    try {
        return load(found);
    } catch (...) {  // the run may have been long
        monitored.keep();
        std::fprintf(stderr, "strata-traffic: the traffic of the run stays in %s\n", found.matrix.c_str());
        throw;
    }
}

std::string picture(const Options& options) {
    const std::string format = format_of(options);
    const Input input = input_of(options);
    TrafficView view{input.traffic, input.hierarchy, {}, input.costs, input.namer};
    if (!options.permutation.empty()) {
        view.permutation = tool::reading("permutation", [&] {
            std::vector<int> numbers = read_permutation(options.permutation);
            inverse_permutation(numbers, input.traffic.ranks());  // or it complains
            return numbers;
        });
    }
    if (format == "svg") return draw_svg(view);
    if (format == "json") return draw_json(view);
    if (format == "text") return draw_text(view);
    std::ostringstream text;
    format == "sparse" ? write_sparse(text, input.traffic) : write_dense(text, input.traffic);
    return text.str();
}

}  // namespace
}  // namespace strata::mapping

int main(int argc, char** argv) {
    using namespace strata::mapping;
    return strata::tool::run_command("strata-traffic", [&] {
        if (const std::optional<Options> options = parse(argc, argv)) {
            strata::tool::write_output(picture(*options), options->output);
        }
    });
}
