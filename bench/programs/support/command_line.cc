#include "command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <stdexcept>

namespace bench {

void describe_timing(CLI::App& app, int& repetitions, const std::string& help, double& spin_us) {
    app.add_option("--reps", repetitions, help)->check(CLI::Range(1, 1'000'000))->capture_default_str();
    describe_number(app, "--spin-us", spin_us, "Microseconds before a start in which a rank spins");
}

void describe_number(CLI::App& app, const std::string& name, double& value, const std::string& help) {
    app.add_option(name, value, help)->check(CLI::NonNegativeNumber)->capture_default_str();
}

int run(CLI::App& app, int argc, char** argv, const std::string& program, const std::function<bool()>& work,
        int threads) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, threads, &provided);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = 0;
    try {
        app.parse(argc, argv);
        status = work() ? 0 : 1;
    } catch (const std::invalid_argument& error) {
        if (rank == 0) std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
        status = 1;
    } catch (const CLI::ParseError& error) {
        status = rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    MPI_Finalize();
    return status;
}

}  // namespace bench
