#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job_options.h"

namespace strata::tool {

/// Adds options with values, whose kind in --help is `kind`; the values must outlive the parsing. Shells
/// offer `words`, "text, json" or "node (flat), numa", as completions of the value; other values stay
/// allowed.
struct OptionMaker {
    CLI::App& app;
    template <class Value>
    CLI::Option* operator()(const char* name, Value& value, const char* kind, const char* help,
                            const std::string& words = {}) const {
        return remember_words(app.add_option(name, value, help)->type_name(kind), words);
    }

private:
    static CLI::Option* remember_words(CLI::Option* option, std::string words);
};

/// Parses the command line. Returns false after --help, --version and --completion, which it answers.
/// --completion, hidden in --help, prints a line for each name of an option, for completion in shells: the
/// name, the kind of its value if it has one, and the words. Throws UsageError.
bool parse_arguments(CLI::App& app, int argc, char** argv);

/// A command line in two parts: the words of this command and, after "--", those of another one.
struct TwoCommands {
    int argc;                                        ///< of this command
    std::optional<std::vector<std::string>> behind;  ///< after "--"; empty: there was no "--"
};
TwoCommands split_at_dashes(int argc, char** argv);

/// Returns the position of `value` in `known`, "text, json". `option` is also the name of what it selects:
/// --format a format. Throws UsageError, which lists `known`.
std::size_t chosen(const char* option, const std::string& value, const std::string& known);

/// Runs a command and returns its exit status: 0, 2 for wrong options and files, 1 for all other errors.
/// Prints an error as one line on standard error.
int run_command(const std::string& command, const std::function<void()>& perform);

}  // namespace strata::tool
