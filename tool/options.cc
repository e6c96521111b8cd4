#include "options.h"

#include <utility>

#include "command_line.h"
#include "plan_options.h"
#include "reading.h"
#include "rules_file.h"

namespace strata::tool {
namespace {

constexpr const char* formats = "text, json, dot, svg";
constexpr const char* examples = R"(Examples:
  strata-topo
      this machine, one rank per core
  strata-topo --topology "synthetic:package:2 numa:2 core:6" --nodes 10 --output cluster.svg
      ten equal nodes as a picture
  strata-topo --topology node.xml --nodes 4 --ppn 2,2,4,4 --order cyclic --network topology.conf
      the NIC, the switches, and ranks assigned to the nodes in turn
  strata-topo --topology node.xml --nic mlx5_0@numa:1 --placement scatter --format json
      what would change if the NIC were near NUMA domain 1
  strata-topo --topology node.xml --nodes 4 --plans --op bcast,allreduce --rules rules.json
      what the plugin would choose there, and why

Among processes equally near to a NIC, the lowest rank is shown as the leader; a job breaks the tie by a hash
unless coll_strata_reproducible is set.
Exit status: 0 when the hierarchy was drawn, 1 when it could not be written, 2 when an option is wrong.)";

/// Rejects options that would have no effect.
void check_combination(const Options& options) {
    const std::pair<const char*, const std::string&> of_plans[] = {
        {"from-dump", options.from_dump}, {"rules", options.rules}, {"op", options.op},
        {"sizes", options.sizes},         {"root", options.root},   {"candidates", options.candidates}};
    for (const auto& [name, value] : of_plans) {
        if (!options.plans && !value.empty()) throw UsageError(name, "needs --plans");
    }
    const std::string job_option = given_job_option(options);
    if (!options.from_dump.empty() && !job_option.empty()) {
        throw UsageError(job_option, "has no effect with --from-dump");
    }
}

}  // namespace

std::optional<Options> parse_command_line(int argc, char** argv) {
    Options options;
    CLI::App app{"Shows the hierarchy of a job without running it.", "strata-topo"};
    const OptionMaker option{app};
    add_job_options(app, options);
    app.add_flag("--plans", options.plans,
                 "Print what the plugin would choose for every operation and size, and\n"
                 "the predicted times, in place of the hierarchy");
    option("--from-dump", options.from_dump, "FILE",
           "With --plans: the hierarchy that a job wrote (coll_strata_dump x.json)");
    option("--rules", options.rules, "FILE", "With --plans: a rules file or preset, as for coll_strata_rules",
           preset_names());
    option("--op", options.op, "LIST", "With --plans: these operations: bcast,allreduce (all)",
           known_operations());
    option("--sizes", options.sizes, "LIST",
           "With --plans: these sizes, one row each: 8,64k,4M (ranges of equal\n"
           "choice from 8 B to 64 MiB)");
    option("--root", options.root, "RANK", "With --plans: the root of rooted operations (0)");
    option("--candidates", options.candidates, "N%",
           "With --plans: also plans worth measuring, of every engine and up to\n"
           "N % slower than the fastest, with the parameters that select them");
    option("--format", options.format, "FORMAT",
           "text, json, dot or svg (by the ending of --output, else text); with\n"
           "--plans text or json",
           formats);
    option("--output", options.output, "FILE", "Where to write it; - is standard output (-)");
    app.set_version_flag("--version", "strata-topo " STRATA_VERSION, "Print the version");
    app.footer(examples);
    if (!parse_arguments(app, argc, argv)) return std::nullopt;
    check_combination(options);
    return options;
}

topology::PictureFormat format_of(const Options& options) {
    if (options.format.empty()) {
        reading("output", [&] { topology::check_picture_ending(options.output); });
        return topology::format_for(options.output);
    }
    return static_cast<topology::PictureFormat>(chosen("format", options.format, formats));
}

}  // namespace strata::tool
