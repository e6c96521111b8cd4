#include "component/base/layout_epochs.h"

#include <gtest/gtest.h>

#include <vector>

using strata::component::layout::ClassSize;
using strata::component::layout::epoch_of;
using strata::component::layout::judge;
using strata::component::layout::parse_release;
using strata::component::layout::Release;

namespace {

// The epoch of each release, set by hand.
struct Known {
    Release release;
    int epoch;
};
const std::vector<Known> known = {{{4, 1, 0}, 1}, {{4, 1, 1}, 1}, {{4, 1, 4}, 2},
                                  {{4, 1, 8}, 2}, {{5, 0, 0}, 3}, {{5, 0, 6}, 3},
                                  {{5, 0, 7}, 4}, {{5, 0, 9}, 4}, {{5, 0, 10}, 5}};
const std::vector<ClassSize> alike = {{"ompi_communicator_t", 352, 352}, {"ompi_op_t", 1408, 1408}};
const std::vector<ClassSize> larger = {{"ompi_communicator_t", 352, 352}, {"ompi_op_t", 1408, 1432}};

bool serves(const Release& built, const std::optional<Release>& running,
            const std::vector<ClassSize>& sizes) {
    return judge(built, running, sizes).objection.empty();
}

}  // namespace

TEST(LayoutEpochs, EveryBuildInEveryRelease) {
    for (const Known& built : known) {
        for (const Known& running : known) {
            EXPECT_EQ(serves(built.release, running.release, alike), built.epoch == running.epoch)
                << name_of(built.release) << " in " << name_of(running.release);
            EXPECT_FALSE(serves(built.release, running.release, larger));
        }
    }
}

TEST(LayoutEpochs, UnknownReleasesGoByTheSizes) {
    for (const Known& built : known) {
        const Release next{built.release.major, built.release.minor, 99};
        EXPECT_TRUE(serves(built.release, next, alike));
        EXPECT_FALSE(serves(built.release, next, larger));
        EXPECT_TRUE(serves(next, built.release, alike));
        EXPECT_TRUE(serves(built.release, std::nullopt, alike));
        EXPECT_FALSE(serves(built.release, std::nullopt, larger));
        EXPECT_FALSE(serves(built.release, Release{4, 9, 2}, alike));
        EXPECT_FALSE(serves(built.release, Release{6, 1, 0}, alike));
        EXPECT_FALSE(judge(built.release, next, alike).is_listed);
        EXPECT_TRUE(judge(built.release, built.release, alike).is_listed);
    }
}

TEST(LayoutEpochs, NamesTheClassThatDiffers) {
    EXPECT_EQ(judge({4, 1, 4}, Release{4, 1, 4}, larger).objection,
              "ompi_op_t has 1432 bytes there instead of 1408");
}

TEST(LayoutEpochs, ReadsWhatLibrariesSay) {
    EXPECT_EQ(parse_release(
                  "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"),
              (Release{4, 1, 4}));
    EXPECT_EQ(parse_release("Open MPI v5.0.7rc2"), (Release{5, 0, 7}));
    EXPECT_EQ(parse_release("Open MPI v5.0.9amzn1, package: vendor"), (Release{5, 0, 9}));
    EXPECT_EQ(parse_release("Open MPI v4.1.7a1, package: vendor"), (Release{4, 1, 7}));
    EXPECT_EQ(parse_release("Vendor's Open MPI v5.0.10"), (Release{5, 0, 10}));
    EXPECT_FALSE(parse_release("Vendor MPI 10.4.0.6"));
    EXPECT_FALSE(parse_release("Open MPI v5.0"));
    EXPECT_FALSE(parse_release(""));
}

TEST(LayoutEpochs, CoverReleasesOnce) {
    EXPECT_EQ(epoch_of({4, 0, 9}), nullptr);
    EXPECT_EQ(epoch_of({4, 1, 9}), nullptr);
    EXPECT_EQ(epoch_of({5, 0, 11}), nullptr);
    EXPECT_EQ(epoch_of({5, 1, 0}), nullptr);
}
