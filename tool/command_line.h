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

/// Adds options with values, whose kind in --help is `kind`; the values must outlive the parsing.
struct OptionMaker {
    CLI::App& app;
    template <class Value>
    CLI::Option* operator()(const char* name, Value& value, const char* kind, const char* help) const {
        return app.add_option(name, value, help)->type_name(kind);
    }
};

/// Parses the command line. Returns false after --help and --version, which it answers. Throws UsageError.
bool parse_arguments(CLI::App& app, int argc, char** argv);

/// A command line in two parts: the words of this command and, after "--", those of another one.
struct TwoCommands {
    int argc;                                        ///< of this command
    std::optional<std::vector<std::string>> behind;  ///< after "--"; empty: there was no "--"
};
TwoCommands split_at_dashes(int argc, char** argv);

/// Returns the position of `value` in `known`. `option` is also the name of what it selects: --format a
/// format. Throws UsageError, which lists `known`.
std::size_t chosen(const char* option, const std::string& value, std::initializer_list<const char*> known);

/// Runs a command and returns its exit status: 0, 2 for wrong options and files, 1 for all other errors.
/// Prints an error as one line on standard error.
int run_command(const std::string& command, const std::function<void()>& perform);

}  // namespace strata::tool
