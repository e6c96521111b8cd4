#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "algorithms/planning/planner.h"
#include "machine.h"
#include "previous.h"
#include "ranks.h"

namespace strata::simulation {

constexpr int every_root = -1;

/// One call of a collective.
struct Call {
    algorithms::Collective collective = algorithms::Collective::bcast;
    std::size_t bytes = 0;  ///< Operation::bytes; whole elements of 8 bytes, or whole blocks of all ranks
    int root = 0;
    bool operator==(const Call&) const = default;
};

/// One way to carry out collectives on a job, shared by all its ranks: simulated ranks are threads of one
/// process that take turns.
class Contender {
public:
    /// `name`:
    ///   mpi             SMPI's own collectives, by the selector in force
    ///   tuned           the messages of coll/tuned of Open MPI 4.1, to which the plugin leaves calls
    ///   strata          the plugin's choice with links as a tuner would have measured them
    ///   untuned         the same with the links that are built in
    ///   levels:ALG      one algorithm on every level, streamed (tree engine)
    ///   whole:ALG       the same, each level's message in one piece
    ///   all:ALG         all ranks alike on the topmost level, none below it, where that can be
    ///   flat:ALG        one algorithm over all ranks, in one piece: the native one
    ///   ALG/BYTES       of any of these: in segments
    /// and for all but mpi, tuned and flat, behind '@', how the ranks are seen: Ranks::seen_as().
    /// Throws std::invalid_argument naming what is known.
    Contender(const std::string& name, const Machine& machine, Ranks& ranks);

    const std::string& name() const { return name_; }
    /// Throws std::invalid_argument where this way of doing it is not one of this collective.
    void insist_on(algorithms::Collective collective) const;
    bool is_mpi() const { return planner_ == nullptr; }
    const topology::Hierarchy& hierarchy() const { return *hierarchy_; }
    /// The plan of a call; kept.
    const algorithms::Plan& plan(const Call& call);
    algorithms::Operation operation(const Call& call) const;
    /// The messages of a call that is left to the underlying component; kept.
    std::shared_ptr<const UnderlyingComponent> previous(const Call& call);

private:
    void fix(std::string method, bool whole, bool among_all);

    bool fixed_ = false;  ///< one algorithm is
    bool among_all_ = false;

    std::string name_;
    const topology::Hierarchy* hierarchy_ = nullptr;
    algorithms::PlanSettings settings_;
    std::unique_ptr<algorithms::Planner> planner_;
    std::unordered_map<std::uint64_t, algorithms::Plan> plans_;
    Call forwarded_;                                       ///< whose messages are kept
    std::shared_ptr<const UnderlyingComponent> previous_;  // of `forwarded_`
};

}  // namespace strata::simulation
