// Listings of plans over operations and sizes: ranges of equal choice, sources of values, and a hierarchy
// read back.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/cost/bound.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/report/hierarchy_dump.h"
#include "algorithms/report/plan_listing.h"
#include "plans.h"
#include "topology/picture.h"
#include "topology/text_file.h"

namespace listing_test {
namespace {

using namespace strata::testing;
using namespace strata::algorithms;
using strata::topology::draw;
using strata::topology::FileError;
using strata::topology::PictureFormat;

constexpr const char* rules_text = R"({"version": 1, "links": [
  {"level": "switch1", "latency_us": 777}], "rules": [
  {"collective": "bcast", "bytes": {"below": 1000}, "engine": "forward"},
  {"collective": "bcast", "levels": [{"level": "node", "segment": "8k"}]}]})";

struct Made {
    Hierarchy hierarchy = sites_of_nodes(2, 2, 4);
    Rules rules = parse_rules(rules_text, "r.json");
    LinkTable links;
    Made() { set_links(links, rules.links); }
    Plan plan(const Operation& operation) const {
        const auto fitting = rules_for(rules, operation.collective, hierarchy.ranks());
        return make_plan(hierarchy, links, resolve({}, fitting, hierarchy, operation).overrides, operation);
    }
    PlanListing list(const ListingSpec& spec) const {
        PlanListing listing{hierarchy.ranks(), "r.json", 0, 0, list_links(hierarchy, links, rules.links), {}};
        listing.plans = list_plans(
            hierarchy, spec, [this](const Operation& operation) { return plan(operation); },
            [this](Collective op) { return byte_bounds(rules_for(rules, op, hierarchy.ranks())); });
        return listing;
    }
};

TEST(Listing, RangesCoverAllSizesAndEndAtRules) {
    const Made made;
    const PlanListing listing = made.list({{Collective::bcast}, 3, {}});
    ASSERT_GT(listing.plans.size(), 1U);
    EXPECT_EQ(listing.plans.front().from, 8U);
    EXPECT_EQ(listing.plans.back().to, 64 * mib);
    EXPECT_EQ(listing.plans.front().to, 999U);
    EXPECT_EQ(listing.plans[1].from, 1000U);
    for (std::size_t i = 0; i < listing.plans.size(); ++i) {
        const ListedPlan& listed = listing.plans[i];
        EXPECT_EQ(listed.root, 3);
        EXPECT_LE(listed.from, listed.to);
        if (i > 0) {
            EXPECT_GT(listed.from, listing.plans[i - 1].to);
            EXPECT_LE(listed.from, 2 * listing.plans[i - 1].to);
        }
        for (const std::size_t bytes : {listed.from, listed.to}) {
            const Plan plan = made.plan({Collective::bcast, bytes, 3});
            EXPECT_EQ(plan.engine, listed.plan.engine) << bytes;
            EXPECT_EQ(plan.reason, listed.plan.reason) << bytes;
        }
    }
}

TEST(Listing, SizesThatAreNamedStandApart) {
    const PlanListing listing = Made().list({{Collective::bcast, Collective::barrier}, 0, {8, 16, mib}});
    ASSERT_EQ(listing.plans.size(), 4U);
    EXPECT_EQ(listing.plans[1].from, 16U);
    EXPECT_EQ(listing.plans[3].collective, Collective::barrier);
    EXPECT_EQ(listing.plans[3].from, 0U);
}

TEST(Listing, SourcesAreReported) {
    const PlanListing listing = Made().list({{Collective::bcast}, 0, {8, mib}});
    const std::string text = listing_text(listing);
    for (const char* part : {"latency from r.json:2", "engine from r.json:3", "segment of node from r.json:4",
                             "built in", "bcast from rank 0"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
    const std::string json = listing_members(listing);
    for (const char* part :
         {R"("engine_from":{"origin":"rules_file","file":"r.json","line":3})",
          R"("window":4,"network_window_bytes":976250)", R"("collective":"bcast","bytes":8)",
          R"("level":"switch1","latency_us":777)", R"("candidates":[])"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
    }
}

/// 16 ranks on 4 nodes at 2 sites.
TEST(Listing, BoundsNeedGivenBandwidths) {
    Made made;
    const auto listed = [&] {
        PlanListing listing = made.list({{Collective::bcast}, 0, {}});
        listing.plans = list_plans(
            made.hierarchy, {{Collective::bcast, Collective::barrier}, 0, {}},
            [&](const Operation& operation) { return made.plan(operation); },
            [](Collective) { return std::vector<std::size_t>{}; }, {}, {},
            [&](const Operation& operation) { return least_us(made.hierarchy, made.links, operation); });
        return listing;
    };
    const std::string none = listing_text(listed());
    EXPECT_NE(none.find("No bound us: all bandwidths are built in."), std::string::npos) << none;
    EXPECT_EQ(plans_json(listed()).find("bound"), std::string::npos);

    made.links.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 25});
    const PlanListing given = listed();
    for (const ListedPlan& plan : given.plans) {
        EXPECT_DOUBLE_EQ(plan.bound_us, static_cast<double>(plan.from) / 25);
        EXPECT_DOUBLE_EQ(plan.bound_to_us, static_cast<double>(plan.to) / 25);
    }
    const std::string text = listing_text(given);
    EXPECT_NE(text.find("bandwidth only, so it means nothing for short messages"), std::string::npos) << text;
    EXPECT_NE(text.find("0.32 - "), std::string::npos) << text;
    EXPECT_NE(plans_json(given).find(R"("bound_us":0.32,)"), std::string::npos);
    const std::string to = R"("bound_to_us":)" + std::to_string(64 * mib / 25);  // 2684354.56
    EXPECT_NE(plans_json(given).find(to), std::string::npos) << plans_json(given);
}

TEST(Listing, ColoursLeaveTheTextAsItIs) {
    const PlanListing listing = Made().list({{Collective::bcast}, 0, {mib}});
    std::string coloured = listing_text(listing, true);
    EXPECT_NE(coloured.find("\033["), std::string::npos);
    for (std::size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
        coloured.erase(at, coloured.find('m', at) - at + 1);
    }
    const auto words = [](std::string text) {
        text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
        return text;
    };
    EXPECT_EQ(words(coloured), words(listing_text(listing)));
}

TEST(Dump, AHierarchyIsReadBack) {
    Hierarchy hierarchy = sites_of_nodes(2, 3, 4);
    hierarchy.groups[2].leader = hierarchy.groups[2].members.back();
    hierarchy.oversubscription = 4.0 / 3;
    strata::topology::PictureNotes notes;
    notes.json_members = R"("eager_bytes":{"network":1000,"node":2000})";
    const DumpedJob job = parse_hierarchy_dump(draw(hierarchy, PictureFormat::json, notes), "job.json");
    EXPECT_EQ(job.network_eager_bytes, 1000U);
    EXPECT_EQ(job.node_eager_bytes, 2000U);
    EXPECT_EQ(job.hierarchy.stop, hierarchy.stop);
    EXPECT_EQ(job.hierarchy.oversubscription, hierarchy.oversubscription);
    ASSERT_EQ(job.hierarchy.groups.size(), hierarchy.groups.size());
    for (std::size_t g = 0; g < hierarchy.groups.size(); ++g) {
        const Group& a = hierarchy.groups[g];
        const Group& b = job.hierarchy.groups[g];
        EXPECT_EQ(a.level, b.level);
        EXPECT_EQ(a.members, b.members);
        EXPECT_EQ(a.children, b.children);
        EXPECT_EQ(a.direct, b.direct);
        EXPECT_EQ(a.leader, b.leader);
        EXPECT_EQ(a.depth, b.depth);
        EXPECT_EQ(a.parent, b.parent);
    }
}

TEST(Dump, LevelsMayNestEitherWay) {
    // Node 0 has two NUMA domains in a package, node 1 two packages in a NUMA domain.
    const auto object = [](strata::topology::LevelKind kind, std::uint16_t index) {
        return strata::topology::HardwareObject{static_cast<std::uint16_t>(1U << static_cast<int>(kind)),
                                                index};
    };
    std::vector<strata::topology::LocalityRecord> records(6);
    for (std::uint16_t rank = 0; rank < 6; ++rank) {
        const std::uint16_t own = rank % 3, wide = own / 2;
        const bool second = rank >= 3;
        records[rank].node_id = second;
        records[rank].hardware_path = {object(second ? LevelKind::numa : LevelKind::package, wide),
                                       object(second ? LevelKind::package : LevelKind::numa, own)};
    }
    const Hierarchy hierarchy = strata::topology::build_hierarchy(records);
    const std::string dump = draw(hierarchy, PictureFormat::json);
    const DumpedJob job = parse_hierarchy_dump(dump, "job.json");
    EXPECT_EQ(draw(job.hierarchy, PictureFormat::json), dump);
    EXPECT_EQ(job.hierarchy.groups.size(), hierarchy.groups.size());
}

TEST(Dump, FormerNamesAreRead) {
    const std::string dump =
        R"({"ranks":2,"levels":[{"kind":"node","groups":[{"leader":0,"members":[0,1]}]}],)";
    const auto read = [&](const char* rest) { return parse_hierarchy_dump(dump + rest, "x.json").hierarchy; };
    const Hierarchy now =
        read(R"("topology_order":[1,0],"topology_order_nodes":[0],"oversubscription":1.5})");
    EXPECT_EQ(now.topology_order, (std::vector<int>{1, 0}));
    EXPECT_EQ(now, read(R"("walk":[1,0],"walk_nodes":[0],"crowding":1.5})"));
}

TEST(Dump, WhatIsNoneIsRefused) {
    for (
        const char* text :
        {R"({"ranks":2,"levels":[{"kind":"node","groups":[{"leader":0,"members":[0,1]}]}],"oversubscription":0.5})",
         R"({"ranks":2,"levels":[{"kind":"node","groups":[{"leader":0,"members":[0,1]}]}],"oversubscription":"2"})",
         "", "[]", "{}", R"({"ranks":0,"levels":[]})", R"({"ranks":2,"levels":[]})",
         R"({"ranks":2,"levels":[{"kind":"nood","groups":[{"leader":0,"members":[0,1]}]}]})",
         R"({"ranks":2,"levels":[{"kind":"node","groups":[{"leader":0,"members":[0,2]}]}]})",
         R"({"ranks":2,"levels":[{"kind":"node","groups":[{"leader":0,"members":[0]}]}]})",
         R"({"ranks":2,"levels":[{"kind":"node","groups":[{"leader":0,"members":[]}]}]})",
         R"({"ranks":3,"levels":[{"kind":"node","groups":[{"leader":0,"members":[0,1,2]}]},
              {"kind":"core","groups":[{"leader":0,"members":[0,1]},{"leader":1,"members":[1,2]}]}]})"}) {
        EXPECT_THROW(parse_hierarchy_dump(text, "x.json"), FileError) << text;
    }
}

}  // namespace
}  // namespace listing_test
