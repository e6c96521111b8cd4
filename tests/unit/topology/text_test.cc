#include <gtest/gtest.h>

#include "strata/topology/text.h"

namespace strata::topology {
namespace {

TEST(Text, TrimmedTakesBlanksFromBothEndsOnly) {
    EXPECT_EQ(trimmed(" \t a b\t "), "a b");
    EXPECT_EQ(trimmed("a"), "a");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed(""), "");
    EXPECT_EQ(trimmed("a\n"), "a\n");
}

TEST(Text, LowerCaseChangesLettersOnly) {
    EXPECT_EQ(lower_case("Switch0@[AZaz]"), "switch0@[azaz]");
    EXPECT_EQ(lower_case("\xC4\xD6"), "\xC4\xD6");
    EXPECT_EQ(lower_case(""), "");
}

}  // namespace
}  // namespace strata::topology
