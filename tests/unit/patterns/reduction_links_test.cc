#include "algorithms/patterns/reduction_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "consecutive_shapes.h"
#include "make_hierarchy.h"
#include "random_shapes.h"

namespace reduction_links_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;
using Peers = std::vector<int>;

std::vector<ReductionLinks> all_links(const Hierarchy& hierarchy, const Plan& plan, int root,
                                      bool rank_order) {
    std::vector<ReductionLinks> links;
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        links.push_back(reduction_links(hierarchy, plan, root, rank, rank_order));
    }
    return links;
}

Peers peers(const std::vector<TreeLinks::Edge>& edges) {
    Peers result;
    for (const TreeLinks::Edge& edge : edges) {
        result.push_back(edge.peer);
    }
    return result;
}

bool same(const TreeLinks::Edge& a, const TreeLinks::Edge& b) {
    return a.peer == b.peer && a.group == b.group && a.segment_bytes == b.segment_bytes;
}

/// The ranks below `rank` in the order in which the links combine them; cut off when there are too many.
void append_order(const std::vector<ReductionLinks>& links, int rank, Peers& order) {
    if (order.size() > links.size()) {
        return;
    }
    const ReductionLinks& self = links[rank];
    for (int child = 0; child <= static_cast<int>(self.children.size()); ++child) {
        if (child == self.before) {
            order.push_back(rank);
        }
        if (child < static_cast<int>(self.children.size())) {
            append_order(links, self.children[child].peer, order);
        }
    }
}

Peers order_of(const std::vector<ReductionLinks>& links, int root) {
    Peers order;
    append_order(links, root, order);
    return order;
}

Peers ascending(int ranks) {
    Peers result(static_cast<std::size_t>(ranks));
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/// Returns "" when the links are trees below `roots` that hold every rank once, both ends of every edge
/// agree and all edges carry `segment_bytes`.
std::string check_links(const std::vector<ReductionLinks>& links, const Peers& roots,
                        std::size_t segment_bytes) {
    const int ranks = static_cast<int>(links.size());
    for (int rank = 0; rank < ranks; ++rank) {
        const ReductionLinks& self = links[rank];
        if (self.before < 0 || self.before > static_cast<int>(self.children.size())) {
            return "before of rank " + std::to_string(rank);
        }
        const bool is_root = std::find(roots.begin(), roots.end(), rank) != roots.end();
        if (is_root != (self.parent.peer < 0)) {
            return "root or not: rank " + std::to_string(rank);
        }
        for (const TreeLinks::Edge& edge : self.children) {
            if (edge.peer < 0 || edge.peer >= ranks || edge.segment_bytes != segment_bytes) {
                return "edge of rank " + std::to_string(rank);
            }
            TreeLinks::Edge back = links[edge.peer].parent;
            back.peer = back.peer == rank ? edge.peer : -1;
            if (!same(back, edge)) {
                return "ends differ between " + std::to_string(rank) + " and " + std::to_string(edge.peer);
            }
        }
    }
    Peers order;
    for (const int root : roots) {
        append_order(links, root, order);
    }
    std::sort(order.begin(), order.end());
    return order == ascending(ranks) ? "" : "not every rank is there once";
}

TEST(ConsecutiveGroups, TellsThem) {
    EXPECT_TRUE(consecutive_groups(regular_hierarchy({2, 3, 4})));
    EXPECT_TRUE(consecutive_groups(regular_hierarchy({5})));
    Hierarchy cyclic = regular_hierarchy({2, 2});
    cyclic.groups[1].members = cyclic.groups[1].direct = {0, 2};
    cyclic.groups[2].members = cyclic.groups[2].direct = {1, 3};
    cyclic.groups[2].leader = 1;
    cyclic.stop = {1, 2, 1, 2};
    ASSERT_EQ(strata::topology::validate(cyclic), "");
    EXPECT_FALSE(consecutive_groups(cyclic));
    int interleaved = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random);
        interleaved += consecutive_groups(hierarchy) ? 0 : 1;
        const Hierarchy numbered = consecutive(random, hierarchy);
        EXPECT_EQ(strata::topology::validate(numbered), "");
        EXPECT_TRUE(consecutive_groups(numbered));
        EXPECT_EQ(strata::topology::validate(with_other_leaders(random, hierarchy)), "");
    }
    EXPECT_GT(interleaved, 40);
}

TEST(ReductionLinks, CommutativeOnesAreTheTreeTurnedAround) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random);
        const Plan plan = random_tree_plan(random, hierarchy, 1000);
        const int root = random.between(0, hierarchy.ranks() - 1);
        const std::size_t segment = plan.levels.front().segment_bytes;
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            const TreeLinks tree = tree_links(hierarchy, plan, root, rank);
            const ReductionLinks links = reduction_links(hierarchy, plan, root, rank, false);
            Peers turned = peers(tree.children);
            std::reverse(turned.begin(), turned.end());
            EXPECT_EQ(peers(links.children), turned);
            EXPECT_EQ(links.parent.peer, tree.parent.peer);
            EXPECT_EQ(links.before, 0);
        }
        EXPECT_EQ(check_links(all_links(hierarchy, plan, root, false), {root}, segment), "");
    }
}

TEST(ReductionLinks, RankOrderOnConsecutiveGroupsIsTheSerialOrder) {
    int before = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = consecutive(random, random_hierarchy(random));
        const Plan plan = random_tree_plan(random, hierarchy, 1000);
        for (int root = 0; root < hierarchy.ranks(); ++root) {
            const std::vector<ReductionLinks> links = all_links(hierarchy, plan, root, true);
            ASSERT_EQ(check_links(links, {root}, plan.levels.front().segment_bytes), "") << "seed " << seed;
            ASSERT_EQ(order_of(links, root), ascending(hierarchy.ranks()))
                << "seed " << seed << " root " << root;
            before += links[root].before;
        }
    }
    EXPECT_GT(before, 1000);
}

TEST(ReductionLinks, RankOrderOnOtherGroupsDependsOnNoLeaderAndNoRoot) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random);
        const Hierarchy elected = with_other_leaders(random, hierarchy);
        const Plan plan = random_tree_plan(random, hierarchy, 1000);
        const Peers order = order_of(all_links(hierarchy, plan, 0, true), 0);
        for (int root = 0; root < hierarchy.ranks(); ++root) {
            const std::vector<ReductionLinks> links = all_links(hierarchy, plan, root, true);
            const std::vector<ReductionLinks> others = all_links(elected, plan, root, true);
            ASSERT_EQ(check_links(links, {root}, plan.levels.front().segment_bytes), "") << "seed " << seed;
            ASSERT_EQ(order_of(links, root), order);
            for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
                ASSERT_TRUE(same(links[rank].parent, others[rank].parent));
                ASSERT_EQ(peers(links[rank].children), peers(others[rank].children));
            }
        }
    }
}

TEST(ReductionLinks, TheRootInTheMiddle) {
    const Hierarchy flat = regular_hierarchy({7});
    const Plan plan = uniform_plan(flat, {Algorithm::binomial, 0, {}}, 64);
    const std::vector<ReductionLinks> links = all_links(flat, plan, 3, true);
    EXPECT_EQ(peers(links[3].children), (Peers{0, 4, 5}));
    EXPECT_EQ(links[3].before, 1);
    EXPECT_EQ(peers(links[0].children), (Peers{1, 2}));
    EXPECT_EQ(links[0].before, 0);
    EXPECT_EQ(links[0].parent.peer, 3);
    EXPECT_EQ(peers(links[5].children), (Peers{6}));

    // Two sites of two nodes of three ranks: rank 7 has something before it on every level.
    const Hierarchy deep = regular_hierarchy({2, 2, 3});
    const Plan linear = uniform_plan(deep, {Algorithm::linear, 0, {}}, 64);
    const ReductionLinks root = reduction_links(deep, linear, 7, 7, true);
    EXPECT_EQ(peers(root.children), (Peers{0, 6, 8, 9}));
    EXPECT_EQ(root.before, 2);
    const ReductionLinks last = reduction_links(deep, linear, 11, 11, true);
    EXPECT_EQ(peers(last.children), (Peers{0, 6, 9}));
    EXPECT_EQ(last.before, 3);
    EXPECT_EQ(peers(reduction_links(deep, linear, 11, 9, true).children), (Peers{10}));
}

TEST(ReductionLinks, EveryShapeKeepsTheOrder) {
    for (const Algorithm algorithm :
         {Algorithm::linear, Algorithm::chain, Algorithm::pipeline, Algorithm::binary, Algorithm::binomial,
          Algorithm::knomial, Algorithm::recursive_doubling, Algorithm::in_order_binary,
          Algorithm::split_binary, Algorithm::double_binary}) {
        for (const int size : {1, 2, 3, 4, 7, 8, 11, 16}) {
            const Hierarchy hierarchy = regular_hierarchy({size});
            const Plan plan = uniform_plan(hierarchy, {algorithm, 0, {}}, 0);
            for (int root = 0; root < size; ++root) {
                const std::vector<ReductionLinks> links = all_links(hierarchy, plan, root, true);
                EXPECT_EQ(check_links(links, {root}, 0), "");
                EXPECT_EQ(order_of(links, root), ascending(size));
                EXPECT_EQ(check_links(all_links(hierarchy, plan, root, false), {root}, 0), "");
            }
        }
    }
}

TEST(ReductionLinks, TheChecksFindFaults) {
    const Hierarchy hierarchy = regular_hierarchy({2, 4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 64);
    const std::vector<ReductionLinks> good = all_links(hierarchy, plan, 1, true);
    ASSERT_EQ(check_links(good, {1}, 64), "");
    EXPECT_NE(check_links(good, {0}, 64), "");
    EXPECT_NE(check_links(good, {1}, 32), "");
    std::vector<ReductionLinks> swapped = good;
    std::swap(swapped[1].children[1], swapped[1].children[2]);
    EXPECT_EQ(check_links(swapped, {1}, 64), "");
    EXPECT_NE(order_of(swapped, 1), ascending(8));
    std::vector<ReductionLinks> late = good;
    late[1].before = 0;
    EXPECT_NE(order_of(late, 1), ascending(8));
    std::vector<ReductionLinks> doubled = good;
    doubled[1].children.push_back(doubled[1].children.back());
    EXPECT_NE(check_links(doubled, {1}, 64), "");
}

TEST(ReductionLinks, ProgrammingErrors) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 0);
    for (const bool rank_order : {false, true}) {
        EXPECT_THROW(reduction_links(hierarchy, plan, 4, 0, rank_order), std::invalid_argument);
        EXPECT_THROW(reduction_links(hierarchy, plan, 0, -1, rank_order), std::invalid_argument);
        EXPECT_THROW(exchange_links(hierarchy, plan, 4, rank_order), std::invalid_argument);
        Plan short_plan = plan;
        short_plan.levels.pop_back();
        EXPECT_THROW(reduction_links(hierarchy, short_plan, 0, 0, rank_order), std::out_of_range);
    }
    EXPECT_THROW(reduction_links(hierarchy, uniform_plan(hierarchy, {}, 0), 0, 0, false),
                 std::invalid_argument);
}

/// The core and the trees below it, and the order in which everything is combined.
void check_exchange(const Hierarchy& hierarchy, const Plan& plan, bool rank_order) {
    std::vector<ReductionLinks> below;
    Peers core;
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        const ExchangeLinks links = exchange_links(hierarchy, plan, rank, rank_order);
        below.push_back(links.below);
        ASSERT_EQ(links.below.before, 0);
        ASSERT_EQ(links.core.empty(), links.below.parent.peer >= 0);
        if (links.core.empty()) {
            ASSERT_EQ(links.position, -1);
            continue;
        }
        ASSERT_TRUE(core.empty() || core == links.core);
        core = links.core;
        ASSERT_EQ(core.at(static_cast<std::size_t>(links.position)), rank);
    }
    ASSERT_EQ(core.size(), hierarchy.groups[0].children.size() + hierarchy.groups[0].direct.size());
    ASSERT_EQ(check_links(below, core, plan.levels.front().segment_bytes), "");
    // Every member represents one part of the topmost level. Parts are in the order of their lowest ranks;
    // without rank order the leader's part and those behind it come first.
    std::vector<int> lowest;
    Peers order;
    for (const int member : core) {
        Peers covered = order_of(below, member);
        order.insert(order.end(), covered.begin(), covered.end());
        std::sort(covered.begin(), covered.end());
        lowest.push_back(covered.front());
        const bool is_part =
            std::any_of(hierarchy.groups[0].children.begin(), hierarchy.groups[0].children.end(),
                        [&](int child) { return hierarchy.groups[child].members == covered; });
        ASSERT_TRUE(is_part || covered == Peers{member});
        if (rank_order) {
            ASSERT_EQ(member, covered.front());
        }
    }
    if (rank_order && consecutive_groups(hierarchy)) {
        ASSERT_EQ(order, ascending(hierarchy.ranks()));
    }
    if (!rank_order) {
        ASSERT_EQ(core.front(), hierarchy.groups[0].leader);
        std::ranges::rotate(lowest, std::ranges::min_element(lowest));
    }
    ASSERT_TRUE(std::ranges::is_sorted(lowest));
}

TEST(ExchangeLinks, TreesBelowAndACoreOnTop) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        Hierarchy hierarchy = random_hierarchy(random);
        if (random.percent(50)) {
            hierarchy = consecutive(random, hierarchy);
        }
        Plan plan = random_tree_plan(random, hierarchy, 1000);
        if (random.percent(70)) {
            plan.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
        }
        for (const bool rank_order : {false, true}) {
            check_exchange(hierarchy, plan, rank_order);
            if (HasFatalFailure()) {
                FAIL() << "seed " << seed << " rank order " << rank_order;
            }
        }
    }
}

TEST(ExchangeLinks, LeadersOrLowestRanks) {
    Hierarchy hierarchy = regular_hierarchy({2, 2, 2});
    hierarchy.groups[0].leader = hierarchy.groups[2].leader = 6;  // site 2, its second node
    const Plan plan = uniform_plan(hierarchy, {Algorithm::recursive_doubling, 0, {}}, 64);
    ASSERT_EQ(strata::topology::validate(hierarchy), "");
    EXPECT_EQ(exchange_links(hierarchy, plan, 6, false).core, (Peers{6, 0}));
    EXPECT_EQ(exchange_links(hierarchy, plan, 6, false).position, 0);
    EXPECT_EQ(peers(exchange_links(hierarchy, plan, 6, false).below.children), (Peers{7, 4}));
    EXPECT_EQ(exchange_links(hierarchy, plan, 4, true).core, (Peers{0, 4}));
    EXPECT_EQ(exchange_links(hierarchy, plan, 6, true).below.parent.peer, 4);
}

/// Two switches with the nodes 0, 2, 5, 6 and 1, 3, 4, 7; node 3 leads.
TEST(ExchangeLinks, NodesOfASkippedSwitchAreSideBySide) {
    Hierarchy hierarchy = make_hierarchy(top_switch, {{leaf_switch, {0, 1, 0, 1, 1, 0, 0, 1}}}, 8);
    hierarchy.groups[0].leader = hierarchy.groups[2].leader = 3;
    ASSERT_EQ(strata::topology::validate(hierarchy), "");
    Plan plan;
    plan.levels = {{top_switch, {Algorithm::recursive_doubling, 0, {}}, 0}};
    plan.skipped = {leaf_switch};
    EXPECT_EQ(exchange_core(hierarchy, plan, false), (Peers{3, 4, 7, 1, 0, 2, 5, 6}));
    EXPECT_EQ(exchange_core(hierarchy, plan, true), (Peers{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace reduction_links_test
