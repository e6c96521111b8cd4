#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "strata/topology/picture.h"

namespace strata::tool {

/// What the user asked for, as written; empty: not given.
struct Options {
    std::vector<std::string> topologies;
    std::string nodes;
    std::string hosts;
    std::string ppn;
    std::string placement = "core";
    std::string order = "block";
    std::string network;
    std::string nic = "auto";
    std::string hierarchy;
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

/// An option that cannot be fulfilled: what() names it and says what is allowed.
class UsageError : public std::runtime_error {
public:
    UsageError(const std::string& option, const std::string& message)
        : std::runtime_error("--" + option + ": " + message) {}
    explicit UsageError(const std::string& message) : std::runtime_error(message) {}
};

/// Reads the command line. Empty after --help and --version, which it answers itself. Throws UsageError.
std::optional<Options> parse_command_line(int argc, char** argv);

/// By --format, else by the ending of --output, else text.
topology::PictureFormat format_of(const Options& options);

}  // namespace strata::tool
