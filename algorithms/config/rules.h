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

// The rules file: what a tuner measured, or a person decided, for this machine. JSON, described by
// mca-params/strata-rules.schema.json:
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
// A rule holds for an operation when everything that it names fits: "collective" (none: all), "bytes"
// (packed, as Operation::bytes; barrier and the v-variants with a root have none that all ranks know),
// "ranks" of the communicator, and "hierarchy", a list of {"level": ..., "group": ...} of which each must be
// there. An entry of "levels" further needs its "level" (none: every one) and its
// "group", the participants of that level's largest group. Ranges are "from" (inclusive) and "below"
// (exclusive), each optional. Engine, algorithm and segment of a level are looked up one by one: for each the
// first entry that fits and names it decides; "auto" leaves it to the cost model. Sizes are numbers of bytes
// or texts like "60k". Every object may have a "comment". Unknown and repeated keys are errors.
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

/// A level that a hierarchy must have, and how many participants in its largest group.
struct LevelCondition {
    topology::LevelPattern level;
    RuleRange group;
};

struct Rule {
    std::uint32_t collectives = 0;  ///< one bit each
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

/// Understands a whole file or nothing of it; `file` names it in messages, `components` are the coll
/// components that a level may be given to (empty: any name). Throws topology::FileError: the line, what is
/// wrong there, and what is allowed.
Rules parse_rules(std::string_view text, std::string_view file,
                  const std::vector<std::string>& components = {});

/// Puts the file's links into a table, above what is there.
void set_links(LinkTable& table, const std::vector<LinkRule>& links);

/// Lines of the entries that say of a level's link what none before them says, in the order of the file.
std::vector<int> link_lines(const std::vector<LinkRule>& links, topology::LevelKey level);

/// The rules that can hold on a communicator of so many ranks for some size.
std::vector<Rule> rules_for(const Rules& rules, Collective collective, int ranks);

/// Where another of these rules begins or ends to hold, ascending, each once, without 0: all sizes between
/// two neighbours have the same rules.
std::vector<std::size_t> byte_bounds(const std::vector<Rule>& rules);

/// What applies to one operation, and what could not be used.
struct Resolved {
    Overrides overrides;
    std::vector<std::string> passed_over;  ///< "LINE: why", of the first values of the file
};

/// `stronger` (parameters), and below it what `rules` (of rules_for()) say to `operation` on this hierarchy:
/// an engine where `stronger` leaves it open, methods and segments for levels that it does not name. A value
/// that contradicts a stronger one, or one of the file before it, is passed over (check()). Rules with
/// "bytes" do not hold for reproducible reductions, whose order must not depend on the size. Cost: rules *
/// levels, and a check() of every value taken.
Resolved resolve(const Overrides& stronger, const std::vector<Rule>& rules,
                 const topology::Hierarchy& hierarchy, const Operation& operation);

}  // namespace strata::algorithms
