// What the command lines of the MPI programs have in common.

#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace bench {

// --reps, from 1, and --spin-us, of a Conductor's start.
void describe_timing(CLI::App& app, int& repetitions, const std::string& help, double& spin_us);

// A number that is not negative.
void describe_number(CLI::App& app, const std::string& name, double& value, const std::string& help);

// Between MPI_Init and MPI_Finalize: parses the command line and does the work. `work` returns, on every
// rank, whether all went well; what it throws as std::invalid_argument, on all ranks, rank 0 tells after the
// program's name. Returns the exit status. `threads`: the MPI_THREAD_... that is asked for.
int run(CLI::App& app, int argc, char** argv, const std::string& program, const std::function<bool()>& work,
        int threads = MPI_THREAD_SINGLE);

}  // namespace bench
