#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "job_options.h"

namespace strata::tool {

/// Adds options with values, which help calls `kind`; the values must outlive the parsing.
struct OptionMaker {
    CLI::App& app;
    template <class Value>
    CLI::Option* operator()(const char* name, Value& value, const char* kind, const char* help) const {
        return app.add_option(name, value, help)->type_name(kind);
    }
};

/// Reads the command line; false after --help and --version, which it answers. Throws UsageError.
bool parse_arguments(CLI::App& app, int argc, char** argv);

/// A command line in two: the words of a command of ours, and behind "--" those of another's.
struct TwoCommands {
    int argc;                                        ///< of ours
    std::optional<std::vector<std::string>> behind;  ///< empty: there was no "--"
};
TwoCommands part_at_dashes(int argc, char** argv);

/// The position of `value` in `known`, of an option that is called like what it chooses: --format of formats.
/// Throws UsageError, which lists them.
std::size_t chosen(const char* option, const std::string& value, std::initializer_list<const char*> known);

/// The exit status of a command: 0, or 2 for wrong options and files and 1 for all else that went wrong, with
/// one line on standard error.
int run_command(const std::string& command, const std::function<void()>& perform);

}  // namespace strata::tool
