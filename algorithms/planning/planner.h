#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/config/rules.h"
#include "algorithms/planning/delegation.h"
#include "algorithms/planning/earned_search.h"
#include "algorithms/planning/effort.h"
#include "algorithms/planning/make_plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The user's settings for the plans of a communicator, equal on all its ranks.
struct PlanSettings {
    std::array<Overrides, collective_count> overrides;
    Rules rules;
    std::string rules_file;       ///< empty: none
    LinkTable links;              ///< including those of the rules
    bool search_at_once = false;  ///< the first plan of every class is the one of the full search

    const Overrides& of(Collective op) const { return overrides[static_cast<std::size_t>(op)]; }
    /// Returns true if a parameter or a rule concerns a collective, for any size and communicator.
    bool speak_of(Collective op) const;
    /// Returns true if a parameter, or a rule for `ranks` ranks, requests an engine.
    bool may_want(Engine engine, int ranks) const;
    /// The same for components on levels, by the levels engine or by a method.
    bool may_want_components(int ranks) const;
};

/// Whether a plan may use the levels engine.
enum class ByLevels : std::uint8_t {
    maybe,     ///< if the user requests it or the model finds it faster
    never,     ///< never; a request becomes the tree engine
    given_up,  ///< requested components do not serve: the model decides
};

/// Sizes with a common plan unless rules divide them: four classes per power of two.
struct SizeClass {
    unsigned index;  ///< below 256
    std::size_t smallest;
    std::size_t largest;
};

constexpr SizeClass size_class(std::size_t bytes) {
    if (bytes < 8) {
        return {static_cast<unsigned>(bytes), bytes, bytes};
    }
    const unsigned exponent = static_cast<unsigned>(std::bit_width(bytes)) - 1;
    const std::size_t quarter = (bytes >> (exponent - 2)) & 3;
    const std::size_t smallest = (4 + quarter) << (exponent - 2);
    return {exponent * 4 + static_cast<unsigned>(quarter), smallest,
            smallest + ((std::size_t{1} << (exponent - 2)) - 1)};
}

/// The operations that share a plan, made for their representative.
struct PlanClass {
    std::uint64_t key = 0;
    Operation representative;
};

/// The plan of the first calls of a class.
struct FirstPlan {
    Plan plan;
    unsigned search_after = no_search;  ///< calls_before_search()
    bool found = false;                 ///< a proposal of an equal structure (StructuralPlans)
};

class StructuralPlanner;  // structural_planner.h
class StructuralPlans;    // structural_plans.h

/// Makes the plans of one communicator from parameters and rules, then by the model (make_plan()).
///  - Sizes: four classes per power of two, divided at the byte bounds of rules. The plan is made for the
///    smallest size of a class, so powers of two are exact.
///  - Roots: above most_roots_apart ranks, roots in equal places share a plan, and the underlying component's
///    time is a mean over some of them (docs/design/planning.md).
class Planner {
public:
    static constexpr int most_roots_apart = 16;
    static constexpr int most_places_apart = 64;  ///< ranks up to which equal places are equal on all levels

    /// `hierarchy` and `settings` must outlive this. `keep_levels`: Overrides::keep_levels; `rails`:
    /// Operation::rails of all plans. `shared`: the proposals of planners with the same settings.
    Planner(const topology::Hierarchy& hierarchy, const PlanSettings& settings, bool keep_levels,
            int rails = 1, std::shared_ptr<StructuralPlans> shared = nullptr);
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;
    int rails() const { return rails_; }
    /// Returns true if the user leaves engine and methods of a collective to the model.
    bool is_open(Collective op) const;

    /// passed_at_every_size() for a collective that is_open(), of ranks without boards. Throws
    /// std::bad_alloc.
    const char* passed_at_every_size(Collective op) const;

    PlanClass class_of(const Operation& operation, ByLevels by_levels = ByLevels::maybe) const;
    /// Returns true if no rule divides this class of sizes.
    bool is_whole(Collective op, const SizeClass& sizes) const;

    /// Returns the plan of the full search for a representative; its reason lists ignored rules.
    Plan make_plan(Operation operation, ByLevels by_levels = ByLevels::maybe) const;
    /// Returns the plan of the first calls of a representative. Its search_after: 0 if it is the full
    /// search's.
    FirstPlan first_plan(const Operation& operation, ByLevels by_levels = ByLevels::maybe) const;
    /// Returns the plan of a representative that is in use after many calls, apart from delegation.
    Plan lasting_plan(const Operation& operation) const;
    /// Returns a replacement of `plan`, made by make_plan(), if plans may use the levels engine.
    std::optional<Delegation> evaluate_delegation(const Operation& operation, const Plan& plan) const;

    /// Returns least_us(), which no plan can beat.
    double bound_us(const Operation& operation) const;

    /// Returns the heap bytes of what plans share; it grows with them.
    std::size_t shared_memory() const;
    /// Returns the heap bytes of its other tables. Cost: O(root classes).
    std::size_t memory() const;

    /// Returns some other ranks of a root's class, spread over it.
    std::span<const int> others_of(Collective op, int root_class) const;

    /// Returns the representative of a root; without a root, the given rank.
    int root_class(Collective op, int root) const;
    /// Returns the operation whose plan this one shares, of the same size.
    Operation with_root_of_class(Operation operation) const;
    /// Returns the tree's root of a collective without a root.
    int tree_root(bool rank_order) const { return rank_order ? 0 : hierarchy_.groups.front().leader; }

    const std::vector<Rule>& rules_of(Collective op) const { return rules_[static_cast<std::size_t>(op)]; }
    /// Returns the byte bounds of these rules.
    const std::vector<std::size_t>& bounds_of(Collective op) const {
        return byte_bounds_[static_cast<std::size_t>(op)];
    }

private:
    /// Returns true if formulas may choose the first plan: the user sets nothing, and the choice needs a
    /// search.
    bool formulas_may_choose(const Operation& operation) const;
    /// Returns the plan that formulas choose for a representative. Up to StructuralPlans::most_ranks it
    /// follows from the structure of the hierarchy, and from the underlying component's prediction for the
    /// numbering of its ranks.
    FirstPlan plan_by_formulas(Operation operation, ByLevels by_levels) const;
    int part_of(int rank) const;
    std::vector<int> root_places() const;
    void classify_roots();
    Overrides wishes(const Operation& operation, ByLevels by_levels,
                     std::vector<std::string>& ignored_values) const;

    const topology::Hierarchy& hierarchy_;
    const PlanSettings& settings_;
    bool keep_levels_;
    int rails_;
    std::array<std::vector<Rule>, collective_count> rules_;  // for this number of ranks
    std::array<std::vector<std::size_t>, collective_count> byte_bounds_;
    /// Representative by rank, and some other ranks by representative.
    struct RootClasses {
        std::vector<int> of_rank;
        std::unordered_map<int, std::vector<int>> others;
        void find_others();
    };
    const RootClasses& classes_for(Collective op) const {
        const bool sends = far_senders_ && !traits_of(op).blocks;
        return traits_of(op).up || sends ? receiving_classes_ : root_classes_;
    }

    // Shared, because their types are incomplete here.
    std::shared_ptr<PlanningFacts> facts_;
    std::shared_ptr<StructuralPlanner> structure_;
    RootClasses root_classes_;
    RootClasses receiving_classes_;  // with a class for roots with a receiver
    bool far_senders_ = false;       // the distance from the NIC matters for senders, too
};

}  // namespace strata::algorithms
