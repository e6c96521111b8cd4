#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "strata/algorithms/delegation.h"
#include "strata/algorithms/rules.h"
#include "strata/algorithms/selector.h"

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
};

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
/// process of their node receives are in one of their own. What the previous component would take is the mean
/// over some roots of a class then (Operation::other_roots).
class Planner {
public:
    static constexpr int most_roots_apart = 64;

    /// `hierarchy` and `settings` must outlive this. `keep_levels`: Overrides::keep_levels.
    Planner(const topology::Hierarchy& hierarchy, const PlanSettings& settings, bool keep_levels);
    /// Operation::lanes of all plans from now on; before, 1.
    void set_lanes(int lanes) { lanes_ = lanes; }
    /// True where a parameter or a rule asks for this engine.
    bool may_want(Engine engine) const;
    /// True where the user leaves everything about a collective to the model.
    bool is_open(Collective op) const;

    /// The class of an operation; `delegate` false: whose plan is never by levels.
    PlanClass class_of(const Operation& operation, bool delegate = true) const;

    /// The plan of a representative; of passed over rules its reason tells.
    Plan make_plan(Operation operation, bool delegate = true) const;
    /// What takes the place of `plan`, which make_plan() made.
    std::optional<Delegation> weigh_delegation(const Operation& operation, const Plan& plan) const;
    /// From now on no plan of this collective is by levels.
    void give_up_levels(Collective op) { levels_given_up_[static_cast<std::size_t>(op)] = true; }

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
    Overrides wishes(const Operation& operation, bool delegate, std::vector<std::string>& passed_over) const;

    const topology::Hierarchy& hierarchy_;
    const PlanSettings& settings_;
    bool keep_levels_;
    int lanes_ = 1;
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
    std::array<bool, collective_count> levels_given_up_{};
};

}  // namespace strata::algorithms
