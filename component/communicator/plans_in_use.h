#pragma once
#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "algorithms/engines/routes.h"
#include "algorithms/planning/plan_table.h"
#include "component/base/collectives.h"
#include "topology/nic_rails.h"

namespace strata::component {

/// A plan in use on a communicator.
struct PlanInUse {
    PlanInUse(std::uint64_t own_key, const algorithms::PlanTable::Entry& entry)
        : key(own_key), plan(&entry.plan), delegation(entry.delegation ? &*entry.delegation : nullptr) {}
    PlanInUse(std::uint64_t own_key, const algorithms::Plan& own_plan) : key(own_key), plan(&own_plan) {}

    /// Of all that the ranks must have alike.
    std::uint64_t hash() const;
    /// Notes that this rank takes part in a call by this plan. Not before its first message: a call that
    /// fails earlier, for lack of memory, is one for which the others still wait, and no rank of them counts
    /// it twice when this one repeats it.
    void count_call() { calls += delegation != nullptr ? 1U : 0U; }
    /// True where another plan is to take its place from this call on. Every rank counts the calls alike, and
    /// changes the plan at the same one.
    bool delegation_pays() const { return delegation != nullptr && delegation->pays(calls); }

    std::uint64_t key;             ///< PlanClass::key
    const algorithms::Plan* plan;  ///< in the communicator's book
    const algorithms::Delegation* delegation =
        nullptr;            ///< what would be faster, if it is used often; null without
    unsigned calls = 0;     ///< in which this rank took part, while there is one
    bool compared = false;  ///< all ranks have the same
    algorithms::PlanRoutes routes;
};

/// The hierarchy of a communicator, and those of its plans that are in use. A tool's thread may ask for
/// memory() meanwhile.
class PlansInUse {
public:
    PlansInUse() = default;
    PlansInUse(const PlansInUse&) = delete;
    PlansInUse& operator=(const PlansInUse&) = delete;
    ~PlansInUse();

    /// Takes a hierarchy with its plans for `rank`, in place of what was there before.
    void adopt(std::shared_ptr<algorithms::PlanTable> plan_table, topology::NicRails rails, int rank);
    const topology::Hierarchy& hierarchy() const { return plan_table_->hierarchy(); }
    const algorithms::Planner& planner() const { return plan_table_->planner(); }
    const topology::NicRails& rails() const { return rails_; }
    const algorithms::Routing& routing() const { return *routing_; }
    bool consecutive_groups() const { return consecutive_groups_; }

    /// Null where there is none yet.
    PlanInUse* find(std::uint64_t key);
    PlanInUse& make(const algorithms::PlanClass& wanted, algorithms::ByLevels by_levels);
    /// The plan of the last operation of its collective, where this one is the same; else null. Most calls
    /// repeat the last one.
    PlanInUse* repeated(const algorithms::Operation& operation, algorithms::ByLevels by_levels) const {
        const Last& last = last_[static_cast<std::size_t>(operation.collective)];
        return last.is(operation, by_levels) ? last.planned : nullptr;
    }
    void remember(const algorithms::Operation& operation, algorithms::ByLevels by_levels,
                  PlanInUse& planned) {
        last_[static_cast<std::size_t>(operation.collective)] = {operation, by_levels, &planned};
    }
    /// The one that takes the place of a plan whose delegation_pays().
    PlanInUse& delegate(PlanInUse& planned);
    /// Calls under way keep theirs.
    void forget() noexcept;

    /// Bytes of the heap, with the plans of all communicators that share the hierarchy; without routes.
    std::size_t memory() const;

private:
    struct Last {
        algorithms::Operation operation;
        algorithms::ByLevels by_levels{};
        PlanInUse* planned = nullptr;
        bool is(const algorithms::Operation& other, algorithms::ByLevels other_levels) const {
            return operation.bytes == other.bytes && operation.root == other.root &&
                   operation.rank_order == other.rank_order && by_levels == other_levels;
        }
    };

    void drop_unused() noexcept;

    mutable std::mutex counted_;  // of what memory() counts: whoever changes it, or asks from elsewhere
    topology::NicRails rails_;    // made only where a parameter asks for the rails engine
    std::shared_ptr<algorithms::PlanTable> plan_table_;
    std::list<PlanInUse> plans_;
    std::unordered_map<std::uint64_t, PlanInUse*> by_key_;  // PlanClass::key
    std::list<PlanInUse> replaced_;                         // calls under way may still go by them
    std::optional<algorithms::Routing> routing_;            // of the book's hierarchy, and the rails
    bool consecutive_groups_ = false;
    std::array<Last, collective_count> last_{};
};

}  // namespace strata::component
