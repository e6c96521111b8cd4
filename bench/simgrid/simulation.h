#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contender.h"
#include "machine.h"
#include "smpi_transport.h"

namespace strata::simulation {

/// A study: calls and contenders on one machine.
struct Study {
    std::string machine_file;
    std::vector<MachineChange> changes;
    JobSpec job;
    std::string selector = "ompi";  ///< of SMPI, for `mpi` and for operations passed through
    std::vector<std::string> contenders;
    std::vector<Call> calls;  ///< sizes are rounded up as Call requires; root every_root: one call per root;
                              ///< rotating_root: all roots in turn, as one call
    bool check = false;       ///< gives every rank its own memory and checks every result
    bool traces = false;      ///< Outcome::sent
    bool explain = false;     ///< prints reasons and predictions with the outcomes
};

/// One call by one contender.
struct Outcome {
    std::size_t contender = 0;
    Call call;            ///< as requested, from one root
    double bound_us = 0;  ///< algorithms::least_us(); this, the plan and predictions: not of rotating roots
    double us = 0;        ///< from the common start until the last rank has returned, simulated
    std::vector<Traffic::Count> traffic;    ///< of the plugin's own engines, by level
    std::string plan;                       ///< engine of the plan; "mpi"
    std::string reason;                     ///< of the plan
    double predicted_us = 0;                ///< by the plugin's model, if it applies
    double forward_us = 0;                  ///< the model's time of the underlying component
    std::vector<std::vector<SentTo>> sent;  ///< by rank
    std::vector<std::string> faults;
};

/// Receives every outcome as soon as it is known.
using Progress = std::function<void(const Outcome&, std::size_t done, std::size_t all)>;

/// Runs every call by every contender, one after the other on an idle machine. Outcomes of the same study
/// are identical bit by bit. SimGrid allows one simulation per process. Throws std::exception for studies
/// that cannot run.
std::vector<Outcome> simulate(const Study& study, const Progress& progress = {});

}  // namespace strata::simulation
