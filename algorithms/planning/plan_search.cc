#include "algorithms/planning/plan_search.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "algorithms/base/level_tasks.h"

namespace strata::algorithms {
namespace {

using topology::LevelKey;

/// Returns radices of k-nomial trees: four, and those that reach all ranks in three and in two hops. These
/// suit links whose latency is many times the sender's cost per message (postal model).
std::vector<int> radices_for(int size) {
    if (size <= 4) return {};
    std::vector<int> radices{4};
    for (const int hops : {3, 2}) {
        const auto reached = [hops](std::int64_t radix) { return radix * radix * (hops == 3 ? radix : 1); };
        int radix = 2;
        while (reached(radix) < size) ++radix;
        if (radix > 2 && std::find(radices.begin(), radices.end(), radix) == radices.end())
            radices.push_back(radix);
    }
    return radices;
}

const LevelMethod binomial{Algorithm::binomial, 0, {}};
const LevelMethod ring{Algorithm::ring, 0, {}};

}  // namespace

bool delegates(const LevelMethod& method, const CollectiveTraits& traits) {
    if (exchanges_by(method.algorithm, traits)) return false;
    const AlgorithmInfo& known = info(method.algorithm);
    if (known.double_tree && !supports_double_trees(traits)) return true;
    return method.algorithm != Algorithm::automatic && method.algorithm != Algorithm::skip &&
           !known.tree_shape;
}

PlanSearch::PlanSearch(CostModel& model, const Overrides& overrides, const Operation& operation, Rings rings,
                       Effort effort)
    : model_(&model),
      operation_(operation),
      traits_(traits_of(operation.collective)),
      bytes_(operation.bytes),
      window_(overrides.window, overrides.network_window_bytes),
      rings_(rings),
      may_exchange_(traits_.exchanges && model.top_stands_alone()),
      by_levels_(!order_is_fixed() && wants_levels(overrides)),
      by_rails_(overrides.engine == Engine::rails && operation.rails > 1) {
    for (std::size_t l = 0; l < model.levels().size(); ++l) open_level(l, overrides);
    if (effort == Effort::closed_form) closed_form_.emplace(model, traits_, bytes_);
}

bool PlanSearch::wants_levels(const Overrides& overrides) const {
    if (overrides.engine != Engine::automatic) return overrides.engine == Engine::levels;
    return std::any_of(model_->levels().begin(), model_->levels().end(), [&](const LevelKey& key) {
        for (const LevelMethodRule& rule : overrides.methods) {
            if (rule.holds_for(key)) return delegates(rule.method, traits_);
        }
        return false;
    });
}

/// Returns true if the engine can use this method on level `l`; check() allows it on some level.
bool PlanSearch::can_have(std::size_t l, const LevelMethod& method) const {
    if (!by_levels_) {
        if (method.algorithm == Algorithm::skip) return false;  // the model omits skipped levels
        if (info(method.algorithm).double_tree && order_is_fixed()) return false;
        if (exchanges_by(method.algorithm, traits_)) return l == 0 && may_exchange(method.algorithm);
        if (method.algorithm == Algorithm::ring) return rings_ != Rings::none && may_be_ring(l);
        return !delegates(method, traits_);
    }
    if (method.algorithm == Algorithm::component || method.algorithm == Algorithm::automatic) return true;
    const CollectiveTasks& tasks = traits_of(operation_.collective).tasks;
    return info(method.algorithm).tasks.meets(l == 0 ? tasks.topmost : tasks.below);
}

bool PlanSearch::could_be_ring() const {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        if (levels_[l].method_open && worth_a_ring(l)) return true;
    }
    return false;
}

bool PlanSearch::could_be_long_chain() const {
    const auto size = static_cast<std::size_t>(model_->largest_group(0));
    return levels_.front().method_open && size > 2 && bytes_ / size >= smallest_segment;
}

bool PlanSearch::could_be_double_tree() const {
    return levels_.front().method_open && model_->largest_group(0) > 3 && bytes_ >= 2 * smallest_segment;
}

std::vector<LevelSources> PlanSearch::sources() const {
    std::vector<LevelSources> all;
    for (const Level& level : levels_) all.push_back(level.sources);
    return all;
}

double PlanSearch::run(bool one_segment) {
    if (!by_levels_ && is_exchange(plans_.front().method)) {
        set_exchange(plans_.front().method.algorithm);
    } else if (one_segment) {
        set_one_segment();
    }
    // Without a known size: segments below the network's eager limit, so that long streams flow; inside a
    // node one segment.
    if (!traits_.sized) fix_segments(network_eager(0) == 0 ? 0 : largest_eager_segment(network_eager(0)), {});
    std::vector<PlanSearch> exchanges;
    for (const Algorithm algorithm : {Algorithm::recursive_doubling, Algorithm::rabenseifner}) {
        const bool left_out =
            exchanges_ == (algorithm == by_parts() ? Exchanges::whole_vectors : Exchanges::parts);
        if (left_out || !exchange_is_open(algorithm)) continue;
        exchanges.push_back(*this);
        exchanges.back().set_exchange(algorithm);
    }
    const bool parts = exchanges_ == Exchanges::parts && could_exchange_parts();
    if (!parts) choose(one_segment);
    for (PlanSearch& exchange : exchanges) {
        exchange.choose(one_segment);
        exchange.levels_.front().method_open = true;  // not closed by a rule
        if (best_us_ < 0 || exchange.best_us_ < best_us_) *this = std::move(exchange);
    }
    return best_us_;
}

void PlanSearch::open_level(std::size_t l, const Overrides& overrides) {
    const LevelKey key = model_->levels()[l];
    Level level;
    LevelPlan plan{key, {}, 0};
    for (const LevelMethodRule& rule : overrides.methods) {
        if (!rule.holds_for(key)) continue;
        if (!can_have(l, rule.method)) {
            const bool reported = rule.method.algorithm == Algorithm::skip;  // by make_plan()
            if (!ignored_method_ && !reported) ignored_method_ = rule.method;
            continue;
        }
        plan.method = rule.method;
        level.method_open = rule.method.algorithm == Algorithm::automatic;
        if (!level.method_open) level.sources.method = rule.source;
        break;
    }
    // The engine would silently do the same (reduction_links.h).
    if (operation_.rank_order && !by_levels_ && !level.method_open &&
        !info(plan.method.algorithm).keeps_rank_order) {
        plan.method = binomial;
        level.sources.method = {};
    }
    for (const LevelSizeRule& rule : overrides.segments) {
        if (!rule.holds_for(key)) continue;
        plan.segment_bytes = rule.bytes;
        level.segment_open = false;
        level.sources.segment = rule.source;
        break;
    }
    level.shapes = shapes_for(l);
    levels_.push_back(level);
    plans_.push_back(plan);
}

/// Returns the shapes that differ for the level's groups; the most often best one last.
std::vector<LevelMethod> PlanSearch::shapes_for(std::size_t l) const {
    if (order_is_fixed()) return {binomial};
    const int size = model_->largest_group(l);
    if (must_be_ring(l)) return {ring};
    std::vector<LevelMethod> shapes{{Algorithm::linear, 0, {}}};
    if (size > 2) shapes.insert(shapes.begin(), {Algorithm::pipeline, 0, {}});
    for (const int radix : radices_for(size)) shapes.push_back({Algorithm::knomial, radix, {}});
    if (size > 3) shapes.push_back({Algorithm::binary, 0, {}});
    if (size > 3) shapes.push_back(binomial);
    if (rings_ == Rings::allowed && worth_a_ring(l)) shapes.push_back(ring);
    if (operation_.rank_order) {
        std::erase_if(shapes, [](const LevelMethod& s) { return !info(s.algorithm).keeps_rank_order; });
    }
    return shapes;
}

/// A reduction has a ring on the topmost level only: a ring combines each part in another order.
bool PlanSearch::may_be_ring(std::size_t l) const {
    if (!traits_.combines) return true;
    return l == 0 && model_->top_stands_alone() && !order_is_fixed() && !operation_.rank_order;
}

bool PlanSearch::must_be_ring(std::size_t l) const {
    return rings_ == Rings::wanted && may_be_ring(l) && model_->largest_group(l) > 2;
}

/// A ring sends at least one message per participant over every edge; short blocks could travel together.
bool PlanSearch::worth_a_ring(std::size_t l) const {
    const int size = model_->largest_group(l);
    return may_be_ring(l) && size > 2 && bytes_ / static_cast<std::size_t>(size) >= smallest_segment;
}

/// Reduce-scatter + allgather combines in an order that depends on the position in the vector.
bool PlanSearch::may_exchange(Algorithm algorithm) const {
    const bool ordered = order_is_fixed() || operation_.rank_order;
    return may_exchange_ && exchanges_by(algorithm, traits_) &&
           (algorithm != Algorithm::rabenseifner || !ordered);
}

/// Sets an exchange on the topmost level; whole vectors and reduce-scatter + allgather then have one segment
/// on all levels.
void PlanSearch::set_exchange(Algorithm algorithm) {
    plans_.front().method = {algorithm, 0, {}};
    levels_.front().method_open = false;
    if (traits_.blocks) return;
    open_segments();
    fix_segments(0, {});
}

/// Returns true if nothing excludes this exchange on the topmost level: a rule, a ring, rails (for parts), a
/// vector with segments, an order that must not depend on the size. Requested rings take precedence.
bool PlanSearch::exchange_is_open(Algorithm algorithm) const {
    const std::size_t segment = levels_.front().segment_open ? 0 : plans_.front().segment_bytes;
    return may_exchange(algorithm) && (algorithm != by_parts() || worth_parts()) && !by_levels_ &&
           levels_.front().method_open && rings_ != Rings::allowed && !must_be_ring(0) &&
           !(by_rails_ && algorithm == by_parts()) && !order_is_fixed() &&
           (traits_.blocks || segment == 0 || segment >= bytes_);
}

/// Two participants exchange everything anyway. Below reduce-scatter + allgather, vectors go up and down
/// whole, at most as long as the longest segment; very short ones gain nothing. Longer blocks go as well in a
/// ring.
bool PlanSearch::worth_parts() const {
    if (model_->largest_group(0) < 3) return false;
    if (traits_.blocks) return bytes_ < largest_segment;
    return bytes_ >= least_segment() && bytes_ <= largest_segment;
}

/// Chooses all open values with one segment size, then one per level unless `one_segment`.
void PlanSearch::choose(bool one_segment) {
    for (std::size_t l = 0; l < plans_.size(); ++l) {
        if (levels_[l].method_open) plans_[l].method = levels_[l].shapes.back();
    }
    choose_common_segment();
    if (!one_segment) refine_segments();
    if (closed_form_) best_us_ = model_->cost_us(plans_, bytes_, window_);
}

/// Returns the time of the present plans; at least `enough` as soon as that is certain.
double PlanSearch::us_of_plans(double enough) {
    return closed_form_ ? closed_form_->us(plans_) : model_->cost_us(plans_, bytes_, window_, enough);
}

bool PlanSearch::improves() {
    const double enough = best_us_ >= 0 ? best_us_ : std::numeric_limits<double>::infinity();
    const double us = us_of_plans(enough);
    if (us >= enough) return false;
    best_us_ = us;
    return true;
}

double PlanSearch::refine_shapes() {
    closed_form_.reset();
    choose_shapes();
    return best_us_;
}

void PlanSearch::choose_shapes() {
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

/// A chain may pay only if several levels have one.
void PlanSearch::choose_shapes_from_chains() {
    const std::vector<LevelPlan> others = plans_;
    const double others_us = best_us_;
    for (std::size_t l = 0; l < plans_.size(); ++l) {
        if (levels_[l].method_open) plans_[l].method = levels_[l].shapes.front();
    }
    best_us_ = -1;
    improves();
    choose_shapes();
    if (best_us_ < others_us) return;
    plans_ = others;
    best_us_ = others_us;
}

}  // namespace strata::algorithms
