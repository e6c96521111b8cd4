// What the command lines of the simulations have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

namespace strata::simulation {

/// Parses the command line and does the work, which returns the exit status. Returns 2 for bad input.
template <typename Work>
int run(CLI::App& app, int argc, char** argv, Work work) {
    try {
        app.parse(argc, argv);
        return work();
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
        return 2;
    }
}

}  // namespace strata::simulation
