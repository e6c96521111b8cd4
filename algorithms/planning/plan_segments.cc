// PlanSearch's candidates for segment sizes, and the choice among them.
#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/cost/links.h"
#include "algorithms/planning/earned_search.h"
#include "algorithms/planning/plan_search.h"

namespace strata::algorithms {
namespace {

// If the cost per message was given, segments below 4 KiB pay in two cases: where processors combine slowly
// and segments are few (more than 16 took up to a fifth longer in simulated reductions than predicted), and
// in broadcasts from 4 KiB, where they fill long chains sooner.
constexpr std::size_t smallest_short_one = 1024;
constexpr std::size_t most_short_combined_ones = 16;
constexpr std::size_t most_short_ones = 512;
constexpr std::size_t least_bcast_of_short_ones = 4096;
constexpr double reported_error = 0.02;
// preferred() never takes a size that is slower than another one by this share.
constexpr double hopeless = 0.06;
static_assert(hopeless > needed_gain && hopeless > reported_error);

}  // namespace

/// Sets all open segments to this size.
void PlanSearch::fix_segments(std::size_t bytes, Source source) {
    for (std::size_t l = 0; l < plans_.size(); ++l) {
        if (!levels_[l].segment_open) continue;
        plans_[l].segment_bytes = bytes;
        levels_[l].segment_open = false;
        levels_[l].sources.segment = source;
    }
}

void PlanSearch::open_segments() {
    for (Level& level : levels_) {
        level.segment_open = true;
        level.sources.segment = {};
    }
}

void PlanSearch::set_one_segment() {
    const bool topmost_open = levels_.front().segment_open;
    const Source source = levels_.front().sources.segment;
    open_segments();
    if (!topmost_open) fix_segments(plans_.front().segment_bytes, source);
}

std::size_t PlanSearch::least_segment() const {
    const bool one_way = traits_.vectors && !traits_.up && bytes_ >= least_bcast_of_short_ones;
    const bool may_be_short = (traits_.combines || one_way) && rings_ == Rings::none;
    return may_be_short && model_->measured_inside() ? smallest_short_one : smallest_segment;
}

/// Returns the whole message, powers of two, and in place of each level's eager limit the longest segment
/// below it, if a handshake costs time.
std::vector<std::size_t> PlanSearch::segment_candidates() const {
    std::vector<std::size_t> sizes{0};
    const auto add = [&](std::size_t size) {
        const bool known = std::find(sizes.begin(), sizes.end(), size) != sizes.end();
        if (size < bytes_ && !known) sizes.push_back(size);
    };
    std::vector<std::size_t> limits;
    for (std::size_t l = 0; l < plans_.size(); ++l) {
        const LinkParameters& link = model_->link(l);
        const bool used = model_->largest_group(l) > 1;
        if (used && handshake_us(link, link.eager_bytes) > 0) limits.push_back(link.eager_bytes);
    }
    const std::size_t most = traits_.combines ? most_short_combined_ones : most_short_ones;
    for (std::size_t size = least_segment(); size <= largest_segment; size *= 2) {
        if (size < smallest_segment && bytes_ > most * size) continue;
        if (std::find(limits.begin(), limits.end(), size) == limits.end()) add(size);
    }
    for (const std::size_t limit : limits) {
        if (limit >= least_segment() && limit <= largest_segment) add(largest_eager_segment(limit));
    }
    return sizes;
}

std::size_t PlanSearch::network_eager(std::size_t level) const {
    return model_->network(level) ? model_->link(level).eager_bytes : 0;
}

/// Returns true for segments that are too long for effects outside the model. Opposite streams on a link
/// delay each other's acknowledgements: a quarter of the eager limit measured best (4 MiB between two sites:
/// 87 to 91 ms instead of 89 to 111 for Allgather, 174 instead of 181 for Allreduce). A combined segment is
/// passed on only when complete, so links slower than the model's fill the pipeline slowly (1 MiB Reduce
/// there: 42.7 ms instead of 43.0 to 44.5).
bool PlanSearch::too_long(std::size_t segment) const {
    const bool concerned = (traits_.up && traits_.down) || traits_.combines;
    const std::size_t longest = concerned ? network_eager(0) / 4 : 0;
    return longest >= smallest_segment && (segment == 0 ? bytes_ : segment) > longest;
}

/// Returns the preferred one among the candidates within the model's error of the fastest (a smaller error if
/// links inside nodes were measured, because the cost per message is known): one without network handshakes
/// if possible, then the one with the fewest messages.
template <typename Candidate>
const Candidate& PlanSearch::preferred(const std::vector<Candidate>& candidates, std::size_t below) const {
    double fastest = candidates.front().us;
    for (const Candidate& c : candidates) fastest = std::min(fastest, c.us);
    const auto size = [&](const Candidate& c) { return c.segment == 0 ? bytes_ : c.segment; };
    const auto eager = [&](const Candidate& c) { return below == 0 || size(c) < below; };
    const double hair = model_->measured_inside() ? reported_error : needed_gain;
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates) {
        if (c.us * (1 - hair) > fastest) continue;
        if (best == nullptr || std::pair(eager(c), size(c)) > std::pair(eager(*best), size(*best))) best = &c;
    }
    return *best;
}

void PlanSearch::choose_common_segment() {
    struct Candidate {
        std::size_t segment;
        double us;
        std::vector<LevelPlan> plans;
    };
    std::vector<Candidate> candidates;
    const bool open =
        std::any_of(levels_.begin(), levels_.end(), [](const Level& l) { return l.segment_open; });
    auto sizes = open ? segment_candidates() : std::vector<std::size_t>{0};
    if (open) std::erase_if(sizes, [&](std::size_t size) { return too_long(size); });
    for (const std::size_t size : sizes) {
        for (std::size_t l = 0; l < plans_.size(); ++l) {
            if (levels_[l].segment_open) plans_[l].segment_bytes = size;
        }
        best_us_ = -1;
        improves();
        choose_shapes();
        if (closed_form_) choose_shapes_from_chains();
        // Never searched for: the formulas' error would last.
        const bool lasts = traits_.combines && bytes_ <= longest_reduction_by_formulas;
        if (closed_form_ && lasts && sizes.size() > 1) best_us_ = model_->cost_us(plans_, bytes_, window_);
        candidates.push_back({size, best_us_, plans_});
    }
    const Candidate& best = preferred(candidates, network_eager(0));
    plans_ = best.plans;
    best_us_ = best.us;
}

/// Level by level from the top, takes another segment size if that gains more than the model's error.
void PlanSearch::refine_segments() {
    struct Candidate {
        std::size_t segment;
        double us;
    };
    const auto sizes = segment_candidates();
    for (std::size_t l = 0; l < plans_.size(); ++l) {
        if (!levels_[l].segment_open) continue;
        const std::size_t common = plans_[l].segment_bytes;
        std::vector<Candidate> candidates;
        double enough = std::numeric_limits<double>::infinity();
        for (const std::size_t size : sizes) {
            if (model_->network(l) && too_long(size)) continue;
            plans_[l].segment_bytes = size;
            const double us = size == common ? best_us_  // the same plan
                                             : us_of_plans(enough);
            candidates.push_back({size, us});
            enough = std::min(enough, us / (1 - hopeless));
        }
        const Candidate& best = preferred(candidates, network_eager(l));
        const bool gains = best.us < (1 - needed_gain) * best_us_;
        plans_[l].segment_bytes = gains ? best.segment : common;
        if (gains) best_us_ = best.us;
    }
}

}  // namespace strata::algorithms
