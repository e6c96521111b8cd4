#include "command_line.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::tool {
namespace {

/// Words for the values of options, which CLI11 has no place for; a process has one command line.
std::map<const CLI::Option*, std::string> offered;

int answer(const std::string& command, const std::exception& error, int status) {
    std::fprintf(stderr, "%s: %s\n", command.c_str(), error.what());
    return status;
}

/// Returns the answer to --completion.
std::string completions(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;  // hidden
        std::string value;
        if (option->get_items_expected_max() > 0) {
            value = " " + option->get_type_name();
            if (const auto found = offered.find(option); found != offered.end()) value += " " + found->second;
        }
        for (const std::string& name : option->get_lnames()) text += "--" + name + value + "\n";
        for (const std::string& name : option->get_snames()) text += "-" + name + value + "\n";
    }
    text.pop_back();
    return text;
}

}  // namespace

CLI::Option* OptionMaker::remember_words(CLI::Option* option, std::string words) {
    std::erase_if(words, [](char c) { return c == ',' || c == '(' || c == ')'; });
    if (!words.empty()) offered[option] = std::move(words);
    return option;
}

bool parse_arguments(CLI::App& app, int argc, char** argv) {
    app.set_help_flag("-h,--help", "Print this text");
    app.get_formatter()->column_width(24);
    app.add_flag_callback("--completion", [&app] { throw CLI::CallForVersion(completions(app), 0); })
        ->group("");
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

std::size_t chosen(const char* option, const std::string& value, const std::string& known) {
    std::size_t position = 0;
    for (const std::string_view word : topology::split(known, ',')) {
        if (topology::trimmed(word) == value) return position;
        ++position;
    }
    throw UsageError(option, std::string("unknown ") + option + " '" + value + "'; known: " + known);
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
