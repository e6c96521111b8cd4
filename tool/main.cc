// strata-topo: shows the hierarchy of a job without running it.
#include <cstdio>

#include "command_line.h"
#include "job.h"
#include "options.h"
#include "output.h"
#include "plans.h"
#include "report.h"

namespace strata::tool {
namespace {

std::string picture(const Options& options) {
    if (options.plans) return plans(options);
    const topology::PictureFormat format = format_of(options);
    const Job job = make_job(options);
    if (!job.warning.empty()) std::fprintf(stderr, "strata-topo: %s\n", job.warning.c_str());
    const topology::Hierarchy hierarchy = topology::build_hierarchy(job.records, job.spec);
    const std::string tree = topology::draw(
        hierarchy, format, topology::picture_notes(hierarchy, job.records, job.notes, job.spec.election.use));
    return format == topology::PictureFormat::text ? report(job, hierarchy) + "\n" + tree : tree;
}

}  // namespace
}  // namespace strata::tool

int main(int argc, char** argv) {
    using namespace strata::tool;
    return run_command("strata-topo", [&] {
        const std::optional<Options> options = parse_command_line(argc, argv);
        if (options) write_output(picture(*options), options->output);
    });
}
