#pragma once
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/plan.h"
#include "algorithms/base/source.h"
#include "topology/level.h"

namespace strata::algorithms {

/// "switch=chain:2,node=binomial,numa=sm": for each level an algorithm (with its radix) or, for any other
/// word, the coll component of that name. A non-empty `components` limits those words.
struct LevelMethodRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level (never from a parameter)
    LevelMethod method;
    Source source{Origin::parameter, 0};
    bool holds_for(topology::LevelKey key) const { return !level || level->matches(key); }
};
/// Ignores blanks around entries and words; a component's word has a-z, 0-9 and '_'; an empty text has no
/// rules. Throws std::invalid_argument with the broken entry and the known words.
std::vector<LevelMethodRule> parse_level_methods(std::string_view text,
                                                 const std::vector<std::string>& components = {});

/// "60k" for every level, "switch=60k,node=8192", or "switch=60k,8k" (8k for all others): bytes with
/// optional k, M, G (powers of 1024); 0 = whole message. Any size from 1 byte up is valid, but per-message
/// cost dominates small ones.
struct LevelSizeRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level
    std::size_t bytes = 0;
    Source source{Origin::parameter, 0};
    bool holds_for(topology::LevelKey key) const { return !level || level->matches(key); }
};
/// Throws std::invalid_argument with the broken entry and what is allowed.
std::vector<LevelSizeRule> parse_level_sizes(std::string_view text);

/// What the user fixed for one operation; the cost model chooses the rest. The first rule that matches a
/// level holds; rules for levels that a hierarchy lacks are ignored. Methods of exchanges_by() hold for
/// the topmost level only, of any kind; rabenseifner does not hold for reductions that keep an order.
/// Otherwise the rule is ignored, and the plan's reason reports it. `skip` excludes a level from trees and
/// rings (find_excluded_levels()); any other rule for a level keeps it.
struct Overrides {
    Engine engine = Engine::automatic;
    std::vector<LevelMethodRule> methods;
    std::vector<LevelSizeRule> segments;
    int window = 0;                              ///< messages in flight per edge of the tree; 0: not set
    std::size_t network_window_bytes = 0;        ///< Plan's; make_plan() fills in both if they are not set
    Source engine_source{Origin::parameter, 0};  ///< source of `engine`, if that is not automatic
    bool keep_levels = false;                    ///< no level is excluded: the user has listed them
};

/// Return the engines of a collective, and the methods of its levels, for help texts.
std::string engines_of(Collective collective);
std::string methods_of(Collective collective);

/// Returns why these overrides contradict each other or the collective: an engine or a method that it
/// lacks, or the tree engine with a method that is no tree shape. Empty: they do not.
std::string check(const Overrides& overrides, Collective collective);

/// Returns `stronger`, completed by `weaker`: the engine, and methods and segments of levels that
/// `stronger` does not name. Leaves out values that contradict a stronger one (check()).
Overrides merge(Overrides stronger, const Overrides& weaker, Collective collective);

}  // namespace strata::algorithms
