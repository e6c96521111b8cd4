// strata-topo: shows the hierarchy of a job without running it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "job.h"
#include "options.h"
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

int write(const std::string& text, const std::string& path) {
    if (path.empty() || path == "-") {
        if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
            return drawn;
        }
    } else {
        std::ofstream file(path, std::ios::binary);
        file << text;
        file.close();
        if (file) return drawn;
    }
    std::fprintf(stderr, "strata-topo: --output: cannot write '%s': %s\n", path.empty() ? "-" : path.c_str(),
                 std::strerror(errno));
    return failed;
}

int run(int argc, char** argv) {
    try {
        const std::optional<Options> options = parse_command_line(argc, argv);
        return options ? write(picture(*options), options->output) : drawn;
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
