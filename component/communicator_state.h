#pragma once
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "counters.h"
#include "level_communicators.h"
#include "ompi_compat.h"
#include "pml_transport.h"
#include "settings.h"
#include "strata/algorithms/tree.h"

namespace strata::component {

/// One rank's edges of a tree, and the levels that they cross, for the counters.
struct Edges {
    algorithms::TreeLinks links;
    std::vector<PeerLevel> levels;
};

/// A plan and what was derived from it.
struct Planned {
    algorithms::Plan plan;
    std::unordered_map<int, Edges> edges;  ///< by root
};

/// What the component knows about one communicator. Everything in here follows from facts equal on all its
/// ranks; the first call of a collective fills it.
class CommunicatorState {
public:
    CommunicatorState(ompi_communicator_t* comm, const Settings& settings);

    /// True once the members agree and a hierarchy stands; else every call is forwarded, for `reason()`.
    /// The first call compares the records. Throws when this process cannot go on.
    bool usable() {
        if (phase_ == Phase::fresh) {
            set_up();
        }
        return phase_ == Phase::usable;
    }
    ForwardReason reason() const { return reason_; }
    /// True when all members have this plugin and the same settings; known after usable().
    bool agreed() const { return agreed_; }

    /// The plan of a broadcast; kept per size class and part of the machine that holds the root.
    /// `delegate` false: never by levels.
    Planned& bcast_plan(std::size_t bytes, int root, bool delegate = true);
    /// This rank's edges under a plan given out by bcast_plan().
    const Edges& edges(Planned& planned, int root);
    /// True while communicators for the levels engine exist for this root or may still be made. Every set
    /// takes a split per level: programs whose root wanders over all ranks must not make one per call.
    bool may_delegate(const algorithms::Plan& plan, int root);
    /// Communicators for the levels engine in `found`; nullptr when some rank could not make them (then on
    /// every rank, and the plan has been replaced). Collective over the communicator when not yet made for
    /// this root; the slots must hold the previous components meanwhile. Returns Open MPI's error code.
    int level_communicators(const algorithms::Plan& plan, int root, LevelCommunicators*& found);

    PmlTransport& transport() { return transport_; }
    std::vector<std::byte>& scratch() { return scratch_; }
    /// Gives back memory that only a large message needed; not `idle`: after an error, with messages under
    /// way.
    void trim_scratch(bool idle);

private:
    enum class Phase { fresh, forwarding, usable };
    struct LevelSet {
        std::vector<std::string> components;  // by level; empty for a named algorithm
        int key = -1;
        std::unique_ptr<LevelCommunicators> communicators;
    };

    void set_up();
    void forward_all(ForwardReason reason);
    LevelSet* level_set(const algorithms::Plan& plan, int root);
    void explain(const algorithms::Plan& plan, std::size_t bytes, int root) const;
    int root_class(int root) const { return root_class_[static_cast<std::size_t>(root)]; }

    ompi_communicator_t* comm_;
    const Settings& settings_;
    Phase phase_ = Phase::fresh;
    ForwardReason reason_ = ForwardReason::missing;
    bool agreed_ = false;  // known once phase_ is not fresh
    topology::Hierarchy hierarchy_;
    std::vector<int> root_class_;  // rank -> the rank whose plan serves it
    algorithms::Overrides bcast_overrides_;
    std::unordered_map<std::uint64_t, Planned> plans_;  // by root class and size class
    std::deque<LevelSet> level_sets_;
    PmlTransport transport_;
    std::vector<std::byte> scratch_;
};

}  // namespace strata::component
