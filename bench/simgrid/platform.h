#pragma once
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "machine.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// The machine's cores as SimGrid hosts, one zone per group of the hierarchy that the production code
/// builds for a job that fills the machine. Every zone is a star whose centre is the group's bus.
class Platform {
public:
    /// Builds and seals the platform, once per process. Throws std::invalid_argument for levels without
    /// links and for latencies that fall from a level to a wider one, tool::UsageError for jobs that
    /// make_job() refuses.
    explicit Platform(const Machine& machine);

    /// Places the ranks of another job on this machine, each on its own core while cores are left. Throws
    /// std::invalid_argument for a rank that is not bound to one core.
    std::vector<simgrid::s4u::Host*> places(const std::vector<topology::LocalityRecord>& ranks) const;

    /// Returns the first core of the node of `core`.
    static simgrid::s4u::Host* first_of_node(const simgrid::s4u::Host& core);

private:
    std::vector<topology::LocalityRecord> records_;  // by core
    std::vector<simgrid::s4u::Host*> hosts_;
};

}  // namespace strata::simulation
