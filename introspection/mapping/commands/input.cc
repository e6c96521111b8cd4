#include "input.h"

#include <memory>

#include "algorithms/report/hierarchy_dump.h"
#include "command_line.h"
#include "job.h"
#include "reading.h"
#include "strata/mapping/estimate.h"
#include "strata/mapping/traffic_files.h"
#include "topology/node_notes.h"
#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::mapping {
namespace {

LinkCosts costs_of(const InputOptions& options) {
    LinkCosts costs;
    if (!options.costs.empty()) {
        costs = tool::reading("costs", [&] { return LinkCosts::parse(options.costs); });
    }
    if (!options.message_bytes.empty()) {
        const auto bytes = topology::whole_number<std::uint32_t>(options.message_bytes);
        if (!bytes) {
            throw tool::UsageError("message-bytes",
                                   "'" + options.message_bytes + "' is no whole number from 0 to 4294967295");
        }
        costs.message_bytes = *bytes;
    }
    return costs;
}

/// "auto, dense, ...": the words of --input.
std::string known_inputs() { return "auto, " + known_traffic_formats(); }

TrafficMatrix traffic_of(const InputOptions& options) {
    std::optional<TrafficFormat> format;
    if (!options.input.empty() && options.input != "auto") {
        format = parse_traffic_format(options.input);
        if (!format) {
            throw tool::UsageError("input",
                                   "unknown format '" + options.input + "'; known: " + known_inputs());
        }
    }
    if (options.matrix.empty()) throw tool::UsageError("MATRIX is missing: a file of traffic; see --help");
    return read_traffic(options.matrix, format);
}

/// Loads the hierarchy of the options, and the names of its nodes.
void describe_machine(const InputOptions& options, Input& input) {
    if (!options.from_dump.empty()) {
        const std::string other = tool::given_job_option(options.job);
        if (!other.empty()) throw tool::UsageError(other, "--from-dump gives it already");
        input.hierarchy = tool::reading("from-dump", [&] { return dumped_hierarchy(options.from_dump); });
        return;
    }
    // The namer refers to these objects; it keeps them alive.
    struct Named {
        tool::Job job;
        topology::Hierarchy hierarchy;
        topology::GroupNamer namer;
    };
    const auto named = std::make_shared<Named>();
    named->job = tool::make_job(options.job);
    named->hierarchy = topology::build_hierarchy(named->job.records, named->job.spec);
    named->namer = topology::picture_notes(named->hierarchy, named->job.records, named->job.notes,
                                           named->job.spec.election.use)
                       .namer;
    input.hierarchy = named->hierarchy;
    input.namer = [named](const topology::Group& group) { return named->namer(group); };
}

}  // namespace

topology::Hierarchy dumped_hierarchy(const std::string& file) {
    return algorithms::parse_hierarchy_dump(topology::read_text_file(file), file).hierarchy;
}

void add_input_options(CLI::App& app, InputOptions& options) {
    const tool::OptionMaker option{app};
    option("MATRIX", options.matrix, "",
           "Traffic matrix: a file, or the common start of several file names\n"
           "(NAME of NAME_sizes.RANK.prof, PREFIX of PREFIX.RANK.prof)");
    option("--input", options.input, "FORMAT",
           "auto; dense (N lines of N numbers of bytes); sparse (a line\n"
           "'ranks N', then FROM TO BYTES [MESSAGES]); matrix-market;\n"
           "monitoring (files of Open MPI's pml_monitoring_filename); rows\n"
           "(files of MPI_M_flush) (auto)",
           known_inputs());
    add_job_options(app, options.job);
    option("--from-dump", options.from_dump, "FILE",
           "The hierarchy that a job wrote (coll_strata_dump x.json), instead\n"
           "of all machine options");
    option("--costs", options.costs, "LIST",
           "Cost of a byte on a level's links: cluster=20,switch1=12,node=3\n"
           "(cluster 10, switchN 8 * (N + 1), node 2, package, group and die\n"
           "1.6, numa 1.4, l3 1.1, else 1; 1 is 10,000 MB/s)");
    option("--message-bytes", options.message_bytes, "N",
           "Cost of a message in bytes, in addition to its own (4096)");
}

Input load_machine(const InputOptions& options) {
    Input input;
    input.costs = costs_of(options);
    describe_machine(options, input);
    return input;
}

void load_traffic(const InputOptions& options, Input& input) {
    input.traffic = traffic_of(options);
    if (input.traffic.ranks() != input.hierarchy.ranks()) {
        const std::string where = options.from_dump.empty() ? "the machine" : options.from_dump;
        throw tool::UsageError("the matrix has " + std::to_string(input.traffic.ranks()) + " ranks, " +
                               where + " " + std::to_string(input.hierarchy.ranks()) +
                               (options.from_dump.empty() ? "; set --nodes and --ppn" : ""));
    }
}

Input load(const InputOptions& options) {
    Input input = load_machine(options);
    load_traffic(options, input);
    return input;
}

}  // namespace strata::mapping
