#include "random_settings.h"

#include <iterator>
#include <numeric>
#include <utility>

namespace strata::testing {
namespace {

using Groups = std::vector<std::vector<int>>;

/// Every group in up to `most` parts, of random sizes and members.
Groups split(Random& random, const Groups& groups, int most) {
    Groups parts;
    for (std::vector<int> group : groups) {
        shuffle(random, group);
        Groups pieces(static_cast<std::size_t>(random.between(1, most)));
        for (const int rank : group) pieces[random.below(pieces.size())].push_back(rank);
        for (auto& piece : pieces) {
            if (!piece.empty()) parts.push_back(piece);
        }
    }
    return parts;
}

/// "[0,3]+[1..2]": every rank by itself.
std::string text_of(const Groups& groups) {
    std::string text;
    for (const auto& group : groups) {
        text += text.empty() ? "[" : "+[";
        for (std::size_t i = 0; i < group.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(group[i]);
        text += "]";
    }
    return text;
}

std::string method(Random& random) {
    constexpr const char* methods[] = {"linear",   "chain:2",   "pipeline",       "binary",
                                       "binomial", "knomial:3", "in_order_binary"};
    return methods[random.below(std::size(methods))];
}

std::string method_of_vectors(Random& random, int double_trees) {
    if (!random.percent(double_trees)) return method(random);
    return random.percent(70) ? "double_binary" : "split_binary";
}

}  // namespace

RandomSettings random_settings(Random& random, int world) {
    RandomSettings made;
    made.ranks.resize(static_cast<std::size_t>(world));
    std::iota(made.ranks.begin(), made.ranks.end(), 0);
    shuffle(random, made.ranks);
    made.ranks.resize(static_cast<std::size_t>(random.between(3, world)));
    std::vector<int> all(made.ranks.size());
    std::iota(all.begin(), all.end(), 0);
    Groups groups{all};
    for (int levels = random.between(1, 3); levels > 0; --levels) {
        groups = split(random, groups, groups.size() == 1 ? 4 : 3);
        made.hierarchy = text_of(groups) + (made.hierarchy.empty() ? "" : ",") + made.hierarchy;
    }
    constexpr int shares[] = {0, 40, 100};
    const int double_trees = shares[random.below(std::size(shares))];
    // Methods of the widest level, for any kind of level; missing levels do not matter.
    for (const char* level : {"node", "package", "numa", "l3", "core", "custom0", "custom1", "custom2"}) {
        const std::string rule = (made.methods.empty() ? "" : ",") + std::string(level) + "=";
        made.methods += rule + method(random);
        made.double_trees += rule + method_of_vectors(random, double_trees);
    }
    made.segments = std::to_string(8 * random.between(1, 500));
    made.ring = random.percent(50);
    made.root = random.between(0, static_cast<int>(made.ranks.size()) - 1);
    made.elements = 1 + random.below(1500);
    return made;
}

}  // namespace strata::testing
