#include "algorithms/planning/candidates.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "algorithms/base/level_tasks.h"
#include "algorithms/config/excluded_levels.h"
#include "algorithms/cost/links.h"
#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/tree.h"
#include "algorithms/planning/level_search.h"

namespace strata::algorithms {
namespace {

using topology::LevelKey;

constexpr std::size_t other_segments[] = {0, 8192, 16384, 32768, 65536, 131072, 262144, 1048576};

bool is_tree(const LevelMethod& method) { return info(method.algorithm).tree_shape; }

/// Returns true if two methods build the same tree of a group. Double trees are compared by name.
bool same_shape(const LevelMethod& a, const LevelMethod& b, int size) {
    const bool double_tree = info(a.algorithm).double_tree || info(b.algorithm).double_tree;
    if (a == b || double_tree || !is_tree(a) || !is_tree(b)) return a == b;
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

std::vector<LevelMethodRule> skipping(const std::vector<LevelKey>& levels) {
    std::vector<LevelMethodRule> rules;
    for (const LevelKey level : levels) rules.push_back({exactly(level), {Algorithm::skip, 0, {}}, {}});
    return rules;
}

/// Returns the rules that request the methods of a plan on every level.
std::vector<LevelMethodRule> methods_in(const Plan& plan) {
    std::vector<LevelMethodRule> rules = skipping(plan.skipped);
    for (const LevelPlan& level : plan.levels) rules.push_back({exactly(level.level), level.method, {}});
    return rules;
}

std::vector<LevelSizeRule> segments_in(const Plan& plan) {
    std::vector<LevelSizeRule> rules;
    for (const LevelPlan& level : plan.levels)
        rules.push_back({exactly(level.level), level.segment_bytes, {}});
    return rules;
}

/// The plans of one search, without duplicates.
class Candidates {
public:
    Candidates(const topology::Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation, double within)
        : hierarchy_(hierarchy),
          links_(links),
          overrides_(overrides),
          operation_(operation),
          within_(within),
          levels_(hierarchy.levels()) {}

    std::vector<Plan> run(std::size_t most) {
        const CollectiveTraits traits = traits_of(operation_.collective);
        own_choice();
        family(Engine::tree, {}, "the best tree");
        if (traits.exchanges && !levels_.empty()) {
            const LevelMethod doubling{Algorithm::recursive_doubling, 0, {}};
            family(Engine::tree, {{exactly(levels_.front()), doubling, {}}},
                   "the best tree with recursive doubling on top");
            const LevelMethod halving{Algorithm::rabenseifner, 0, {}};
            if (exchanges_by(halving.algorithm, traits)) {
                family(Engine::tree, {{exactly(levels_.front()), halving, {}}},
                       "the best tree with reduce-scatter + allgather on top");
            }
            without_exchange();
        }
        family(Engine::ring, {}, "the best ring");
        other_levels();
        among_all();
        by_components();
        boards();
        if (overrides_.engine == Engine::automatic || overrides_.engine == Engine::forward) forward();
        return chosen(most);
    }

private:
    struct Found {
        Plan plan;
        std::string kind;     ///< what it varies; empty: best of its family
        bool varied = false;  ///< its variants have been added
    };

    static bool faster(const Found& a, const Found& b) { return a.plan.predicted_us < b.plan.predicted_us; }

    bool method_fixed(LevelKey level) const {
        return std::any_of(overrides_.methods.begin(), overrides_.methods.end(),
                           [&](const LevelMethodRule& rule) { return rule.holds_for(level); });
    }
    bool segment_fixed(LevelKey level) const {
        return std::any_of(overrides_.segments.begin(), overrides_.segments.end(),
                           [&](const LevelSizeRule& rule) { return rule.holds_for(level); });
    }

    /// Returns the user's overrides followed by ours, which apply to what the user leaves open.
    Overrides wishing(Engine engine, const std::vector<LevelMethodRule>& methods,
                      const std::vector<LevelSizeRule>& segments) const {
        Overrides with = overrides_;
        with.engine = engine;
        with.keep_levels = overrides_.keep_levels || all_levels_;
        with.methods.insert(with.methods.end(), methods.begin(), methods.end());
        with.segments.insert(with.segments.end(), segments.begin(), segments.end());
        return with;
    }

    /// Returns the index of the plan in `found_`, new or known; empty if the plan does not exist.
    std::optional<std::size_t> add(const Overrides& with, const std::string& kind, const std::string& what) {
        if (!check(with, operation_.collective).empty()) return std::nullopt;
        Plan plan = make_plan(hierarchy_, links_, with, operation_);
        if (plan.engine != with.engine) return std::nullopt;  // such as: no ring is possible
        if (plan.engine == Engine::levels && plan.predicted_us <= 0) return std::nullopt;  // not modelled
        for (std::size_t place = 0; place < found_.size(); ++place) {
            if (same(plan, found_[place].plan)) return place;
        }
        plan.reason = what;
        found_.push_back({std::move(plan), kind});
        return found_.size() - 1;
    }

    /// Returns the most participants of a group, per level of a plan.
    const std::vector<int>& sizes(const Plan& plan) {
        const auto [entry, added] = sizes_.try_emplace(plan.skipped);
        for (std::size_t l = 0; added && l < plan.levels.size(); ++l) {
            std::size_t largest = 0;
            for (std::size_t g = 0; g < hierarchy_.groups.size(); ++g) {
                if (hierarchy_.groups[g].level != plan.levels[l].level) continue;
                const auto group = static_cast<int>(g);
                largest =
                    std::max(largest, participants(hierarchy_, group, operation_.root, plan.skipped).size());
            }
            entry->second.push_back(static_cast<int>(largest));
        }
        return entry->second;
    }

    bool same(const Plan& a, const Plan& b) {
        if (a.engine != b.engine || a.nic_local != b.nic_local || a.rails != b.rails) return false;
        if (a.engine == Engine::forward) return true;
        if (a.skipped != b.skipped) return false;
        for (std::size_t l = 0; l < a.levels.size(); ++l) {
            if (!same_shape(a.levels[l].method, b.levels[l].method, sizes(a)[l])) return false;
            const auto cut = [&](const Plan& plan) {
                const std::size_t segment = plan.levels[l].segment_bytes;
                return segment >= operation_.bytes ? 0 : segment;
            };
            if (cut(a) != cut(b)) return false;
        }
        return true;
    }

    /// Adds the model's choice, expressed by parameters.
    void own_choice() {
        const Plan own = make_plan(hierarchy_, links_, overrides_, operation_);
        if (own.engine != Engine::tree && own.engine != Engine::ring) return;
        add(wishing(own.engine, methods_in(own), segments_in(own)), "", "the model's choice");
    }

    /// Adds the best plan of an engine and its variants. With a `kind`, no variants of a slow plan.
    void family(Engine engine, const std::vector<LevelMethodRule>& methods, const std::string& what,
                const std::string& kind = {}) {
        if (overrides_.engine != Engine::automatic && overrides_.engine != engine) return;
        const auto place = add(wishing(engine, methods, {}), kind, what);
        if (!place || found_[*place].varied) return;
        found_[*place].varied = true;
        const Plan best = found_[*place].plan;
        if (!kind.empty() && best.predicted_us > slowest_us()) return;
        for (std::size_t l = 0; l < best.levels.size(); ++l) {
            if (!method_fixed(best.levels[l].level)) other_shapes(best, l);
        }
        other_sizes(best);
    }

    /// Adds the best trees and rings over all levels, without switches, and without levels inside nodes, as
    /// far as rules leave the skipped levels open.
    void other_levels() {
        if (keeps_order(operation_)) return;
        const std::vector<LevelKey> network = skippable_network(hierarchy_, overrides_);
        const std::vector<LevelKey> inside = skippable_levels(hierarchy_, overrides_);
        std::vector<LevelKey> both = network;
        both.insert(both.end(), inside.begin(), inside.end());
        for (const Engine engine : {Engine::tree, Engine::ring}) {
            const std::string best = "the best " + std::string(name_of(engine));
            all_levels_ = true;
            family(engine, {}, best + " over all levels", "levels");
            all_levels_ = false;
            if (!network.empty()) family(engine, skipping(network), best + " without switches", "levels");
            if (!inside.empty())
                family(engine, skipping(inside), best + " without levels inside nodes", "levels");
            if (both.size() > inside.size() && !inside.empty()) {
                family(engine, skipping(both), best + " without switches and levels inside nodes", "levels");
            }
        }
    }

    /// Adds patterns over all ranks, without a level below the topmost one.
    void among_all() {
        if (!can_all_take_part(hierarchy_) || method_fixed(levels_.front())) return;
        const std::vector<LevelKey> below = all_below_the_top(hierarchy_, overrides_);
        if (below.empty()) return;
        for (const auto& [engine, algorithm] : {std::pair(Engine::tree, Algorithm::rabenseifner),
                                                {Engine::tree, Algorithm::pipeline},
                                                {Engine::tree, Algorithm::double_binary},
                                                {Engine::ring, Algorithm::ring}}) {
            if (!may_be_among_all(algorithm, operation_)) continue;
            if (overrides_.engine != Engine::automatic && overrides_.engine != engine) continue;
            std::vector<LevelMethodRule> methods{{exactly(levels_.front()), {algorithm, 0, {}}, {}}};
            const std::vector<LevelMethodRule> rest = skipping(below);
            methods.insert(methods.end(), rest.begin(), rest.end());
            add(wishing(engine, methods, {}), "all ranks", "all ranks on one level");
        }
    }

    /// Adds the best plan by components whose messages the model knows.
    void by_components() {
        if (overrides_.engine != Engine::automatic && overrides_.engine != Engine::levels) return;
        if (levels_.size() < 2) return;
        const std::size_t eager = links_.at(link_level(hierarchy_.groups.front())).eager_bytes;
        const std::size_t before = found_.size();
        for (const char* topmost : modelled_components) {
            for (const char* below : modelled_components) {
                std::vector<LevelMethodRule> methods;
                for (const LevelKey level : levels_) {
                    const char* word = methods.empty() ? topmost : below;
                    methods.push_back({exactly(level), {Algorithm::component, 0, word}, {}});
                }
                for (const std::size_t segment : {std::size_t{0}, largest_eager_segment(eager)}) {
                    add(wishing(Engine::levels, methods, {{std::nullopt, segment, {}}}), "components",
                        "levels by components");
                }
            }
        }
        const auto first = found_.begin() + static_cast<std::ptrdiff_t>(before);
        const auto best = std::min_element(first, found_.end(), faster);
        if (best == found_.end()) return;
        std::iter_swap(first, best);
        found_.erase(first + 1, found_.end());
    }

    /// Adds plans that differ from `best` in the shape of one level.
    void other_shapes(const Plan& best, std::size_t varied) {
        if (!is_tree(best.levels[varied].method) && best.engine != Engine::ring) return;
        const std::string level = topology::name_of(best.levels[varied].level);
        for (const LevelMethod& shape :
             {LevelMethod{Algorithm::binomial, 0, {}}, LevelMethod{Algorithm::linear, 0, {}},
              LevelMethod{Algorithm::pipeline, 0, {}}, LevelMethod{Algorithm::chain, 2, {}},
              LevelMethod{Algorithm::binary, 0, {}}, LevelMethod{Algorithm::knomial, 4, {}}}) {
            std::vector<LevelMethodRule> methods = methods_in(best);
            methods[best.skipped.size() + varied].method = shape;
            add(wishing(best.engine, methods, {}), "shape of " + level, "another shape of " + level);
        }
    }

    void other_sizes(const Plan& best) {
        const std::vector<LevelMethodRule> methods = methods_in(best);
        for (const std::size_t size : other_segments) {
            if (size >= operation_.bytes && size != 0) continue;
            std::vector<LevelSizeRule> segments;
            for (const LevelPlan& level : best.levels) {
                const std::size_t eager = links_.at(level.level).eager_bytes;
                const bool handshake = size != 0 && size == eager;
                segments.push_back(
                    {exactly(level.level), handshake ? largest_eager_segment(eager) : size, {}});
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

    /// If the model chooses an exchange on top by itself, adds trees without one.
    void without_exchange() {
        const bool any_tree = std::any_of(found_.begin(), found_.end(), [](const Found& found) {
            return found.plan.engine == Engine::tree && !exchanges_on_top(found.plan);
        });
        if (any_tree || method_fixed(levels_.front())) return;
        const LevelMethod binomial{Algorithm::binomial, 0, {}};
        family(Engine::tree, {{exactly(levels_.front()), binomial, {}}}, "a tree without an exchange on top");
    }

    /// Adds the node engine, whose time the model does not know.
    void boards() {
        if (overrides_.engine != Engine::automatic && overrides_.engine != Engine::node) return;
        if (is_network(hierarchy_.groups.front())) return;
        Overrides with = overrides_;
        with.engine = Engine::node;
        if (!check(with, operation_.collective).empty()) return;
        Operation operation = operation_;
        operation.on_boards = true;  // if it has none in a job, the plugin reports another plan
        Plan plan = make_plan(hierarchy_, links_, with, operation);
        plan.reason = "boards in shared memory";
        found_.push_back({std::move(plan), ""});
    }

    void forward() {
        Overrides with = overrides_;
        with.engine = Engine::forward;
        Plan plan = make_plan(hierarchy_, links_, with, operation_);
        if (plan.forward_us <= 0) return;
        plan.reason = "the underlying component";
        found_.push_back({std::move(plan), ""});
    }

    double slowest_us() const {
        double least = std::numeric_limits<double>::infinity();
        for (const Found& found : found_) {
            if (found.plan.predicted_us > 0) least = std::min(least, found.plan.predicted_us);
        }
        return least * (1 + within_);
    }

    /// Takes the next fastest plan of every kind in turn.
    std::vector<Plan> chosen(std::size_t most) {
        std::stable_sort(found_.begin(), found_.end(), faster);
        if (found_.empty()) return {};
        const double slowest = slowest_us();
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
    double within_;
    std::vector<LevelKey> levels_;
    bool all_levels_ = false;                                  ///< the model skips none
    std::map<std::vector<LevelKey>, std::vector<int>> sizes_;  ///< by skipped levels
    std::vector<Found> found_;
};

}  // namespace

std::vector<Plan> candidate_plans(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                  const Overrides& overrides, const Operation& operation, double within,
                                  std::size_t most) {
    if (!traits_of(operation.collective).sized) return {};
    return Candidates(hierarchy, links, overrides, operation, within).run(most);
}

std::vector<std::pair<std::string, std::string>> plan_parameters(const Plan& plan, Collective collective) {
    const std::string op(name_of(collective));
    std::vector<std::pair<std::string, std::string>> all{
        {op + "_algorithm", std::string(name_of(plan.engine))}};
    if (plan.engine == Engine::forward || plan.levels.empty()) return all;
    std::string methods;
    std::string segments;
    const auto add = [](std::string& to, topology::LevelKey level, const std::string& value) {
        to += (to.empty() ? "" : ",") + topology::name_of(level) + "=" + value;
    };
    for (const LevelPlan& level : plan.levels) {
        add(methods, level.level, name_of(level.method));
        add(segments, level.level, std::to_string(level.segment_bytes));
    }
    for (const LevelKey level : plan.skipped) add(methods, level, "skip");
    all.emplace_back(op + "_level_algorithms", methods);
    all.emplace_back(op + "_segsize", segments);
    return all;
}

}  // namespace strata::algorithms
