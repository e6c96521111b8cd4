#pragma once
#include <array>
#include <bit>
#include <cstdint>
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
#include "algorithms/planning/make_plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// What a user says to the plans of a communicator, alike on all its ranks.
struct PlanSettings {
    std::array<Overrides, collective_count> overrides;
    Rules rules;
    std::string rules_file;  ///< where they stand; empty: nowhere
    LinkTable links;         ///< those of the rules included

    const Overrides& of(Collective op) const { return overrides[static_cast<std::size_t>(op)]; }
    /// True where a parameter or a rule speaks of a collective, for whatever sizes and communicators.
    bool speak_of(Collective op) const;
    /// True where a parameter, or a rule for so many ranks, asks for an engine.
    bool may_want(Engine engine, int ranks) const;
    /// The same for components on levels, by the engine for them or by a method.
    bool may_want_components(int ranks) const;
};

/// Whether a plan may be by the levels engine.
enum class ByLevels : std::uint8_t {
    maybe,     ///< where the user asks for it, or the model finds it faster
    never,     ///< not even where the user asks for it: then by the tree engine
    given_up,  ///< what components were asked for is left to the model, because they do not serve
};

/// Sizes that are planned alike, but where rules divide them: four classes per power of two.
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

/// Operations for which one plan is made: one of them stands for all.
struct PlanClass {
    std::uint64_t key = 0;
    Operation representative;
};

/// Makes the plans of one communicator: the user's parameters and rules, then the model (make_plan()). Four
/// classes of sizes per power of two, each planned for its smallest size, so that powers of two are met
/// exactly; divided where rules begin or end to hold. Up to most_roots_apart ranks every root is a class of
/// its own: how often a flat pattern crosses a wide link depends on it. Among more, where a plan costs too
/// much for that, this is so for rank 0, the most frequent root; other roots are in one class that are in the
/// same group below the topmost one; where data goes up to them (Gather, Reduce), those for which another
/// process of their node receives are in one of their own. What the underlying component would take is the
/// mean over some roots of a class then (Operation::other_roots).
class Planner {
public:
    static constexpr int most_roots_apart = 64;

    /// `hierarchy` and `settings` must outlive this. `keep_levels`: Overrides::keep_levels; `rails`:
    /// Operation::rails of all plans.
    Planner(const topology::Hierarchy& hierarchy, const PlanSettings& settings, bool keep_levels,
            int rails = 1);
    int rails() const { return rails_; }
    /// True where the user leaves everything about a collective to the model.
    bool is_open(Collective op) const;

    /// Of a collective that is_open(): passed_at_every_size(). Throws std::bad_alloc.
    const char* passed_at_every_size(Collective op) const;

    PlanClass class_of(const Operation& operation, ByLevels by_levels = ByLevels::maybe) const;
    /// True where no rule divides the class of these sizes.
    bool is_whole(Collective op, const SizeClass& sizes) const;

    /// The plan of a representative; of passed over rules its reason tells.
    Plan make_plan(Operation operation, ByLevels by_levels = ByLevels::maybe) const;
    /// What takes the place of `plan`, which make_plan() made, where plans may be by levels.
    std::optional<Delegation> weigh_delegation(const Operation& operation, const Plan& plan) const;

    /// Bytes of the heap that its tables take. Cost: the number of root classes.
    std::size_t memory() const;

    /// Some other ranks of a root's class, spread over it.
    std::span<const int> others_of(Collective op, int root_class) const;

    /// The rank whose plan serves this root.
    int root_class(Collective op, int root) const;
    /// The root of the tree of a collective that has none of its own.
    int tree_root(bool rank_order) const { return rank_order ? 0 : hierarchy_.groups.front().leader; }

    const std::vector<Rule>& rules_of(Collective op) const { return rules_[static_cast<std::size_t>(op)]; }
    /// Of these rules.
    const std::vector<std::size_t>& bounds_of(Collective op) const {
        return byte_bounds_[static_cast<std::size_t>(op)];
    }

private:
    int part_of(int rank) const;
    void classify_roots();
    Overrides wishes(const Operation& operation, ByLevels by_levels,
                     std::vector<std::string>& ignored_values) const;

    const topology::Hierarchy& hierarchy_;
    const PlanSettings& settings_;
    bool keep_levels_;
    int rails_;
    std::array<std::vector<Rule>, collective_count> rules_;  // those for so many ranks
    std::array<std::vector<std::size_t>, collective_count> byte_bounds_;
    /// Rank -> the rank whose plan serves it, and that rank's others.
    struct RootClasses {
        std::vector<int> of_rank;
        std::unordered_map<int, std::vector<int>> others;
        void find_others();
    };
    const RootClasses& classes_for(Collective op) const {
        return traits_of(op).up ? receiving_classes_ : root_classes_;
    }

    RootClasses root_classes_;
    RootClasses receiving_classes_;  // those with a receiver apart
};

}  // namespace strata::algorithms
