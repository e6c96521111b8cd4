#include "component/base/published_data.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::component {
namespace {

using Bytes = std::vector<std::byte>;

Bytes some(std::size_t count) { return Bytes(count, std::byte{7}); }

TEST(PublishedData, IsTakenAsItWasAppended) {
    Bytes message;
    append_published(message, 3, some(200));
    append_published(message, 70000, {});
    std::span<const std::byte> rest = message;
    Published one;
    ASSERT_TRUE(take_published(rest, one));
    EXPECT_EQ(one.process, 3U);
    EXPECT_TRUE(std::ranges::equal(one.bytes, some(200)));
    ASSERT_TRUE(take_published(rest, one));
    EXPECT_EQ(one.process, 70000U);
    EXPECT_TRUE(one.bytes.empty());
    EXPECT_FALSE(take_published(rest, one));
}

TEST(PublishedData, OfAMessageThatIsCutOffGivesWhatIsWhole) {
    Bytes message;
    append_published(message, 1, some(10));
    append_published(message, 2, some(10));
    for (std::size_t size = 0; size <= message.size(); ++size) {
        std::span<const std::byte> rest(message.data(), size);
        std::size_t taken = 0;
        Published one;
        while (take_published(rest, one)) ++taken;
        EXPECT_EQ(taken, size / (message.size() / 2)) << size;
    }
}

}  // namespace
}  // namespace strata::component
