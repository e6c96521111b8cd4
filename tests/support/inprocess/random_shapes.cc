#include "random_shapes.h"

#include <algorithm>
#include <numeric>

namespace strata::testing {
namespace {

using algorithms::Algorithm;
using algorithms::LevelMethod;
using algorithms::Plan;
using topology::Group;
using topology::Hierarchy;
using topology::LevelKey;
using topology::LevelKind;

/// Widest first, as a real hierarchy orders them.
const std::vector<LevelKey> ladder = {
    {LevelKind::cluster, 0}, {LevelKind::switch_, 1}, {LevelKind::switch_, 0},
    {LevelKind::node, 0},    {LevelKind::package, 0}, {LevelKind::numa, 0},
    {LevelKind::l3, 0},      {LevelKind::l2, 0},      {LevelKind::core, 0}};

class Builder {
public:
    explicit Builder(int ranks) : preference_(static_cast<std::size_t>(ranks)) {
        hierarchy_.stop.assign(static_cast<std::size_t>(ranks), -1);
        std::iota(preference_.begin(), preference_.end(), 0);
    }

    std::vector<int>& preference() { return preference_; }

    int add(int parent, LevelKey level, std::vector<int> members) {
        std::sort(members.begin(), members.end());
        Group group;
        group.level = level;
        group.object = hierarchy_.groups.size();
        group.parent = parent;
        group.depth = parent < 0 ? 0 : hierarchy_.groups[parent].depth + 1;
        group.leader = *std::min_element(members.begin(), members.end(),
                                         [&](int a, int b) { return preference_[a] < preference_[b]; });
        group.members = std::move(members);
        const int index = static_cast<int>(hierarchy_.groups.size());
        for (const int rank : group.members) {
            hierarchy_.stop[rank] = index;
        }
        hierarchy_.groups.push_back(std::move(group));
        return index;
    }

    Hierarchy finish() {
        for (std::size_t index = 1; index < hierarchy_.groups.size(); ++index) {
            hierarchy_.groups[hierarchy_.groups[index].parent].children.push_back(static_cast<int>(index));
        }
        for (Group& group : hierarchy_.groups) {
            std::sort(group.children.begin(), group.children.end(), [&](int a, int b) {
                return hierarchy_.groups[a].members.front() < hierarchy_.groups[b].members.front();
            });
        }
        for (std::size_t rank = 0; rank < hierarchy_.stop.size(); ++rank) {
            hierarchy_.groups[hierarchy_.stop[rank]].direct.push_back(static_cast<int>(rank));
        }
        return std::move(hierarchy_);
    }

private:
    Hierarchy hierarchy_;
    std::vector<int> preference_;  ///< the smallest value leads
};

/// Splits `members` (in random order) below group `index`, at ladder positions from `next` on.
void split(Random& random, Builder& builder, int index, std::vector<int> members, std::size_t next,
           int levels_left) {
    if (levels_left == 0 || members.size() < 2 || next >= ladder.size() || random.percent(15)) {
        return;
    }
    std::size_t begin = random.percent(30) ? random.below(members.size()) : 0;  // these stop here
    if (begin == 0 && members.size() == 2 && random.percent(50)) {
        begin = 1;
    }
    const std::size_t most = std::min<std::size_t>(members.size() - begin, 2 + random.below(6));
    while (begin < members.size()) {
        std::size_t size = 1 + random.below(2 * (members.size() / most) + 1);
        size = std::min({size, members.size() - begin, members.size() - 1});  // a strict subset
        const std::size_t level = std::min(next + (random.percent(20) ? 1 : 0), ladder.size() - 1);
        std::vector<int> child(members.begin() + static_cast<long>(begin),
                               members.begin() + static_cast<long>(begin + size));
        const int below = builder.add(index, ladder[level], child);
        split(random, builder, below, std::move(child), level + 1, levels_left - 1);
        begin += size;
    }
}

/// Returns 0, a size that plans use, or one around `bytes`: plans' sizes seldom limit vectors this short.
std::size_t random_network_window(Random& random, std::size_t bytes) {
    switch (random.below(7)) {
        case 0: return 0;
        case 1: return std::size_t{16} << 10;
        case 2: return std::size_t{256} << 10;
        case 3: return std::size_t{1} << 20;
        default: return bytes / 8 + 1 + random.below(bytes + 1);
    }
}

}  // namespace

Hierarchy random_hierarchy(Random& random, const ShapeLimits& limits) {
    const int ranks = random.between(1, limits.ranks);
    const int levels = random.between(1, limits.levels);
    Builder builder(ranks);
    shuffle(random, builder.preference());
    std::vector<int> members(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
    if (random.percent(70)) {
        shuffle(random, members);
    }
    const int top = builder.add(-1, ladder[0], members);
    const std::size_t first = 1 + random.below(ladder.size() - static_cast<std::size_t>(levels));
    split(random, builder, top, members, first, levels - 1);
    return builder.finish();
}

Hierarchy regular_hierarchy(const std::vector<int>& counts) {
    int ranks = 1;
    for (const int count : counts) {
        ranks *= count;
    }
    Builder builder(ranks);
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    std::vector<int> above = {builder.add(-1, ladder[0], all)};
    int size = ranks;
    for (std::size_t height = 0; height + 1 < counts.size(); ++height) {
        size /= counts[height];
        std::vector<int> here;
        for (int first = 0; first < ranks; first += size) {
            const int parent = above[static_cast<std::size_t>(first / (size * counts[height]))];
            here.push_back(builder.add(parent, ladder[height + 1],
                                       std::vector<int>(all.begin() + first, all.begin() + first + size)));
        }
        above = here;
    }
    return builder.finish();
}

Hierarchy dealt_out(int nodes, int size) {
    Builder builder(nodes * size);
    std::vector<int> all(static_cast<std::size_t>(nodes * size));
    std::iota(all.begin(), all.end(), 0);
    const int top = builder.add(-1, ladder[0], all);
    for (int node = 0; node < nodes; ++node) {
        std::vector<int> members;
        for (int rank = node; rank < nodes * size; rank += nodes) {
            members.push_back(rank);
        }
        builder.add(top, ladder[3], members);
    }
    return builder.finish();
}

std::vector<LevelKey> levels_of(const Hierarchy& hierarchy) {
    std::vector<LevelKey> result;
    for (const LevelKey& level : ladder) {
        if (std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(),
                        [&](const Group& group) { return group.level == level; })) {
            result.push_back(level);
        }
    }
    return result;
}

Plan random_tree_plan(Random& random, const Hierarchy& hierarchy, std::size_t bytes) {
    static const std::vector<LevelMethod> methods = {
        {Algorithm::linear, 0, {}},   {Algorithm::chain, 0, {}},          {Algorithm::chain, 1, {}},
        {Algorithm::chain, 3, {}},    {Algorithm::pipeline, 0, {}},       {Algorithm::binary, 0, {}},
        {Algorithm::binomial, 0, {}}, {Algorithm::knomial, 0, {}},        {Algorithm::knomial, 3, {}},
        {Algorithm::knomial, 5, {}},  {Algorithm::in_order_binary, 0, {}}};
    Plan plan;
    plan.engine = algorithms::Engine::tree;
    plan.window = random.between(1, 6);
    plan.network_window_bytes = random_network_window(random, bytes);
    for (const LevelKey& level : levels_of(hierarchy)) {
        algorithms::LevelPlan entry;
        entry.level = level;
        entry.method = methods[random.below(methods.size())];
        switch (random.below(6)) {
            case 0: entry.segment_bytes = 0; break;
            case 1: entry.segment_bytes = bytes + 1; break;
            case 2: entry.segment_bytes = bytes; break;
            default: entry.segment_bytes = bytes / 40 + 1 + random.below(bytes / 2 + 1);
        }
        plan.levels.push_back(entry);
    }
    return plan;
}

Plan random_ring_plan(Random& random, const Hierarchy& hierarchy, std::size_t bytes) {
    Plan plan = random_tree_plan(random, hierarchy, bytes);
    plan.engine = algorithms::Engine::ring;
    const int rings = random.percent(40) ? 100 : 60;
    for (algorithms::LevelPlan& level : plan.levels) {
        if (random.percent(rings)) {
            level.method = {Algorithm::ring, 0, {}};
        }
    }
    return plan;
}

Plan uniform_plan(const Hierarchy& hierarchy, const LevelMethod& method, std::size_t segment_bytes) {
    Plan plan;
    plan.engine = algorithms::Engine::tree;
    for (const LevelKey& level : levels_of(hierarchy)) {
        plan.levels.push_back({level, method, segment_bytes});
    }
    return plan;
}

}  // namespace strata::testing
