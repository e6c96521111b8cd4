#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/config/overrides.h"
#include "topology/hierarchy.h"
#include "topology/text_file.h"

// The rules file, in JSON: what a tuner measured, or a person decided, for this machine. Its schema is
// mca-params/strata-rules.schema.json.
//
//   {
//     "version": 1,
//     "links": [{"level": "switch1", "latency_us": 2000, "mbytes_per_s": 25}],
//     "rules": [
//       {"collective": "bcast", "bytes": {"below": "4k"}, "engine": "forward"},
//       {"collective": ["bcast", "reduce"], "ranks": {"from": 8}, "engine": "tree", "levels": [
//         {"level": "switch", "algorithm": "pipeline", "segment": "60k"},
//         {"level": "node", "group": {"from": 9}, "algorithm": "knomial:4"}]}
//     ]
//   }
//
// A rule holds for an operation if all its conditions do: "collective" (none: all), "bytes"
// (Operation::bytes; not for collectives without), "ranks" of the communicator, and every entry of
// "hierarchy", a list of {"level": ..., "group": ...}. An entry of "levels" also needs its "level" (none:
// every one) and its "group", the participants of that level's largest group. Ranges are "from"
// (inclusive) and "below" (exclusive), each optional. For the engine, and for each level's algorithm and
// segment, the first entry that holds and has the value decides; "auto" selects the cost model. Sizes are
// numbers of bytes or texts like "60k". Every object may have a "comment". Unknown and repeated keys are
// errors.
namespace strata::algorithms {

/// from <= value < below.
struct RuleRange {
    std::size_t from = 0;
    std::size_t below = std::numeric_limits<std::size_t>::max();
    bool has(std::size_t value) const { return from <= value && value < below; }
    bool limited() const { return from > 0 || below < std::numeric_limits<std::size_t>::max(); }
};

struct LevelRule {
    std::optional<topology::LevelPattern> level;  ///< empty: every level
    RuleRange group;
    std::optional<LevelMethod> method;
    std::optional<std::size_t> segment_bytes;
    int method_line = 0;
    int segment_line = 0;
};

/// A level that a hierarchy must have, and the participants of its largest group.
struct LevelCondition {
    topology::LevelPattern level;
    RuleRange group;
};

struct Rule {
    std::uint32_t collectives = 0;  ///< one bit per collective
    RuleRange bytes;
    RuleRange ranks;
    std::vector<LevelCondition> hierarchy;  ///< each must hold
    std::optional<Engine> engine;
    int engine_line = 0;
    std::vector<LevelRule> levels;
    bool concerns(Collective collective) const {
        return (collectives >> static_cast<unsigned>(collective) & 1U) != 0;
    }
};

struct LinkRule {
    topology::LevelPattern level;
    LinkSetting link;
    int line = 0;
};

struct Rules {
    std::vector<LinkRule> links;  ///< the first that matches a level holds, value by value
    std::vector<Rule> rules;
};

inline constexpr std::size_t longest_rules_file = 1 << 20;  ///< bytes
inline constexpr std::size_t most_rules = 4096;

/// Parses a whole file, or throws topology::FileError with the line, what is wrong there, and what is
/// allowed. `file` names it in messages; `components` are the coll components that a level may use (empty:
/// any name).
Rules parse_rules(std::string_view text, std::string_view file,
                  const std::vector<std::string>& components = {});

/// Adds the file's links to a table; they outrank its other entries.
void set_links(LinkTable& table, const std::vector<LinkRule>& links);

/// Returns the lines of the entries that set a value of a level's link first, in the order of the file.
std::vector<int> link_lines(const std::vector<LinkRule>& links, topology::LevelKey level);

/// Returns the rules that can hold for some size on a communicator of `ranks` ranks.
std::vector<Rule> rules_for(const Rules& rules, Collective collective, int ranks);

/// Returns the sizes at which a rule begins or ends to hold, ascending, each once, without 0: all sizes
/// between two neighbours have the same rules.
std::vector<std::size_t> byte_bounds(const std::vector<Rule>& rules);

/// The overrides of one operation, and the values that were ignored.
struct Resolved {
    Overrides overrides;
    std::vector<std::string> ignored_values;  ///< "LINE: why", for the first values of the file
};

/// Returns `stronger` (parameters), completed by `rules` (of rules_for()) for `operation` on this
/// hierarchy: the engine if `stronger` leaves it open, methods and segments for levels that it does not
/// name. Ignores a value that contradicts a stronger one, or an earlier one of the file (check()). Rules
/// with "bytes" do not hold for reproducible reductions, whose order must not depend on the size. Time:
/// rules * levels, and a check() of every value.
Resolved resolve(const Overrides& stronger, const std::vector<Rule>& rules,
                 const topology::Hierarchy& hierarchy, const Operation& operation);

}  // namespace strata::algorithms
