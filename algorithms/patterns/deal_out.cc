#include "algorithms/patterns/deal_out.h"

#include <algorithm>
#include <cstddef>
#include <deque>

namespace strata::algorithms {
namespace {

class Dealer {
public:
    explicit Dealer(const Dealt& group)
        : group_(group), below_(static_cast<std::size_t>(group.items)), count_(below_.size()) {
        const int all = group.outside[0] + group.outside[1] + 2 * (group.items - 1);
        most_ = std::max(2, (all + group.items - 1) / group.items);
    }

    DealtOut run() {
        for (const std::size_t tree : {0, 1}) deal(tree);
        return std::move(below_);
    }

private:
    int count(int item) const { return count_[static_cast<std::size_t>(item)]; }

    void give(std::size_t tree, int item, int what) {
        below_[static_cast<std::size_t>(item)][tree].push_back(what);
        ++count_[static_cast<std::size_t>(item)];
    }

    /// Returns the items in the order in which a tree reaches them.
    std::vector<int> order(std::size_t tree) const {
        const int first = group_.first[tree];
        std::vector<int> items;
        for (int step = 0; step < group_.items; ++step)
            items.push_back((first + (tree == 0 ? step : group_.items - step)) % group_.items);
        return items;
    }

    void deal(std::size_t tree) {
        const std::vector<int> items = order(tree);
        const int outside = group_.outside[tree];
        std::deque<int> room;
        auto item = items.begin();
        const auto reach = [&] {
            const bool shared = group_.first[0] == group_.first[1] && *item == group_.first[0];
            const int most = shared ? most_ / 2 : most_ - count(*item);
            for (int place = 0; place < most; ++place) room.push_back(*item);
            ++item;
        };
        const auto next = [&] {
            if (room.empty())  // the item with the fewest children takes one more
                return *std::min_element(items.begin(), item,
                                         [&](int a, int b) { return count(a) < count(b); });
            const int parent = room.front();
            room.pop_front();
            return parent;
        };
        reach();
        int one = 0;
        while (item != items.end() || one < outside) {
            const bool leaves = one < outside && (item == items.end() || room.size() > 1);
            const int parent = next();
            if (leaves) {
                give(tree, parent, -1 - one++);
            } else {
                give(tree, parent, *item);
                reach();
            }
        }
    }

    const Dealt& group_;
    DealtOut below_;
    std::vector<int> count_;  ///< children of each item, both trees together
    int most_;
};

}  // namespace

DealtOut deal_out(const Dealt& group) { return Dealer(group).run(); }

}  // namespace strata::algorithms
