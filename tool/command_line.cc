#include "command_line.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "topology/text_file.h"

namespace strata::tool {
namespace {

int answer(const std::string& command, const std::exception& error, int status) {
    std::fprintf(stderr, "%s: %s\n", command.c_str(), error.what());
    return status;
}

}  // namespace

bool parse_arguments(CLI::App& app, int argc, char** argv) {
    app.set_help_flag("-h,--help", "Print this text");
    app.get_formatter()->column_width(24);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& answered) {
        app.exit(answered);
        return false;
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string(error.what()) + "; see " + app.get_name() + " --help");
    }
    return true;
}

TwoCommands split_at_dashes(int argc, char** argv) {
    char** const end = argv + argc;
    char** const dashes = std::find(argv, end, std::string_view("--"));
    if (dashes == end) return {argc, std::nullopt};
    return {static_cast<int>(dashes - argv), std::vector<std::string>(dashes + 1, end)};
}

std::size_t chosen(const char* option, const std::string& value, std::initializer_list<const char*> known) {
    const auto found = std::find(known.begin(), known.end(), value);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    std::string all;
    for (const char* each : known) all += (all.empty() ? "" : ", ") + std::string(each);
    throw UsageError(option, std::string("unknown ") + option + " '" + value + "'; known: " + all);
}

int run_command(const std::string& command, const std::function<void()>& perform) {
    constexpr int done = 0;
    constexpr int failed = 1;
    constexpr int wrong_input = 2;
    try {
        perform();
        return done;
    } catch (const UsageError& error) {
        return answer(command, error, wrong_input);
    } catch (const topology::FileError& error) {
        return answer(command, error, wrong_input);
    } catch (const std::exception& error) {
        return answer(command, error, failed);
    }
}

}  // namespace strata::tool
