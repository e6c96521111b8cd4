#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "algorithms/planning/planner.h"
#include "machine.h"
#include "ranks.h"
#include "underlying_component.h"

namespace strata::simulation {

constexpr int every_root = -1;
/// One measurement of calls from every root in turn, with an acknowledged barrier after each.
constexpr int rotating_root = -2;

/// One call of a collective.
struct Call {
    algorithms::Collective collective = algorithms::Collective::bcast;
    std::size_t bytes = 0;  ///< Operation::bytes; whole elements of 8 bytes, or whole chunks of all ranks
    int root = 0;
    bool operator==(const Call&) const = default;
};

/// One way to carry out collectives on a job, shared by all its ranks: simulated ranks are threads of one
/// process that take turns.
class Contender {
public:
    /// `name` is one of:
    ///   mpi             SMPI's own collectives, by the selector in force
    ///   tuned           the messages of Open MPI 4.1's coll/tuned, the plugin's underlying component
    ///   strata          the plugin's choice with the links that a tuner would measure
    ///   untuned         the plugin's choice with the built-in links
    ///   levels:ALG      one algorithm on every level, segmented (tree engine)
    ///   whole:ALG       the same, each level's message in one piece
    ///   all:ALG         all ranks on the topmost level, all other levels excluded, where possible
    ///   gathers         a Reduce to rank 0 by LevelGathers
    ///   flat:ALG        one algorithm over all ranks, in one piece: the native one
    ///   ALG/BYTES       any of these in segments of BYTES
    /// All but mpi, tuned and flat take '@' and a view of the ranks at their end: Ranks::seen_as().
    /// Throws std::invalid_argument listing the known names.
    Contender(const std::string& name, const Machine& machine, Ranks& ranks);

    const std::string& name() const { return name_; }
    /// Throws std::invalid_argument if this contender cannot carry out the call.
    void insist_on(const Call& call) const;
    bool gathers() const { return gathers_; }
    /// Returns whether all messages are those of SMPI's own collectives.
    bool is_mpi() const { return planner_ == nullptr; }
    const topology::Hierarchy& hierarchy() const { return *hierarchy_; }
    /// Returns the plan of a call, which is cached.
    const algorithms::Plan& plan(const Call& call);
    algorithms::Operation operation(const Call& call) const;
    /// Returns the messages of a call that is passed through to the underlying component; cached.
    std::shared_ptr<const UnderlyingComponent> underlying_component(const Call& call);

private:
    void fix(std::string method, bool whole, bool among_all);

    bool fixed_ = false;  ///< one algorithm is
    bool among_all_ = false;
    bool gathers_ = false;

    std::string name_;
    const topology::Hierarchy* hierarchy_ = nullptr;
    algorithms::PlanSettings settings_;
    std::unique_ptr<algorithms::Planner> planner_;
    std::unordered_map<std::uint64_t, algorithms::Plan> plans_;
    Call forwarded_;  ///< call whose messages `underlying_component_` holds
    std::shared_ptr<const UnderlyingComponent> underlying_component_;  // of `forwarded_`
};

}  // namespace strata::simulation
