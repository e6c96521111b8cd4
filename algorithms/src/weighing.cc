#include "weighing.h"

#include "link_range.h"
#include "receiver.h"

namespace strata::algorithms {

Weighing::Weighing(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                   int window)
    : hierarchy_(hierarchy),
      operation_(operation),
      window_(window),
      tables_(possible_links(hierarchy, links)) {
    for (const LinkTable& table : tables_) {
        forward_us_.push_back(forward_cost_us(hierarchy, table, operation) +
                              receiver_cost(hierarchy, table, operation, 0).far_us);
    }
}

void Weighing::add(const std::vector<LevelPlan>& levels, bool near_card,
                   std::span<const topology::LevelKey> skipped) {
    std::vector<double> us;
    for (const LinkTable& table : tables_) {
        us.push_back(make_cost_model(hierarchy_, table, operation_, skipped)
                         ->cost_us(levels, operation_.bytes, window_) +
                     receiving_us(hierarchy_, table, operation_, levels, near_card));
    }
    ways_us_.push_back(std::move(us));
}

Weighing::Choice Weighing::choose() const {
    std::vector<std::vector<double>> all = ways_us_;
    all.push_back(forward_us_);
    const std::vector<double> worst = regrets(all);
    const std::size_t previous = ways_us_.size();
    const CollectiveTraits traits = traits_of(operation_.collective);
    const bool spares_links = !(traits.blocks && traits.rooted);
    std::size_t best = spares_links ? 0 : previous;
    for (std::size_t way = 0; way < worst.size(); ++way) {
        if (worst[way] < worst[best] * (1 - needed_gain)) best = way;
    }
    Choice choice{best, worst[best], worst.back()};
    if (best == previous) choice.way.reset();
    return choice;
}

}  // namespace strata::algorithms
