// strata-topo: shows the hierarchy of a job without running it.
#include <cstdio>

#include "job.h"
#include "options.h"
#include "output.h"
#include "plans.h"
#include "report.h"

namespace strata::tool {
namespace {

constexpr int drawn = 0;
constexpr int failed = 1;
constexpr int wrong_option = 2;

std::string picture(const Options& options) {
    if (options.plans) return plans(options);
    const topology::PictureFormat format = format_of(options);
    const Job job = make_job(options);
    const topology::Hierarchy hierarchy = topology::build_hierarchy(job.records, job.spec);
    const std::string tree = topology::draw(
        hierarchy, format, topology::picture_notes(hierarchy, job.records, job.notes, job.spec.election.use));
    return format == topology::PictureFormat::text ? report(job, hierarchy) + "\n" + tree : tree;
}

int run(int argc, char** argv) {
    try {
        const std::optional<Options> options = parse_command_line(argc, argv);
        if (options) write_output(picture(*options), options->output);
        return drawn;
    } catch (const UsageError& error) {
        std::fprintf(stderr, "strata-topo: %s\n", error.what());
        return wrong_option;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "strata-topo: %s\n", error.what());
        return failed;
    }
}

}  // namespace
}  // namespace strata::tool

int main(int argc, char** argv) { return strata::tool::run(argc, argv); }
