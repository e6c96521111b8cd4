#include "strata/algorithms/candidates.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "cost_links.h"
#include "strata/algorithms/shape.h"

namespace strata::algorithms {
namespace {

using topology::LevelKey;

constexpr std::size_t other_segments[] = {0, 8192, 16384, 32768, 65536, 131072, 262144, 1048576};

/// Who talks to each other on a level at most.
std::size_t largest_group(const topology::Hierarchy& hierarchy, LevelKey level) {
    std::size_t largest = 0;
    for (const topology::Group& group : hierarchy.groups) {
        if (group.level == level) largest = std::max(largest, group.children.size() + group.direct.size());
    }
    return largest;
}

bool is_tree(const LevelMethod& method) { return info(method.algorithm).tree_shape; }

/// True where two methods make the same tree of a group.
bool same_shape(const LevelMethod& a, const LevelMethod& b, int size) {
    if (a == b || !is_tree(a) || !is_tree(b)) return a == b;
    for (int position = 0; position < size; ++position) {
        if (shape_links(a, position, size).children != shape_links(b, position, size).children) return false;
    }
    return true;
}

topology::LevelPattern exactly(LevelKey level) {
    const bool numbered =
        level.kind == topology::LevelKind::switch_ || level.kind == topology::LevelKind::custom;
    return {level.kind, numbered ? std::optional(level.height) : std::nullopt};
}

/// The plans of one search, each once.
class Candidates {
public:
    Candidates(const topology::Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation)
        : hierarchy_(hierarchy), links_(links), overrides_(overrides), operation_(operation) {
        for (const LevelKey level : hierarchy.levels()) {
            levels_.push_back(level);
            sizes_.push_back(static_cast<int>(largest_group(hierarchy, level)));
        }
    }

    std::vector<Plan> run(double within, std::size_t most) {
        const CollectiveTraits traits = traits_of(operation_.collective);
        family(Engine::tree, {}, "the best tree");
        if (traits.exchanges && !levels_.empty()) {
            const LevelMethod doubling{Algorithm::recursive_doubling, 0, {}};
            family(Engine::tree, {{exactly(levels_.front()), doubling, {}}},
                   "the best tree below an exchange");
            without_exchange();
        }
        family(Engine::ring, {}, "the best ring");
        if (overrides_.engine == Engine::automatic || overrides_.engine == Engine::forward) forward();
        return chosen(within, most);
    }

private:
    struct Found {
        Plan plan;
        std::string kind;  ///< what it varies; empty: the best of its family
    };

    bool method_fixed(LevelKey level) const {
        return std::any_of(overrides_.methods.begin(), overrides_.methods.end(),
                           [&](const LevelMethodRule& rule) { return rule.holds_for(level); });
    }
    bool segment_fixed(LevelKey level) const {
        return std::any_of(overrides_.segments.begin(), overrides_.segments.end(),
                           [&](const LevelSizeRule& rule) { return rule.holds_for(level); });
    }

    /// The user's wishes and below them some of ours.
    Overrides wishing(Engine engine, const std::vector<LevelMethodRule>& methods,
                      const std::vector<LevelSizeRule>& segments) const {
        Overrides with = overrides_;
        with.engine = engine;
        with.keep_levels = true;  // no parameter says which levels to skip
        with.methods.insert(with.methods.end(), methods.begin(), methods.end());
        with.segments.insert(with.segments.end(), segments.begin(), segments.end());
        return with;
    }

    /// True where the plan was none of those found before.
    bool add(const Overrides& with, const std::string& kind, const std::string& what) {
        if (!check(with, operation_.collective).empty()) return false;
        Plan plan = make_plan(hierarchy_, links_, with, operation_);
        if (plan.engine != with.engine) return false;  // no level of a ring, say
        for (const Found& other : found_) {
            if (same(plan, other.plan)) return false;
        }
        plan.reason = what;
        found_.push_back({std::move(plan), kind});
        return true;
    }

    bool same(const Plan& a, const Plan& b) const {
        if (a.engine != b.engine || a.near_card != b.near_card || a.lanes != b.lanes) return false;
        if (a.engine == Engine::forward) return a.composed == b.composed;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            if (!same_shape(a.levels[l].method, b.levels[l].method, sizes_[l])) return false;
            const auto cut = [&](const Plan& plan) {
                const std::size_t segment = plan.levels[l].segment_bytes;
                return segment >= operation_.bytes ? 0 : segment;
            };
            if (cut(a) != cut(b)) return false;
        }
        return true;
    }

    /// The best of an engine, and what is near it.
    void family(Engine engine, const std::vector<LevelMethodRule>& methods, const std::string& what) {
        if (overrides_.engine != Engine::automatic && overrides_.engine != engine) return;
        if (!add(wishing(engine, methods, {}), "", what)) return;
        const Plan best = found_.back().plan;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            if (!method_fixed(levels_[l])) other_shapes(best, l);
        }
        other_sizes(best);
    }

    /// All levels as in `best`, but one.
    void other_shapes(const Plan& best, std::size_t varied) {
        if (!is_tree(best.levels[varied].method) && best.engine != Engine::ring) return;
        const std::string level = topology::name_of(levels_[varied]);
        for (const LevelMethod& shape :
             {LevelMethod{Algorithm::binomial, 0, {}}, LevelMethod{Algorithm::linear, 0, {}},
              LevelMethod{Algorithm::pipeline, 0, {}}, LevelMethod{Algorithm::chain, 2, {}},
              LevelMethod{Algorithm::binary, 0, {}}, LevelMethod{Algorithm::knomial, 4, {}}}) {
            std::vector<LevelMethodRule> methods;
            for (std::size_t l = 0; l < levels_.size(); ++l) {
                methods.push_back({exactly(levels_[l]), l == varied ? shape : best.levels[l].method, {}});
            }
            add(wishing(best.engine, methods, {}), "shape of " + level, "another shape of " + level);
        }
    }

    void other_sizes(const Plan& best) {
        std::vector<LevelMethodRule> methods;
        for (const LevelPlan& level : best.levels)
            methods.push_back({exactly(level.level), level.method, {}});
        for (const std::size_t size : other_segments) {
            if (size >= operation_.bytes && size != 0) continue;
            std::vector<LevelSizeRule> segments;
            for (const LevelKey level : levels_) {
                const std::size_t eager = links_.at(level).eager_bytes;
                const bool handshake = size != 0 && size == eager;
                segments.push_back({exactly(level), handshake ? largest_eager_segment(eager) : size, {}});
            }
            add(wishing(best.engine, methods, segments), "segments", "other segments");
        }
        for (const LevelPlan& varied : best.levels) {
            if (segment_fixed(varied.level) || varied.segment_bytes == 0) continue;
            for (const std::size_t size : {varied.segment_bytes / 2, varied.segment_bytes * 2}) {
                std::vector<LevelSizeRule> segments;
                for (const LevelPlan& level : best.levels) {
                    const bool here = level.level == varied.level;
                    segments.push_back({exactly(level.level), here ? size : level.segment_bytes, {}});
                }
                const std::string level = topology::name_of(varied.level);
                add(wishing(best.engine, methods, segments), "segment of " + level,
                    "other segments of " + level);
            }
        }
    }

    /// Where the model exchanges on the topmost level by itself, trees there are found by their shapes.
    void without_exchange() {
        const bool any_tree = std::any_of(found_.begin(), found_.end(), [](const Found& found) {
            return found.plan.engine == Engine::tree && !exchanges_on_top(found.plan);
        });
        if (any_tree || method_fixed(levels_.front())) return;
        const LevelMethod binomial{Algorithm::binomial, 0, {}};
        family(Engine::tree, {{exactly(levels_.front()), binomial, {}}}, "a tree without an exchange");
    }

    void forward() {
        Overrides with = overrides_;
        with.engine = Engine::forward;
        Plan plan = make_plan(hierarchy_, links_, with, operation_);
        if (plan.forward_us <= 0) return;
        plan.reason = "the previous component";
        found_.push_back({std::move(plan), ""});
    }

    /// Of every kind in turn the next fastest.
    std::vector<Plan> chosen(double within, std::size_t most) {
        const auto faster = [](const auto& a, const auto& b) {
            return a.plan.predicted_us < b.plan.predicted_us;
        };
        std::stable_sort(found_.begin(), found_.end(), faster);
        if (found_.empty()) return {};
        const double slowest = found_.front().plan.predicted_us * (1 + within);
        std::vector<const Found*> taken;
        std::map<std::string, std::vector<const Found*>> kinds;
        for (const Found& found : found_) {
            if (found.kind.empty()) {
                taken.push_back(&found);
            } else if (found.plan.predicted_us <= slowest) {
                kinds[std::string(name_of(found.plan.engine)) + found.kind].push_back(&found);
            }
        }
        for (std::size_t turn = 0; turn < found_.size(); ++turn) {
            for (const auto& [kind, members] : kinds) {
                if (turn < members.size()) taken.push_back(members[turn]);
            }
        }
        taken.resize(std::min(taken.size(), most));
        std::stable_sort(taken.begin(), taken.end(),
                         [&](const Found* a, const Found* b) { return faster(*a, *b); });
        std::vector<Plan> plans;
        for (const Found* found : taken) plans.push_back(found->plan);
        return plans;
    }

    const topology::Hierarchy& hierarchy_;
    const LinkTable& links_;
    const Overrides& overrides_;
    const Operation& operation_;
    std::vector<LevelKey> levels_;
    std::vector<int> sizes_;  ///< of each level's largest group
    std::vector<Found> found_;
};

}  // namespace

std::vector<Plan> candidate_plans(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                  const Overrides& overrides, const Operation& operation, double within,
                                  std::size_t most) {
    if (!traits_of(operation.collective).sized) return {};
    return Candidates(hierarchy, links, overrides, operation).run(within, most);
}

std::vector<std::pair<std::string, std::string>> plan_parameters(const Plan& plan, Collective collective) {
    const std::string op(name_of(collective));
    // No word asks for a composed plan: the model makes it.
    const Engine engine = plan.composed ? Engine::automatic : plan.engine;
    std::vector<std::pair<std::string, std::string>> all{{op + "_algorithm", std::string(name_of(engine))}};
    if (plan.engine == Engine::forward || plan.levels.empty()) return all;
    std::string methods;
    std::string segments;
    for (const LevelPlan& level : plan.levels) {
        const std::string key = (methods.empty() ? "" : ",") + topology::name_of(level.level) + "=";
        methods += key + name_of(level.method);
        segments += key + std::to_string(level.segment_bytes);
    }
    all.emplace_back(op + "_level_algorithms", methods);
    all.emplace_back(op + "_segsize", segments);
    return all;
}

}  // namespace strata::algorithms
