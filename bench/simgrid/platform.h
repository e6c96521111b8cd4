#pragma once
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "machine.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// The machine's cores as SimGrid's hosts, one zone per group of the hierarchy that the production code finds
/// for a job that fills it; every zone is a star whose centre is the group's bus.
class Platform {
public:
    /// Builds and seals; one per process. Throws std::invalid_argument for levels without links, latencies
    /// that fall from a level to a wider one, and what make_job() refuses (tool::UsageError).
    explicit Platform(const Machine& machine);

    /// Where the ranks of another job on this machine run, each on a core of its own as long as there are
    /// any. Throws std::invalid_argument for a rank that is not bound to one core.
    std::vector<simgrid::s4u::Host*> places(const std::vector<topology::LocalityRecord>& ranks) const;

    /// The first core of the node that `core` is in.
    static simgrid::s4u::Host* first_of_node(const simgrid::s4u::Host& core);

private:
    std::vector<topology::LocalityRecord> records_;  // by core
    std::vector<simgrid::s4u::Host*> hosts_;
};

}  // namespace strata::simulation
