// strata-traffic: shows which levels of a machine a program's traffic crosses.
#include <CLI/CLI.hpp>
#include <optional>
#include <sstream>

#include "input.h"
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
  mpirun --mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 3 \
         --mca pml_monitoring_filename /tmp/prof ./program
  strata-traffic /tmp/prof --nodes 2
      any program, with Open MPI's own monitoring
Exit status: 0 when done, 1 when the result could not be written, 2 when an option or the matrix is wrong.)";

struct Options : InputOptions {
    std::string permutation;
    std::string format;
    std::string output;
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    CLI::App app{"Shows which levels of a machine a program's traffic crosses.", "strata-traffic"};
    add_input_options(app, options);
    const auto option = [&](const char* name, std::string& value, const char* kind, const char* help) {
        app.add_option(name, value, help)->type_name(kind);
    };
    option("--permutation", options.permutation, "FILE",
           "Show the traffic with this order beside it: what strata-reorder\n"
           "wrote, one number per line");
    option("--format", options.format, "FORMAT",
           "text, svg or json; sparse or dense: the matrix itself (by the\n"
           "ending of --output, else text)");
    option("--output", options.output, "FILE", "Where to write it; - is standard output (-)");
    app.set_version_flag("--version", "strata-traffic " STRATA_VERSION, "Print the version");
    app.footer(examples);
    if (!parse_arguments(app, argc, argv)) return std::nullopt;
    return options;
}

std::string format_of(const Options& options) {
    if (options.format.empty()) {
        for (const char* ending : {"svg", "json"}) {
            if (options.output.ends_with(std::string(".") + ending)) return ending;
        }
        return "text";
    }
    for (const char* known : {"text", "svg", "json", "sparse", "dense"}) {
        if (options.format == known) return known;
    }
    throw tool::UsageError("format",
                           "unknown format '" + options.format + "'; known: text, svg, json, sparse, dense");
}

std::string picture(const Options& options) {
    const std::string format = format_of(options);
    Input input = load(options);
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
    return run_command("strata-traffic", [&] {
        if (const std::optional<Options> options = parse(argc, argv)) {
            strata::tool::write_output(picture(*options), options->output);
        }
    });
}
