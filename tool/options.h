#pragma once
#include <optional>
#include <string>

#include "job_options.h"
#include "topology/picture.h"

namespace strata::tool {

/// The user's options, as written; empty: not given.
struct Options : JobOptions {
    bool plans = false;
    std::string from_dump;
    std::string rules;
    std::string op;
    std::string sizes;
    std::string root;
    std::string candidates;
    std::string format;
    std::string output;
};

/// Parses the command line. Empty after --help and --version, which it answers. Throws UsageError.
std::optional<Options> parse_command_line(int argc, char** argv);

/// Returns the format of --format, else of the ending of --output, else text.
topology::PictureFormat format_of(const Options& options);

}  // namespace strata::tool
