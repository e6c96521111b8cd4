#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>

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

TEST(Text, NumbersAreThoseOfTheCLocale) {
    for (const double value : {0.0, 1.0, 16.0 / 3, 0.001, 123456.789, 1e-7, 2.5e12}) {
        for (const int digits : {3, 9, 17}) {
            char text[40];
            std::snprintf(text, sizeof text, "%.*g", digits, value);
            EXPECT_EQ(number_text(value, digits), text);
        }
    }
}

TEST(Text, NumbersHaveAPointInEveryLocale) {
    const bool comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
    const std::string text = number_text(1.5, 3);
    std::setlocale(LC_NUMERIC, "C");
    EXPECT_EQ(text, "1.5");
    if (!comma) GTEST_SKIP() << "no locale with another point: de_DE.UTF-8 is not installed";
}

TEST(Text, RealNumbersAreTheWholeText) {
    EXPECT_EQ(real_number("0.05"), 0.05);
    EXPECT_EQ(real_number("-2e3"), -2000.0);
    for (const char* text : {"", " 1", "1 ", "0,05", "5%", "0x10", "1e999", "much"}) {
        EXPECT_EQ(real_number(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace strata::topology
