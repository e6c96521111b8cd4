#include "algorithms/planning/plan_search.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "algorithms/base/level_tasks.h"

namespace strata::algorithms {
namespace {

using topology::LevelKey;

/// Of k-nomial trees: four, and those that reach all in three hops and in two, as suits links whose latency
/// is many times what a message costs the sender (postal model).
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
    if (known.halves && !supports_halves(traits)) return true;
    return method.algorithm != Algorithm::automatic && method.algorithm != Algorithm::skip &&
           !known.tree_shape;
}

PlanSearch::PlanSearch(CostModel& model, const Overrides& overrides, const Operation& operation, Rings rings)
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

/// Whether the engine can do this level by a method that it can do some level by (check()).
bool PlanSearch::can_have(std::size_t l, const LevelMethod& method) const {
    if (!by_levels_) {
        if (method.algorithm == Algorithm::skip) return false;  // or the model would not have this level
        if (info(method.algorithm).halves && order_is_fixed()) return false;
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

bool PlanSearch::could_go_in_halves() const {
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
    // Nobody knows how much there is: messages that need no handshake between nodes, so that long streams
    // flow; inside a node whole ones.
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
        exchange.levels_.front().method_open = true;  // no rule has closed it
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
            const bool told = rule.method.algorithm == Algorithm::skip;  // by make_plan()
            if (!passed_over_ && !told) passed_over_ = rule.method;
            continue;
        }
        plan.method = rule.method;
        level.method_open = rule.method.algorithm == Algorithm::automatic;
        if (!level.method_open) level.sources.method = rule.source;
        break;
    }
    // The engine would do the same without a word (reduction_links.h).
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

/// Shapes that differ for the level's groups; the usual best one last.
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

/// Reductions have a ring on the topmost level only, in which every part of a vector is combined in an order
/// of its own.
bool PlanSearch::may_be_ring(std::size_t l) const {
    if (!traits_.combines) return true;
    return l == 0 && model_->top_stands_alone() && !order_is_fixed() && !operation_.rank_order;
}

bool PlanSearch::must_be_ring(std::size_t l) const {
    return rings_ == Rings::wanted && may_be_ring(l) && model_->largest_group(l) > 2;
}

/// A ring takes at least one message per participant over every edge, in which short blocks could have gone
/// together.
bool PlanSearch::worth_a_ring(std::size_t l) const {
    const int size = model_->largest_group(l);
    return may_be_ring(l) && size > 2 && bytes_ / static_cast<std::size_t>(size) >= smallest_segment;
}

/// Halves are reduced in an order that depends on their place in the vector.
bool PlanSearch::may_exchange(Algorithm algorithm) const {
    const bool ordered = order_is_fixed() || operation_.rank_order;
    return may_exchange_ && exchanges_by(algorithm, traits_) &&
           (algorithm != Algorithm::rabenseifner || !ordered);
}

/// An exchange on the topmost level: vectors and halves go in whole messages, everywhere.
void PlanSearch::set_exchange(Algorithm algorithm) {
    plans_.front().method = {algorithm, 0, {}};
    levels_.front().method_open = false;
    if (traits_.blocks) return;
    open_segments();
    fix_segments(0, {});
}

/// True when nothing forbids this exchange on the topmost level: no rule, no ring, no rails for parts, no
/// vector that must be cut, no order that must be the same for longer ones. Where rings are asked for they
/// shall be seen.
bool PlanSearch::exchange_is_open(Algorithm algorithm) const {
    const std::size_t segment = levels_.front().segment_open ? 0 : plans_.front().segment_bytes;
    return may_exchange(algorithm) && (algorithm != by_parts() || worth_parts()) && !by_levels_ &&
           levels_.front().method_open && rings_ != Rings::allowed && !must_be_ring(0) &&
           !(by_rails_ && algorithm == by_parts()) && !order_is_fixed() &&
           (traits_.blocks || segment == 0 || segment >= bytes_);
}

/// Two exchange all that they have in any case. Halves go up and down as whole vectors, which are never
/// longer than the longest segment; very short ones are not worth it. Longer blocks go in a ring just as
/// well.
bool PlanSearch::worth_parts() const {
    if (model_->largest_group(0) < 3) return false;
    if (traits_.blocks) return bytes_ < largest_segment;
    return bytes_ >= least_segment() && bytes_ <= largest_segment;
}

/// Everything open, with one segment size for all levels first; `one_segment`: and last.
void PlanSearch::choose(bool one_segment) {
    for (std::size_t l = 0; l < plans_.size(); ++l) {
        if (levels_[l].method_open) plans_[l].method = levels_[l].shapes.back();
    }
    choose_common_segment();
    if (!one_segment) refine_segments();
}

bool PlanSearch::improves() {
    const double enough = best_us_ >= 0 ? best_us_ : std::numeric_limits<double>::infinity();
    const double us = model_->cost_us(plans_, bytes_, window_, enough);
    if (us >= enough) return false;
    best_us_ = us;
    return true;
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

}  // namespace strata::algorithms
