#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ompi_compat.h"
#include "strata/algorithms/bcast_levels.h"
#include "strata/algorithms/plan.h"
#include "strata/topology/hierarchy.h"

namespace strata::component {

/// One communicator per group in which this rank takes part, each with the component or the named algorithm
/// that the plan gives to its level. Collective over the parent communicator to create and to destroy.
class LevelCommunicators final : public algorithms::LevelGroups {
public:
    struct Outcome {
        int rc = OMPI_SUCCESS;  ///< of the exchange about success
        bool agreed = false;    ///< every rank could create and equip all of its groups; equal on every rank
        bool speaker = false;   ///< not agreed, and this rank is the lowest that failed
        std::string why;        ///< what this rank missed
    };
    /// Collective over `parent`. Throws std::bad_alloc.
    static std::unique_ptr<LevelCommunicators> make(ompi_communicator_t* parent,
                                                    const topology::Hierarchy& hierarchy,
                                                    const algorithms::Plan& plan, int root, Outcome& outcome);
    LevelCommunicators(const LevelCommunicators&) = delete;
    LevelCommunicators& operator=(const LevelCommunicators&) = delete;
    ~LevelCommunicators() override;

    /// Makes `root` the root and `plan` the plan of what follows: with the stand_in_key() and the components
    /// that these communicators were made for.
    void aim(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int rank, int root);

    int levels() const override { return static_cast<int>(levels_.size()); }
    bool member(int level) const override { return levels_[level].comm != nullptr; }
    int start(int level, std::byte* data, std::size_t bytes) override;
    int finish(int level) override;
    void abandon() noexcept override;

private:
    struct Level {
        topology::LevelKey key;
        algorithms::LevelMethod method;
        ompi_communicator_t* comm = nullptr;     // null: this rank takes no part, or is alone
        mca_coll_base_module_t* base = nullptr;  // caches of the named algorithms
        int root = 0;                            // of this level, in its communicator
        bool nonblocking = false;                // the component offers ibcast
        ompi_request_t* pending = nullptr;
    };
    explicit LevelCommunicators(int levels) : levels_(static_cast<std::size_t>(levels)) {}
    bool create(ompi_communicator_t* parent, int depth, const topology::Hierarchy& hierarchy,
                const algorithms::Plan& plan, int root, std::string& why);
    bool equip(Level& level, std::string& why);
    int run_algorithm(Level& level, void* data, int bytes);

    std::vector<Level> levels_;
};

/// Names the sets of stand-ins that different roots lead to: roots with equal keys share their communicators.
/// -1 when every group below the top has its leader stand for it.
int stand_in_key(const topology::Hierarchy& hierarchy, int root);

}  // namespace strata::component
