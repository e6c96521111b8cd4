#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contender.h"
#include "smpi_transport.h"

namespace strata::simulation {

/// What is to be simulated on one machine.
struct Study {
    std::string machine_file;
    JobSpec job;
    std::string selector =
        "ompi";  ///< of SMPI: for `mpi`, and for what plans leave to the underlying component
    std::vector<std::string> contenders;
    std::vector<Call> calls;  ///< whose bytes are rounded up as Call wants them; root every_root: one by each
    bool check = false;       ///< memory of their own for all ranks, and a look at every result
    bool traces = false;      ///< Outcome::sent
    bool explain = false;     ///< whoever shows outcomes tells reasons and predictions, too
};

/// One call by one contender.
struct Outcome {
    std::size_t contender = 0;
    Call call;            ///< as asked for, from one root
    double bound_us = 0;  ///< least_us()
    double us = 0;        ///< from the common start until the last rank has returned, simulated
    std::vector<Traffic::Count> traffic;    ///< of the plugin's own engines, by level
    std::string plan;                       ///< engine of the plan; "mpi"
    std::string reason;                     ///< of the plan
    double predicted_us = 0;                ///< by the plugin's model, where it has one
    double forward_us = 0;                  ///< the same of the underlying component
    std::vector<std::vector<SentTo>> sent;  ///< by rank
    std::vector<std::string> faults;
};

/// Told of every outcome as soon as it is there.
using Progress = std::function<void(const Outcome&, std::size_t done, std::size_t all)>;

/// Runs every call by every contender, one after the other on an idle machine; the same study has the same
/// outcomes, bit by bit. SimGrid allows one simulation per process. Throws std::exception for studies that
/// cannot be run.
std::vector<Outcome> simulate(const Study& study, const Progress& progress = {});

}  // namespace strata::simulation
