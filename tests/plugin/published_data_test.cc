#include "published_data.h"

#include <gtest/gtest.h>

namespace strata::component {
namespace {

using Bytes = PublishedData::Bytes;

Bytes some(std::size_t count) { return Bytes(count, std::byte{7}); }

TEST(PublishedData, IsTheSameAfterItsMessage) {
    PublishedData sent;
    sent.set(3, some(200));
    sent.set(70000, Bytes{});
    sent.set(5, std::nullopt);
    PublishedData got;
    got.add(sent.message());
    ASSERT_NE(got.find(3), nullptr);
    EXPECT_EQ(*got.find(3), some(200));
    ASSERT_NE(got.find(70000), nullptr);
    EXPECT_EQ(*got.find(70000), Bytes{});
    ASSERT_NE(got.find(5), nullptr);
    EXPECT_EQ(*got.find(5), std::nullopt);
    EXPECT_EQ(got.find(4), nullptr);
}

TEST(PublishedData, AddsMessages) {
    PublishedData one;
    one.set(1, some(1));
    PublishedData two;
    two.set(2, some(2));
    PublishedData all;
    all.add(one.message());
    all.add(two.message());
    ASSERT_NE(all.find(1), nullptr);
    ASSERT_NE(all.find(2), nullptr);
    EXPECT_EQ(*all.find(2), some(2));
}

TEST(PublishedData, OfAMessageThatIsCutOffKnowsWhatIsWhole) {
    PublishedData sent;
    sent.set(1, some(10));
    sent.set(2, some(10));
    const Bytes whole = sent.message();
    const std::size_t of_first = whole.size() / 2;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        PublishedData got;
        got.add({whole.data(), size});
        EXPECT_EQ(got.find(1) != nullptr, size >= of_first) << size;
        EXPECT_EQ(got.find(2) != nullptr, size == whole.size()) << size;
    }
}

}  // namespace
}  // namespace strata::component
