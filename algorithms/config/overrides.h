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
/// word, the coll component of that name. `components` limits those words when it is not empty.
struct LevelMethodRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level (never of a parameter)
    LevelMethod method;
    Source source{Origin::parameter, 0};
    bool holds_for(topology::LevelKey key) const { return !level || level->matches(key); }
};
/// Blanks around entries and words are ignored; a component's word is made of a-z, 0-9 and '_'; an empty text
/// has no rules. Throws std::invalid_argument: the broken entry and the known words.
std::vector<LevelMethodRule> parse_level_methods(std::string_view text,
                                                 const std::vector<std::string>& components = {});

/// "60k" for every level, "switch=60k,node=8192", or "switch=60k,8k" (8k for all others): bytes with optional
/// k, M, G (powers of 1024); 0 = whole message. Any size from 1 byte up is taken, though small ones drown in
/// per-message cost.
struct LevelSizeRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level
    std::size_t bytes = 0;
    Source source{Origin::parameter, 0};
    bool holds_for(topology::LevelKey key) const { return !level || level->matches(key); }
};
/// Throws std::invalid_argument: the broken entry and what is allowed.
std::vector<LevelSizeRule> parse_level_sizes(std::string_view text);

/// What the user fixed for one operation; everything left open is chosen by the cost model. Of several rules
/// that match a level the first holds; rules for levels that a hierarchy has not are ignored. What
/// exchanges_by() holds for the topmost level only, whatever that is in a hierarchy, and halves not for
/// reductions that keep an order: elsewhere the rule is passed over, and the plan's reason says so. Levels
/// whose rule says `skip` are left out of trees and rings, those that a rule names otherwise are kept; the
/// word is passed over for the topmost level, for one by which nodes stand apart (but below a ring, halves or
/// a chain from or to a root, in which all ranks can take part alike), and in reductions that keep an order.
struct Overrides {
    Engine engine = Engine::automatic;
    std::vector<LevelMethodRule> methods;
    std::vector<LevelSizeRule> segments;
    int window = 0;                              ///< messages in flight per edge of the tree; 0: open
    std::size_t network_window_bytes = 0;        ///< Plan's; make_plan() fills in both where they are open
    Source engine_source{Origin::parameter, 0};  ///< who fixed `engine`, where it is not automatic
    bool keep_levels = false;                    ///< no level is skipped: the user has listed them
};

/// Names of the engines that a collective has, and of what its levels can be given to, for help texts.
std::string engines_of(Collective collective);
std::string methods_of(Collective collective);

/// Empty, or why these overrides contradict each other or the collective: an engine or a method that it has
/// not, or the tree engine with a method that is no tree shape.
std::string check(const Overrides& overrides, Collective collective);

/// `stronger`, and what `weaker` says where that is open: the engine, and methods and segments of levels that
/// it does not name. What contradicts a stronger value (check()) is left out.
Overrides merge(Overrides stronger, const Overrides& weaker, Collective collective);

}  // namespace strata::algorithms
