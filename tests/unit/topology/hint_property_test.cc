#include <gtest/gtest.h>

#include <algorithm>

#include "properties.h"
#include "random_jobs.h"

namespace strata::topology::hint_property_test {
namespace {

using testing::Records;

bool failed() { return ::testing::Test::HasFailure(); }

struct Job {
    std::string words;
    std::vector<testing::RandomMachine> machines;
    Records records;
};

Job random_job(std::mt19937& random) {
    Job job;
    const unsigned count = 1 + testing::below(random, 2);
    for (unsigned i = 0; i < count; ++i) job.machines.push_back(testing::random_machine(random, job.words));
    job.records = testing::random_job(random, job.machines);
    return job;
}

/// A group with a hardware object's name is inside that object, for any custom groups cut from it.
void check_objects(const Hierarchy& hierarchy, const Records& records) {
    for (const Group& group : hierarchy.groups) {
        if (group.level.kind < LevelKind::node || group.level.kind == LevelKind::custom) continue;
        const LocalityRecord& first = records[static_cast<std::size_t>(group.members.front())];
        for (const int rank : group.members) {
            const LocalityRecord& record = records[static_cast<std::size_t>(rank)];
            ASSERT_EQ(record.node_id, first.node_id);
            if (group.level.kind == LevelKind::node) continue;
            ASSERT_TRUE(std::any_of(record.hardware_path.begin(), record.hardware_path.end(),
                                    [&](const HardwareObject& object) {
                                        return object.has(group.level.kind) && object.index == group.object;
                                    }));
        }
    }
}

/// Checks what a custom level's words guarantee for each of its groups.
void check_custom(const Hierarchy& hierarchy, const Records& records, const HierarchyHint& hint) {
    std::vector<const HintLevel*> custom;
    for (const HintLevel& level : hint.levels) {
        if (!level.plain()) custom.push_back(&level);
    }
    for (const Group& group : hierarchy.groups) {
        if (group.level.kind != LevelKind::custom) continue;
        ASSERT_LT(group.level.height, custom.size());
        const std::vector<HintItem>& items = custom[group.level.height]->items;
        const auto all = [&](auto&& holds) { return std::all_of(items.begin(), items.end(), holds); };
        if (all([](const HintItem& item) { return item.most > 0; })) {
            const auto widest = std::max_element(
                items.begin(), items.end(), [](const auto& a, const auto& b) { return a.most < b.most; });
            ASSERT_LE(group.members.size(), static_cast<std::size_t>(widest->most));
        }
        if (all([](const HintItem& item) { return item.level && item.level->kind >= LevelKind::node; })) {
            for (const int rank : group.members) {
                ASSERT_EQ(records[static_cast<std::size_t>(rank)].node_id,
                          records[static_cast<std::size_t>(group.members.front())].node_id);
            }
        }
        if (all([](const HintItem& item) { return !item.level; })) {
            for (const int rank : group.members) {
                ASSERT_TRUE(std::any_of(items.begin(), items.end(), [&](const HintItem& item) {
                    return std::any_of(item.ranks.begin(), item.ranks.end(), [&](const auto& range) {
                        return range.first <= rank && rank <= range.second;
                    });
                })) << rank;
            }
        }
    }
}

TEST(HintProperties, AnyHintGivesNestedGroups) {
    std::mt19937 random(30);
    std::size_t custom_groups = 0;
    for (int round = 0; round < 3000 && !failed(); ++round) {
        const Job job = random_job(random);
        HierarchySpec spec;
        spec.election = testing::random_election(random);
        const std::string text = testing::random_hint(random, static_cast<int>(job.records.size()));
        SCOPED_TRACE("round " + std::to_string(round) + ", hint " + text + job.words);
        spec.hint = parse_hierarchy_hint(text);
        const Hierarchy hierarchy = build_hierarchy(job.records, spec);
        ASSERT_EQ(validate(hierarchy), "");
        testing::check_nesting(hierarchy, random);
        testing::check_leaders(hierarchy, job.records, spec.election);
        testing::check_walk(hierarchy, job.records, spec.election);
        testing::check_purity(hierarchy, job.records, spec);
        check_objects(hierarchy, job.records);
        check_custom(hierarchy, job.records, *spec.hint);
        spec.hint.reset();
        const Hierarchy plain = build_hierarchy(job.records, spec);
        ASSERT_EQ(hierarchy.topology_order, plain.topology_order);
        ASSERT_EQ(hierarchy.groups[0].level.kind == LevelKind::cluster,
                  plain.groups[0].level.kind == LevelKind::cluster);
        custom_groups += static_cast<std::size_t>(
            std::count_if(hierarchy.groups.begin(), hierarchy.groups.end(),
                          [](const Group& group) { return group.level.kind == LevelKind::custom; }));
    }
    EXPECT_GT(custom_groups, 10000U);  // otherwise the hints test nothing
}

/// Several items of one level take its objects one by one: ranks determine the order, but not the groups.
TEST(HintProperties, RankOrderDoesNotMatterWithoutListsAndPieces) {
    std::mt19937 random(31);
    for (int round = 0; round < 500 && !failed(); ++round) {
        const Job job = random_job(random);
        HierarchySpec spec;
        spec.election = testing::random_election(random);
        static const char* const hints[] = {"core,socket+socket",  "numa+numa+numa,node",
                                            "l3+l3,socket,switch", "l2,node+node*+node",
                                            "switch+switch,node",  "group+group,numa"};
        const char* const text = hints[testing::below(random, std::size(hints))];
        SCOPED_TRACE("round " + std::to_string(round) + ", hint " + text + job.words);
        spec.hint = parse_hierarchy_hint(text);
        const Hierarchy hierarchy = build_hierarchy(job.records, spec);
        testing::check_permutation(hierarchy, job.records, spec, random, false);
    }
}

}  // namespace
}  // namespace strata::topology::hint_property_test
