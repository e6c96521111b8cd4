// Common parts of the MPI programs' command lines.

#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace bench {

// Adds --reps, at least 1, and --spin-us for a Conductor's start.
void describe_timing(CLI::App& app, int& repetitions, const std::string& help, double& spin_us);

// Accepts numbers that are not negative.
void describe_number(CLI::App& app, const std::string& name, double& value, const std::string& help);

// Parses the command line and runs `work` between MPI_Init and MPI_Finalize. Returns the exit status.
// `work` returns on every rank whether all went well; if it throws std::invalid_argument on all ranks,
// rank 0 prints it after the program's name. `threads` is the requested MPI_THREAD_... level.
int run(CLI::App& app, int argc, char** argv, const std::string& program, const std::function<bool()>& work,
        int threads = MPI_THREAD_SINGLE);

}  // namespace bench
