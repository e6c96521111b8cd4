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
        : key(own_key),
          plan(&entry.plan),
          delegation(entry.delegation ? &*entry.delegation : nullptr),
          search_after(entry.search_after) {}
    PlanInUse(std::uint64_t own_key, const algorithms::Plan& own_plan) : key(own_key), plan(&own_plan) {}

    /// Returns the hash of everything that must be equal on all ranks.
    std::uint64_t hash() const;
    /// Counts a call that this rank begins.
    void count_call() { calls += may_change() ? 1U : 0U; }
    /// For a call that failed before its first message, for lack of memory: the other ranks wait for its
    /// repetition and count it once.
    void uncount_call() { calls -= may_change() ? 1U : 0U; }
    /// Returns true if another plan may follow.
    bool may_change() const { return delegation != nullptr || search_after != algorithms::no_search; }
    /// Returns true if the full search replaces this plan from this call on, at the same call on every rank.
    bool search_pays() const { return search_after != algorithms::no_search && calls >= search_after; }
    /// Returns true if `delegation` replaces this plan from this call on: at the same call on every rank,
    /// because all ranks count alike.
    bool delegation_pays() const { return delegation != nullptr && delegation->pays(calls); }

    std::uint64_t key;             ///< PlanClass::key
    const algorithms::Plan* plan;  ///< in the communicator's plan table
    const algorithms::Delegation* delegation =
        nullptr;                                    ///< a faster plan that pays after some calls; null: none
    unsigned search_after = algorithms::no_search;  ///< calls after which the full search pays
    unsigned calls = 0;                             ///< counted while the plan may change
    bool compared = false;                          ///< found equal on all ranks
    algorithms::RouteCache routes;
};

/// The hierarchy of a communicator and its plans in use. A tool's thread may call memory() at any time.
class PlansInUse {
public:
    PlansInUse() = default;
    PlansInUse(const PlansInUse&) = delete;
    PlansInUse& operator=(const PlansInUse&) = delete;
    ~PlansInUse();

    /// Replaces hierarchy and plan table; `rank`: the own rank.
    void adopt(std::shared_ptr<algorithms::PlanTable> plan_table, topology::NicRails rails, int rank);
    bool adopted() const { return plan_table_ != nullptr; }
    const topology::Hierarchy& hierarchy() const { return plan_table_->hierarchy(); }
    const algorithms::Planner& planner() const { return plan_table_->planner(); }
    const topology::NicRails& rails() const { return rails_; }
    const algorithms::Routing& routing() const { return *routing_; }
    bool consecutive_groups() const { return consecutive_groups_; }

    /// Returns null if there is none yet.
    PlanInUse* find(std::uint64_t key);
    PlanInUse& make(const algorithms::PlanClass& wanted, algorithms::ByLevels by_levels);
    /// Returns the plan of the collective's last operation if this one is equal, else null: a fast path,
    /// because most calls repeat the last one.
    PlanInUse* repeated(const algorithms::Operation& operation, algorithms::ByLevels by_levels) const {
        const Last& last = last_[static_cast<std::size_t>(operation.collective)];
        return last.is(operation, by_levels) ? last.planned : nullptr;
    }
    void remember(const algorithms::Operation& operation, algorithms::ByLevels by_levels,
                  PlanInUse& planned) {
        last_[static_cast<std::size_t>(operation.collective)] = {operation, by_levels, &planned};
    }
    /// Replaces a plan whose delegation_pays() and returns the new one.
    PlanInUse& delegate(PlanInUse& planned);
    /// The same for one whose search_pays(). Throws like PlanTable::searched(), without a change.
    PlanInUse& search(PlanInUse& planned, const algorithms::PlanClass& wanted,
                      algorithms::ByLevels by_levels);
    /// Drops all plans; running calls keep theirs.
    void forget() noexcept;

    /// Returns heap bytes, shared plans included; without routes.
    std::size_t memory() const;

private:
    struct Last {
        algorithms::Operation operation;
        algorithms::ByLevels by_levels{};
        PlanInUse* planned = nullptr;
        bool is(const algorithms::Operation& other, algorithms::ByLevels other_levels) const {
            return operation.bytes == other.bytes && operation.root == other.root &&
                   operation.rank_order == other.rank_order && operation.on_boards == other.on_boards &&
                   by_levels == other_levels;
        }
    };

    const algorithms::PlanTable::Entry& entry(const algorithms::PlanClass& wanted,
                                              algorithms::ByLevels by_levels);
    template <typename Make>
    const algorithms::PlanTable::Entry& timed(Make&& make);
    PlanInUse& replace(PlanInUse& planned, std::list<PlanInUse>& by);
    void drop_unused() noexcept;

    mutable std::mutex counted_;  // guards all that memory() reads
    topology::NicRails rails_;    // built only if the settings may use the rails engine
    std::shared_ptr<algorithms::PlanTable> plan_table_;
    std::list<PlanInUse> plans_;
    std::unordered_map<std::uint64_t, PlanInUse*> by_key_;  // PlanClass::key
    std::list<PlanInUse> replaced_;                         // running calls may still use them
    std::optional<algorithms::Routing> routing_;            // of hierarchy() and rails_
    bool consecutive_groups_ = false;
    std::array<Last, collective_count> last_{};
};

}  // namespace strata::component
