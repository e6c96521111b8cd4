#include <algorithm>

#include "algorithms/config/rules.h"

namespace strata::algorithms {
namespace {

using topology::LevelKey;

constexpr std::size_t most_ignored = 4;  // in a message

Source line_of_file(int line) { return {Origin::rules_file, line}; }

/// Returns the number of participants of each level's largest group: leaders of its children, and its own
/// ranks.
std::vector<std::size_t> largest_groups(const topology::Hierarchy& hierarchy,
                                        const std::vector<LevelKey>& levels) {
    std::vector<std::size_t> largest(levels.size(), 0);
    for (const topology::Group& group : hierarchy.groups) {
        const auto place = std::find(levels.begin(), levels.end(), group.level) - levels.begin();
        std::size_t& size = largest[static_cast<std::size_t>(place)];
        size = std::max(size, group.children.size() + group.direct.size());
    }
    return largest;
}

/// Matches the key alone: only switches and custom levels have heights.
topology::LevelPattern exactly(LevelKey level) {
    const bool numbered =
        level.kind == topology::LevelKind::switch_ || level.kind == topology::LevelKind::custom;
    return {level.kind, numbered ? std::optional(level.height) : std::nullopt};
}

/// Applies one rule after the other to what is still open.
class Resolver {
public:
    Resolver(const Overrides& stronger, const topology::Hierarchy& hierarchy, Collective collective)
        : collective_(collective),
          engine_open_(stronger.engine == Engine::automatic),
          resolved_{stronger, {}} {
        const std::vector<LevelKey> levels = hierarchy.levels();
        const std::vector<std::size_t> groups = largest_groups(hierarchy, levels);
        const auto names = [](LevelKey key) {
            return [key](const auto& rule) { return rule.holds_for(key); };
        };
        for (std::size_t l = 0; l < levels.size(); ++l) {
            levels_.push_back({levels[l], groups[l], std::ranges::none_of(stronger.methods, names(levels[l])),
                               std::ranges::none_of(stronger.segments, names(levels[l]))});
        }
    }

    void add(const Rule& rule) {
        if (!std::ranges::all_of(rule.hierarchy, [&](const LevelCondition& one) { return has(one); })) return;
        if (rule.engine && engine_open_) {
            Overrides with = resolved_.overrides;
            with.engine = *rule.engine;
            with.engine_source = line_of_file(rule.engine_line);
            engine_open_ = !take(std::move(with), rule.engine_line);
        }
        for (const LevelRule& entry : rule.levels) {
            for (Level& level : levels_) {
                if (entry.level && !entry.level->matches(level.key)) continue;
                if (entry.group.has(level.group)) add(entry, level);
            }
        }
    }

    Resolved result() { return std::move(resolved_); }

private:
    struct Level {
        LevelKey key;
        std::size_t group;
        bool method_open;
        bool segment_open;
    };

    bool has(const LevelCondition& condition) const {
        return std::ranges::any_of(levels_, [&](const Level& level) {
            return condition.level.matches(level.key) && condition.group.has(level.group);
        });
    }

    void add(const LevelRule& entry, Level& level) {
        if (entry.method && level.method_open) {
            Overrides with = resolved_.overrides;
            with.methods.push_back({exactly(level.key), *entry.method, line_of_file(entry.method_line)});
            level.method_open = !take(std::move(with), entry.method_line);
        }
        if (entry.segment_bytes && level.segment_open) {
            resolved_.overrides.segments.push_back(
                {exactly(level.key), *entry.segment_bytes, line_of_file(entry.segment_line)});
            level.segment_open = false;
        }
    }

    bool take(Overrides with, int line) {
        const std::string conflict = check(with, collective_);
        if (conflict.empty()) {
            resolved_.overrides = std::move(with);
        } else if (resolved_.ignored_values.size() < most_ignored) {
            resolved_.ignored_values.push_back(std::to_string(line) + ": " + conflict);
        }
        return conflict.empty();
    }

    Collective collective_;
    bool engine_open_;
    std::vector<Level> levels_;
    Resolved resolved_;
};

}  // namespace

void set_links(LinkTable& table, const std::vector<LinkRule>& links) {
    for (auto rule = links.rbegin(); rule != links.rend(); ++rule) table.set_some(rule->level, rule->link);
}

std::vector<int> link_lines(const std::vector<LinkRule>& links, LevelKey level) {
    std::vector<int> lines;
    LinkSetting known;
    for (const LinkRule& rule : links) {
        if (!rule.level.matches(level)) continue;
        bool adds = false;
        const auto take = [&adds](auto& to, const auto& from) {
            adds = adds || (!to && from);
            if (!to) to = from;
        };
        take(known.latency_us, rule.link.latency_us);
        take(known.overhead_us, rule.link.overhead_us);
        take(known.bytes_per_us, rule.link.bytes_per_us);
        take(known.eager_bytes, rule.link.eager_bytes);
        take(known.parallel, rule.link.parallel);
        take(known.far_share, rule.link.far_share);
        take(known.far_send_share, rule.link.far_send_share);
        take(known.handshake_us, rule.link.handshake_us);
        take(known.bus_bytes_per_us, rule.link.bus_bytes_per_us);
        take(known.offloaded, rule.link.offloaded);
        take(known.gap_us, rule.link.gap_us);
        if (adds) lines.push_back(rule.line);
    }
    return lines;
}

std::vector<Rule> rules_for(const Rules& rules, Collective collective, int ranks) {
    std::vector<Rule> fitting;
    for (const Rule& rule : rules.rules) {
        if (rule.concerns(collective) && rule.ranks.has(static_cast<std::size_t>(ranks))) {
            fitting.push_back(rule);
        }
    }
    return fitting;
}

std::vector<std::size_t> byte_bounds(const std::vector<Rule>& rules) {
    std::vector<std::size_t> bounds;
    for (const Rule& rule : rules) {
        bounds.push_back(rule.bytes.from);
        bounds.push_back(rule.bytes.below);
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    std::erase(bounds, std::size_t{0});
    std::erase(bounds, RuleRange{}.below);
    return bounds;
}

Resolved resolve(const Overrides& stronger, const std::vector<Rule>& rules,
                 const topology::Hierarchy& hierarchy, const Operation& operation) {
    if (rules.empty()) return {stronger, {}};
    const bool fixed_order = operation.reproducible && traits_of(operation.collective).combines;
    Resolver resolver(stronger, hierarchy, operation.collective);
    for (const Rule& rule : rules) {
        if (fixed_order && rule.bytes.limited()) continue;
        if (rule.bytes.has(operation.bytes)) resolver.add(rule);
    }
    return resolver.result();
}

}  // namespace strata::algorithms
