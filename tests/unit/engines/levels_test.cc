#include "algorithms/engines/levels.h"
#include "algorithms/patterns/level_groups.h"
#include "algorithms/patterns/level_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <new>
#include <numeric>
#include <set>

#include "algorithms/patterns/tree.h"
#include "random_shapes.h"

namespace levels_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

std::string text(const LevelStage& stage) {
    const char* const roles[] = {"up", "across", "down"};
    return std::string(roles[static_cast<int>(stage.role)]) + std::to_string(stage.level);
}

std::string text(const LevelStages& stages) {
    std::string all;
    for (int i = 0; i < stages.count(); ++i) all += (i > 0 ? " " : "") + text(stages[i]);
    return all;
}

TEST(LevelStages, DataGoesUpAcrossAndDown) {
    EXPECT_EQ(text({traits_of(Collective::bcast), 3}), "down0 down1 down2");
    EXPECT_EQ(text({traits_of(Collective::scatterv), 2}), "down0 down1");
    EXPECT_EQ(text({traits_of(Collective::reduce), 3}), "up2 up1 up0");
    EXPECT_EQ(text({traits_of(Collective::gather), 1}), "up0");
    EXPECT_EQ(text({traits_of(Collective::allreduce), 3}), "up2 up1 across0 down1 down2");
    EXPECT_EQ(text({traits_of(Collective::barrier), 1}), "across0");
}

int run_stages(LevelWork& work, const LevelStages& stages, int first, int last, std::size_t total,
               std::size_t segment) {
    Arena arena;
    return run_levels(work, stages, first, last, total, segment, arena).run();
}

/// Records its calls; takes part in every level but `absent`.
class Log final : public LevelWork {
public:
    explicit Log(int absent = -1, int fails_at = -1) : absent_(absent), fails_at_(fails_at) {}
    bool takes_part(const LevelStage& stage) const override { return stage.level != absent_; }
    int start(const LevelStage& stage, std::size_t begin, std::size_t end) override {
        return add(text(stage) + "[" + std::to_string(begin) + "," + std::to_string(end) + ")");
    }
    int finish(const LevelStage& stage) override { return add(text(stage) + "."); }
    int received(std::size_t end) override { return add("<" + std::to_string(end)); }
    std::string lines;

private:
    int add(const std::string& line) {
        if (calls_++ == fails_at_) return 77;
        lines += line + " ";
        return 0;
    }
    int absent_;
    int fails_at_;
    int calls_ = 0;
};

TEST(RunLevels, StagesFollowEachOtherBySegment) {
    const LevelStages stages(traits_of(Collective::allreduce), 2);
    Log log;
    EXPECT_EQ(run_stages(log, stages, 0, stages.count(), 5, 3), 0);
    EXPECT_EQ(log.lines,
              "up1[0,3) "
              "up1. up1[3,5) across0[0,3) "
              "up1. across0. across0[3,5) down1[0,3) "
              "across0. down1. down1[3,5) <3 "
              "down1. <5 ");
    Log part;
    EXPECT_EQ(run_stages(part, stages, 2, 3, 4, 0), 0);
    EXPECT_EQ(part.lines, "down1[0,4) down1. <4 ");
    Log nothing;
    EXPECT_EQ(run_stages(nothing, stages, 0, stages.count(), 0, 0), 0);
    EXPECT_EQ(nothing.lines, "");
    Log absent(1);
    EXPECT_EQ(run_stages(absent, stages, 0, stages.count(), 1, 0), 0);
    EXPECT_EQ(absent.lines, "across0[0,1) across0. ");
}

TEST(RunLevels, AnErrorEndsItAll) {
    const LevelStages stages(traits_of(Collective::reduce), 2);
    for (int call = 0; call < 8; ++call) {
        Log log(-1, call);
        EXPECT_EQ(run_stages(log, stages, 0, stages.count(), 2, 1), 77);
        EXPECT_EQ(std::count(log.lines.begin(), log.lines.end(), ' '), call) << log.lines;
    }
}

/// Has no memory for the start of one stage.
class NoMemory final : public LevelWork {
public:
    explicit NoMemory(int missing_at) : missing_at_(missing_at) {}
    bool takes_part(const LevelStage&) const override { return true; }
    int start(const LevelStage&, std::size_t, std::size_t) override {
        if (starts_++ == missing_at_) throw std::bad_alloc();
        ++unfinished;
        return 0;
    }
    int finish(const LevelStage&) override {
        --unfinished;
        return 0;
    }
    int unfinished = 0;

private:
    int missing_at_;
    int starts_ = 0;
};

TEST(RunLevels, AStageWithoutMemoryEndsItAll) {
    const LevelStages stages(traits_of(Collective::reduce), 3);
    for (int start = 0; start < 9; ++start) {
        NoMemory work(start);
        EXPECT_THROW(run_stages(work, stages, 0, stages.count(), 3, 1), std::bad_alloc);
        EXPECT_LE(work.unfinished, 3) << "start " << start;
    }
    NoMemory enough(9);
    EXPECT_EQ(run_stages(enough, stages, 0, stages.count(), 3, 1), 0);
    EXPECT_EQ(enough.unfinished, 0);
}

/// Faults of the parts that all ranks of a job hold for themselves.
std::vector<std::string> check_blocks(const Hierarchy& hierarchy, int root,
                                      const std::vector<LevelBlocks>& all) {
    std::vector<std::string> faults;
    const auto ranks = static_cast<int>(hierarchy.stop.size());
    for (int rank = 0; rank < ranks; ++rank) {
        const LevelBlocks& mine = all[rank];
        if (mine.order != all[0].order) faults.push_back("another order at rank " + std::to_string(rank));
        for (int level = 0; level < hierarchy.depth(); ++level) {
            std::vector<int> members;
            int local_root = -1;
            const int group = level_group(hierarchy, level, rank, root, members, local_root);
            const auto& parts = mine.parts[level];
            if (group < 0) {
                if (!parts.empty()) faults.push_back("parts without a group");
                continue;
            }
            // Together the group's ranks, in one piece; each part holds its own participant.
            std::set<int> covered;
            int next = parts.front().first;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (parts[i].first != next) faults.push_back("a gap between parts");
                next += parts[i].count;
                std::set<int> part;
                for (int p = parts[i].first; p < next; ++p) part.insert(mine.order[p]);
                if (!part.contains(members[i])) faults.push_back("a part without its participant");
                covered.insert(part.begin(), part.end());
            }
            const auto& expected = hierarchy.groups[group].members;
            if (covered != std::set<int>(expected.begin(), expected.end())) {
                faults.push_back("parts are not the group");
            }
            if (parts.size() != members.size()) faults.push_back("parts are not the participants");
        }
    }
    return faults;
}

TEST(LevelBlocks, EveryGroupLiesInOnePiece) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {30, 5});
        const int root = random.between(0, hierarchy.ranks() - 1);
        std::vector<LevelBlocks> all;
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            all.push_back(level_blocks(hierarchy, root, rank));
        }
        std::vector<int> order = all[0].order;
        std::sort(order.begin(), order.end());
        std::vector<int> ranks(order.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        ASSERT_EQ(order, ranks) << seed;
        const auto faults = check_blocks(hierarchy, root, all);
        ASSERT_TRUE(faults.empty()) << faults.front() << ", seed " << seed;
    }
}

TEST(LevelBlocks, TheCheckSeesBrokenOnes) {
    Random random(5);
    const Hierarchy hierarchy = random_hierarchy(random, {12, 3});
    std::vector<LevelBlocks> all;
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) all.push_back(level_blocks(hierarchy, 0, rank));
    ASSERT_TRUE(check_blocks(hierarchy, 0, all).empty());
    auto moved = all;
    for (auto& blocks : moved) std::swap(blocks.order.front(), blocks.order.back());
    EXPECT_FALSE(check_blocks(hierarchy, 0, moved).empty());
    auto shorter = all;
    --shorter[0].parts[0].back().count;
    EXPECT_FALSE(check_blocks(hierarchy, 0, shorter).empty());
}

}  // namespace
}  // namespace levels_test
