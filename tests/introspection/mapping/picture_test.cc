#include "strata/mapping/traffic_picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cases.h"
#include "picture_parts.h"

namespace strata::testing {
namespace {

using mapping::bytes_text;
using mapping::change_text;
using mapping::count_text;
using mapping::Folded;
using mapping::seconds_text;
using mapping::TrafficMatrix;
using mapping::TrafficView;

TEST(Units, AreReadable) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(1024), "1.00 KiB");
    EXPECT_EQ(bytes_text(10.0 * 1024), "10.0 KiB");
    EXPECT_EQ(bytes_text(1023.4 * 1024), "1023 KiB");
    EXPECT_EQ(bytes_text(1023.6 * 1024), "1.00 MiB");
    EXPECT_EQ(bytes_text(1.5 * 1024 * 1024 * 1024), "1.50 GiB");
    EXPECT_EQ(bytes_text(18446744073709551615.0), "16.0 EiB");
    EXPECT_EQ(seconds_text(0), "0 s");
    EXPECT_EQ(seconds_text(2.5e-8), "25.0 ns");
    EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
    EXPECT_EQ(seconds_text(75.04), "75.0 s");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1000), "1,000");
    EXPECT_EQ(count_text(1234567), "1,234,567");
    EXPECT_EQ(change_text(100, 25.77), "-74.2 %");
    EXPECT_EQ(change_text(100, 150), "+50.0 %");
    EXPECT_EQ(change_text(100, 100), "0 %");
    EXPECT_EQ(change_text(100, 1234), "x 12.3");
    EXPECT_EQ(change_text(0, 5), "new");
    EXPECT_EQ(change_text(0, 0), "");
}

double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
}

TEST(Fold, KeepsEveryByteAndPutsGroupsTogether) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const Placement placement = random_placement(random);
        const int ranks = placement.hierarchy.ranks();
        const TrafficMatrix traffic = random_traffic(random, ranks);
        const Folded folded =
            mapping::fold({traffic, placement.hierarchy}, mapping::inverse_permutation({}, ranks));
        EXPECT_EQ(folded.cells(), ranks);
        EXPECT_EQ(complaint_about_permutation(folded.order, ranks), "");
        EXPECT_EQ(sum(folded.bytes), static_cast<double>(traffic.bytes()));
        // A node's ranks follow each other.
        int changes = 0;
        std::vector<std::uint64_t> nodes;
        for (int i = 0; i < ranks; ++i) {
            const auto node =
                placement.records[static_cast<std::size_t>(folded.order[static_cast<std::size_t>(i)])]
                    .node_id;
            if (nodes.empty() || nodes.back() != node) ++changes, nodes.push_back(node);
        }
        std::sort(nodes.begin(), nodes.end());
        EXPECT_EQ(static_cast<std::size_t>(changes),
                  static_cast<std::size_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin()));
    }
}

TEST(Fold, MakesGroupsOfManyRanks) {
    const auto cells = [](const std::vector<int>& nodes) {
        const Placement placement = nodes_with(nodes, Order::cyclic, true);
        const int ranks = placement.hierarchy.ranks();
        const TrafficMatrix traffic = group_traffic(ranks, 4, 10);
        const Folded folded =
            mapping::fold({traffic, placement.hierarchy}, mapping::inverse_permutation({}, ranks));
        EXPECT_EQ(sum(folded.bytes), static_cast<double>(traffic.bytes()));
        return folded.cells();
    };
    EXPECT_EQ(cells(std::vector<int>(64, 4)), 256);   // every rank
    EXPECT_EQ(cells(std::vector<int>(65, 4)), 130);   // packages
    EXPECT_EQ(cells(std::vector<int>(200, 4)), 200);  // nodes
    EXPECT_EQ(cells(std::vector<int>(300, 4)), 150);  // two nodes each
    EXPECT_EQ(cells({300, 1}), 151);                  // packages, and a node with one rank
}

TEST(Fold, BordersStandWhereGroupsEnd) {
    const Placement placement = nodes_with({4, 2}, Order::cyclic, true);
    const TrafficMatrix traffic(6);
    const Folded folded = mapping::fold({traffic, placement.hierarchy}, mapping::inverse_permutation({}, 6));
    std::vector<std::pair<int, int>> found;
    for (const auto& border : mapping::borders_of(placement.hierarchy, folded)) {
        if (border.depth <= 2) found.emplace_back(border.cell, border.depth);
    }
    const auto node = std::find(found.begin(), found.end(), std::pair(4, 1));
    EXPECT_NE(node, found.end());
    EXPECT_NE(std::find(found.begin(), found.end(), std::pair(2, 2)), found.end());
}

TEST(Pictures, AreComplete) {
    const Placement placement = nodes_with({4, 4, 4, 4}, Order::cyclic);
    const TrafficMatrix traffic = group_traffic(16, 4, 1 << 20);
    TrafficView view{traffic, placement.hierarchy};
    const std::string alone = mapping::draw_svg(view);
    EXPECT_EQ(alone.find("After"), std::string::npos);
    EXPECT_NE(alone.find("Traffic matrix"), std::string::npos);
    view.permutation = mapping::reorder(traffic, placement.hierarchy);
    const std::string both = mapping::draw_svg(view);
    for (const char* word :
         {"Before", "After", "cluster (between nodes)", "48.0 MiB", "-100.0 %", "Estimated time"}) {
        EXPECT_NE(both.find(word), std::string::npos) << word;
    }
    EXPECT_EQ(both.find("NaN"), std::string::npos);
    EXPECT_EQ(both.find("inf"), std::string::npos);
}

TEST(Pictures, AreDrawnOfNothing) {
    const Placement placement = nodes_with({1}, Order::block);
    const TrafficMatrix traffic(1);
    const TrafficView view{traffic, placement.hierarchy, {0}};
    for (const std::string& picture :
         {mapping::draw_svg(view), mapping::draw_text(view), mapping::draw_json(view)}) {
        EXPECT_FALSE(picture.empty());
        EXPECT_EQ(picture.find("nan"), std::string::npos);
    }
}

}  // namespace
}  // namespace strata::testing
