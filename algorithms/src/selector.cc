#include "strata/algorithms/selector.h"

#include <algorithm>
#include <utility>

#include "cost_links.h"
#include "cost_tree.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;
using topology::LevelKey;

// The model's own error: predictions closer than this are a tie.
constexpr double needed_gain = 0.05;
// Below 4 KiB the cost per message dominates everywhere, above 1 MiB a pipeline has nothing left to overlap.
constexpr std::size_t smallest_segment = 4096;
constexpr std::size_t largest_segment = 1048576;

bool delegates(const LevelMethod& method) {
    return method.algorithm != Algorithm::automatic && !info(method.algorithm).tree_shape;
}

/// One level of a plan in the making: what a rule fixed stays.
struct Level {
    bool method_open = true;
    bool segment_open = true;
    std::vector<LevelMethod> shapes;  ///< candidates for an open method
};

/// Searches the open choices of one hierarchy, root and size.
class Search {
public:
    Search(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides, std::size_t bytes,
           int root, int window)
        : model_(hierarchy, links, root), bytes_(bytes), window_(window) {
        for (std::size_t l = 0; l < model_.levels().size(); ++l) open_level(l, overrides);
    }

    bool delegated() const {
        return std::any_of(plans_.begin(), plans_.end(),
                           [](const LevelPlan& p) { return delegates(p.method); });
    }
    std::vector<LevelPlan>& plans() { return plans_; }

    /// Chooses everything open, with one segment size for all levels first; `common_segment`: and last.
    double run(bool common_segment) {
        const bool topmost_fixed = common_segment && !plans_.empty() && !levels_[0].segment_open;
        if (topmost_fixed) {
            for (std::size_t l = 0; l < plans_.size(); ++l) {
                levels_[l].segment_open = false;
                plans_[l].segment_bytes = plans_[0].segment_bytes;
            }
        } else if (common_segment) {
            for (Level& level : levels_) level.segment_open = true;
        }
        for (std::size_t l = 0; l < plans_.size(); ++l) {
            if (levels_[l].method_open) plans_[l].method = levels_[l].shapes.back();
        }
        choose_common_segment();
        if (!common_segment) refine_segments();
        return best_us_;
    }

private:
    void open_level(std::size_t l, const Overrides& overrides) {
        const LevelKey key = model_.levels()[l];
        Level level;
        LevelPlan plan{key, {}, 0};
        for (const LevelMethodRule& rule : overrides.methods) {
            if (!rule.level.matches(key)) continue;
            plan.method = rule.method;
            level.method_open = rule.method.algorithm == Algorithm::automatic;
            break;
        }
        for (const LevelSizeRule& rule : overrides.segments) {
            if (rule.level && !rule.level->matches(key)) continue;
            plan.segment_bytes = rule.bytes;
            level.segment_open = false;
            break;
        }
        level.shapes = shapes_for(model_.largest_group(l));
        levels_.push_back(level);
        plans_.push_back(plan);
    }

    /// Shapes that differ for groups of up to `size` participants; the usual best one last.
    static std::vector<LevelMethod> shapes_for(int size) {
        std::vector<LevelMethod> shapes{{Algorithm::linear, 0, {}}};
        if (size > 2) shapes.insert(shapes.begin(), {Algorithm::pipeline, 0, {}});
        if (size > 4) shapes.push_back({Algorithm::knomial, 4, {}});
        if (size > 3) shapes.push_back({Algorithm::binary, 0, {}});
        if (size > 3) shapes.push_back({Algorithm::binomial, 0, {}});
        return shapes;
    }

    /// The whole message, powers of two, and what just fits under each level's eager limit in place of that
    /// limit.
    std::vector<std::size_t> segment_candidates() const {
        std::vector<std::size_t> sizes{0};
        const auto add = [&](std::size_t size) {
            const bool known = std::find(sizes.begin(), sizes.end(), size) != sizes.end();
            if (size < bytes_ && !known) sizes.push_back(size);
        };
        std::vector<std::size_t> limits;
        for (std::size_t l = 0; l < plans_.size(); ++l) limits.push_back(model_.link(l).eager_bytes);
        for (std::size_t size = smallest_segment; size <= largest_segment; size *= 2) {
            if (std::find(limits.begin(), limits.end(), size) == limits.end()) add(size);
        }
        for (const std::size_t limit : limits) {
            if (limit >= smallest_segment && limit <= largest_segment) add(largest_eager_segment(limit));
        }
        return sizes;
    }

    bool improves() {
        const double us = model_.cost_us(plans_, bytes_, window_);
        if (best_us_ >= 0 && us >= best_us_) return false;
        best_us_ = us;
        return true;
    }

    void choose_shapes() {
        for (std::size_t l = 0; l < plans_.size(); ++l) {
            if (!levels_[l].method_open || levels_[l].shapes.size() < 2) continue;
            LevelMethod best = plans_[l].method;
            for (const LevelMethod& shape : levels_[l].shapes) {
                plans_[l].method = shape;
                if (shape != best && improves()) best = shape;
            }
            plans_[l].method = best;
        }
    }

    /// Of the candidates predicted within the model's error of the fastest: one that spares the network's
    /// handshakes if there is any, then the one with the fewest messages. Small segments never win by a hair.
    template <typename Candidate>
    const Candidate& preferred(const std::vector<Candidate>& candidates, std::size_t network_eager) const {
        double fastest = candidates.front().us;
        for (const Candidate& c : candidates) fastest = std::min(fastest, c.us);
        const auto size = [&](const Candidate& c) { return c.segment == 0 ? bytes_ : c.segment; };
        const auto eager = [&](const Candidate& c) { return network_eager == 0 || size(c) < network_eager; };
        const Candidate* best = nullptr;
        for (const Candidate& c : candidates) {
            if (c.us * (1 - needed_gain) > fastest) continue;
            if (best == nullptr || std::pair(eager(c), size(c)) > std::pair(eager(*best), size(*best)))
                best = &c;
        }
        return *best;
    }

    std::size_t network_eager(std::size_t level) const {
        return model_.network(level) ? model_.link(level).eager_bytes : 0;
    }

    void choose_common_segment() {
        struct Candidate {
            std::size_t segment;
            double us;
            std::vector<LevelPlan> plans;
        };
        std::vector<Candidate> candidates;
        const bool open =
            std::any_of(levels_.begin(), levels_.end(), [](const Level& l) { return l.segment_open; });
        const auto sizes = open ? segment_candidates() : std::vector<std::size_t>{0};
        for (const std::size_t size : sizes) {
            for (std::size_t l = 0; l < plans_.size(); ++l) {
                if (levels_[l].segment_open) plans_[l].segment_bytes = size;
            }
            best_us_ = -1;
            improves();
            choose_shapes();
            candidates.push_back({size, best_us_, plans_});
        }
        const Candidate& best = preferred(candidates, plans_.empty() ? 0 : network_eager(0));
        plans_ = best.plans;
        best_us_ = best.us;
    }

    /// Level by level from the top, another segment size where that gains more than the model's error.
    void refine_segments() {
        struct Candidate {
            std::size_t segment;
            double us;
        };
        const auto sizes = segment_candidates();
        for (std::size_t l = 0; l < plans_.size(); ++l) {
            if (!levels_[l].segment_open) continue;
            const std::size_t common = plans_[l].segment_bytes;
            std::vector<Candidate> candidates;
            for (const std::size_t size : sizes) {
                plans_[l].segment_bytes = size;
                candidates.push_back({size, model_.cost_us(plans_, bytes_, window_)});
            }
            const Candidate& best = preferred(candidates, network_eager(l));
            const bool gains = best.us < (1 - needed_gain) * best_us_;
            plans_[l].segment_bytes = gains ? best.segment : common;
            if (gains) best_us_ = best.us;
        }
    }

    TreeModel model_;
    std::vector<Level> levels_;
    std::vector<LevelPlan> plans_;
    std::size_t bytes_;
    int window_;
    double best_us_ = -1;
};

void forward(Plan& plan, std::string reason) {
    plan.engine = Engine::forward;
    plan.predicted_us = plan.forward_us;
    plan.reason = std::move(reason);
}

// Between nodes the model knows the kinds of the links but not the links, nor how busy processors and network
// are. The composed tree loads both least: one message on every link. The price, where a flat pattern saves a
// hop for short messages (predicted up to 40 %): measured 10 to 17 % at 8 B to 1 KiB over TCP without delay,
// none over a 2 ms link.
constexpr double tolerated_between_nodes = 0.5;

/// The longest predicted time for which the tree is taken. Inside one node it must win by more than the
/// model's error. Between nodes it crosses every link above the nodes once, and may lose about one hop for
/// that.
double worth_leaving_us(const Hierarchy& hierarchy, double forward_us) {
    const bool between_nodes = is_network(hierarchy.groups.front());
    return forward_us * (between_nodes ? 1 + tolerated_between_nodes : 1 - needed_gain);
}

}  // namespace

std::string check(const Overrides& overrides) {
    if (overrides.engine != Engine::tree) return {};
    for (const LevelMethodRule& rule : overrides.methods) {
        if (!delegates(rule.method)) continue;
        const bool component = rule.method.algorithm == Algorithm::component;
        const std::string name =
            component ? rule.method.component : std::string(info(rule.method.algorithm).name);
        std::string level(topology::name_of(rule.level.kind));
        if (rule.level.height) level += std::to_string(*rule.level.height);
        return "'" + level + "=" + name +
               "' needs the engine 'levels' (or 'auto'): the engine 'tree' takes tree shapes only";
    }
    return {};
}

Plan plan_bcast(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
                std::size_t bytes, int root) {
    if (const std::string broken = check(overrides); !broken.empty()) throw std::invalid_argument(broken);
    Plan plan;
    plan.window = overrides.window;
    plan.forward_us = forward_cost_us(hierarchy, links, bytes, root);
    Search search(hierarchy, links, overrides, bytes, root, plan.window);
    plan.levels = search.plans();
    const bool fixed = overrides.engine != Engine::automatic;
    if (overrides.engine == Engine::forward) {
        forward(plan, "set by the user");
        return plan;
    }
    if (!fixed && !search.delegated() && hierarchy.groups.size() < 2) {
        forward(plan, "no hierarchy");
        return plan;
    }
    const bool by_levels = overrides.engine == Engine::levels || search.delegated();
    plan.predicted_us = search.run(by_levels);
    if (!fixed && !by_levels && plan.predicted_us > worth_leaving_us(hierarchy, plan.forward_us)) {
        forward(plan, "no gain predicted over the previous component");
        return plan;
    }
    plan.engine = by_levels ? Engine::levels : Engine::tree;
    plan.levels = search.plans();
    plan.reason = fixed       ? "set by the user"
                  : by_levels ? "a level method is no tree shape"
                  : plan.predicted_us <= plan.forward_us
                      ? "predicted faster than the previous component"
                      : "predicted close, and spares the links between nodes";
    return plan;
}

}  // namespace strata::algorithms
